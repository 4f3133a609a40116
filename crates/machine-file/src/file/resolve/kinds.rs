//! Kinds of core, channel, home agent and wire.

use zerohop_document::{ByName, Key, Number, Problems, Text};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds, TransfersPerSecond};

use super::inherited::{drop_inherited, is_inherited, place, without};
use crate::file::tables::MachineTable;
use crate::hardware::{ChannelTable, CoreTable, Holds, HomeTable, NarrowingTable, RefreshTable, WireTable};
use crate::{
    Buffers, CacheLatency, ChannelParameters, CoreKind, CoreParameters, HomeAgentParameters, LINE, OnFull,
    WireParameters,
};
use zerohop_machine::CacheKind;

/// A list in the order of the parts; `None` if one of them is wrong.
fn all<T, U>(parts: &ByName<T>, mut of: impl FnMut(&str, &T) -> Option<U>) -> Option<Vec<U>> {
    let made: Vec<Option<U>> = parts.iter().map(|part| of(&part.name, &part.value)).collect();
    made.into_iter().collect()
}

/// A kind of core, and how its caches are shared.
pub(super) struct CoreForm {
    pub(super) kind: CoreKind,
    pub(super) caches: Vec<CacheForm>,
}

/// A cache of a kind of core.
pub(super) struct CacheForm {
    pub(super) level: u8,
    pub(super) kind: CacheKind,
    pub(super) size: Bytes,
    pub(super) ways: Option<u32>,
    pub(super) shared_by: u32,
}

pub(super) fn cores(tables: &MachineTable, problems: &mut Problems) -> Option<Vec<CoreForm>> {
    all(&tables.core, |name, table| core(name, table, problems))
}

fn core(name: &str, table: &CoreTable, problems: &mut Problems) -> Option<CoreForm> {
    let (forms, caches) = caches(name, table, problems)?;
    let kind = CoreKind { name: name.to_owned(), parameters: CoreParameters::of(table), caches };
    Some(CoreForm { kind, caches: forms })
}

fn caches(
    name: &str,
    table: &CoreTable,
    problems: &mut Problems,
) -> Option<(Vec<CacheForm>, Vec<CacheLatency>)> {
    let mut forms: Vec<CacheForm> = Vec::new();
    let mut latencies: Vec<(CacheLatency, &Number<Nanoseconds>)> = Vec::new();
    let mut right = true;
    for part in table.cache.iter() {
        let cache = &part.value;
        let kind = match cache.holds {
            Holds::Data => CacheKind::Data,
            Holds::Instructions => CacheKind::Instruction,
            Holds::Both => CacheKind::Unified,
        };
        let level = cache.level.value;
        let overlaps = |other: &CacheForm| {
            let same = kind == other.kind || kind == CacheKind::Unified || other.kind == CacheKind::Unified;
            other.level == level && same
        };
        if forms.iter().any(overlaps) {
            let message = format!("`core.{name}` has two L{level} caches for the same");
            problems.add_with_hint(
                cache.level.place,
                message,
                "`holds` distinguishes data from instructions",
            );
            right = false;
        }
        match (&cache.latency, kind) {
            (Some(latency), CacheKind::Data | CacheKind::Unified) => {
                let misses = cache.misses.map(|misses| misses.value);
                let form = CacheLatency { level, size: cache.size.value, latency: latency.value, misses };
                latencies.push((form, latency));
            }
            (None, CacheKind::Instruction) => {}
            (Some(latency), CacheKind::Instruction) => {
                let message = "loads do not hit an instruction cache";
                let path = format!("core.{name}.cache.{}.latency", part.name);
                let hint = without(&path, latency.place, part.place, problems);
                problems.add_with_hint(latency.place, message, hint);
                right = false;
            }
            (None, CacheKind::Data | CacheKind::Unified) => {
                let message = format!("`core.{name}.cache.{}` has no `latency`", part.name);
                problems.add_with_hint(part.place, message, "write, for example, `latency = \"1.5 ns\"`");
                right = false;
            }
        }
        forms.push(CacheForm {
            level,
            kind,
            size: cache.size.value,
            ways: cache.ways.map(|ways| ways.value),
            shared_by: cache.shared_by.value,
        });
    }
    latencies.sort_by_key(|(cache, _)| cache.level);
    for pair in latencies.windows(2) {
        let ((near, _), (far, place)) = (pair[0], pair[1]);
        if far.latency <= near.latency {
            let message = format!(
                "an L{} hit takes {}, not longer than an L{} hit ({})",
                far.level, far.latency, near.level, near.latency
            );
            problems.add(place.place, message);
            right = false;
        }
    }
    right.then(|| (forms, latencies.into_iter().map(|(cache, _)| cache).collect()))
}

/// A kind of channel, and the devices that SMBIOS would list for it.
pub(super) struct ChannelForm {
    pub(super) name: String,
    pub(super) bandwidth: GigabytesPerSecond,
    pub(super) parameters: ChannelParameters,
    pub(super) devices: Option<DeviceForm>,
}

/// The memory devices of a channel.
pub(super) struct DeviceForm {
    pub(super) count: u32,
    pub(super) technology: String,
    pub(super) width: u16,
    pub(super) rate: TransfersPerSecond,
}

pub(super) fn channels(tables: &MachineTable, problems: &mut Problems) -> Option<Vec<ChannelForm>> {
    all(&tables.channel, |name, table| channel(name, table, problems))
}

fn channel(name: &str, table: &ChannelTable, problems: &mut Problems) -> Option<ChannelForm> {
    let bandwidth = match (&table.bandwidth, &table.rate, &table.width) {
        (Some(bandwidth), None, None) => Some(bandwidth.value),
        (None, Some(rate), Some(width)) => {
            Some(GigabytesPerSecond(rate.value.get() * f64::from(width.value.0) / 8.0 / 1e9))
        }
        _ => {
            let message = format!("`channel.{name}` has either a `bandwidth`, or a `rate` and a `width`");
            let given = [
                ("bandwidth", place(&table.bandwidth)),
                ("rate", place(&table.rate)),
                ("width", place(&table.width)),
            ];
            let hint = drop_inherited(&format!("channel.{name}"), &given, problems);
            let hint = hint.unwrap_or_else(|| "write, for example, `bandwidth = \"25.6 GB/s\"`".to_owned());
            problems.add_with_hint(table.table_place, message, hint);
            None
        }
    };
    let devices = devices(name, table, problems);
    let row = table.row.value;
    let whole_lines = row.get().is_multiple_of(LINE.get());
    if !whole_lines {
        let message = format!("a row of {row} is not a multiple of the line size, {LINE}");
        problems.add(table.row.place, message);
    }
    let block = table.bank_block.value;
    let whole_blocks = block >= LINE && block.get().is_multiple_of(LINE.get());
    if !whole_blocks {
        let message = format!("a block of {block} is not a multiple of the line size, {LINE}");
        problems.add(table.bank_block.place, message);
    }
    let (precharge, row_miss) = (table.precharge.value, table.row_miss.value);
    let is_part = precharge <= row_miss;
    if !is_part {
        let message = format!(
            "a precharge of {precharge} is longer than a row miss of {row_miss}, of which it is a part"
        );
        problems.add(table.precharge.place, message);
    }
    let refreshed = table.refresh.as_ref().is_none_or(|refresh| leaves_time(refresh, problems));
    let (bandwidth, devices) = (bandwidth?, devices?);
    let parameters = ChannelParameters::of(table);
    (whole_lines && whole_blocks && is_part && refreshed).then(|| ChannelForm {
        name: name.to_owned(),
        bandwidth,
        parameters,
        devices,
    })
}

fn leaves_time(table: &RefreshTable, problems: &mut Problems) -> bool {
    let (every, takes) = (table.every.value, table.takes.value);
    if takes >= every {
        let message = format!("a refresh of {takes} every {every} leaves no time for transfers");
        problems.add_with_hint(table.takes.place, message, format!("less than {every}"));
        return false;
    }
    true
}

/// The outer `Option` is `None` for a problem, the inner one if the file does not describe devices.
fn devices(name: &str, table: &ChannelTable, problems: &mut Problems) -> Option<Option<DeviceForm>> {
    let Some(devices) = &table.devices else { return Some(None) };
    let (Some(rate), Some(width), Some(technology)) = (&table.rate, &table.width, &table.technology) else {
        let message =
            format!("memory devices of `channel.{name}` require a `rate`, a `width` and a `technology`");
        problems.add_with_hint(devices.place, message, "add the missing keys, or omit `devices`");
        return None;
    };
    let count = devices.value;
    let bits = u32::from(width.value.0);
    if !bits.is_multiple_of(count) || !(bits / count).is_multiple_of(8) {
        let message = format!("{bits} bit cannot be divided into {count} devices of whole bytes");
        problems.add(devices.place, message);
        return None;
    }
    let technology = technology.text.clone();
    Some(Some(DeviceForm { count, technology, width: (bits / count) as u16, rate: rate.value }))
}

/// A kind of home agent.
pub(super) struct HomeForm {
    pub(super) name: String,
    pub(super) parameters: HomeAgentParameters,
}

pub(super) fn homes(tables: &MachineTable, problems: &mut Problems) -> Option<Vec<HomeForm>> {
    all(&tables.home, |name, table| home(name, table, problems))
}

fn home(name: &str, table: &HomeTable, problems: &mut Problems) -> Option<HomeForm> {
    let slots = table.table.value;
    let mut right = true;
    for (key, limit) in [("local_limit", &table.local_limit), ("remote_limit", &table.remote_limit)] {
        if limit.value > slots {
            let message = format!("`{key}` allows {} requests, more than the table of {slots}", limit.value);
            problems.add_with_hint(
                limit.place,
                message,
                format!("write at most {slots}, or use a larger `table`"),
            );
            right = false;
        }
    }
    match (table.on_full, &table.retry_delay) {
        (OnFull::Wait, None) | (OnFull::Retry | OnFull::Recirculate, Some(_)) => {}
        (OnFull::Wait, Some(delay)) => {
            let message = "waiting requests are not retried";
            let path = format!("home.{name}.retry_delay");
            let without = without(&path, delay.place, table.table_place, problems);
            // The problem is in the file that changed `on_full`, not in the one that it extends.
            let inherited = is_inherited(delay.place, table.table_place, problems);
            let place = if inherited { table.table_place } else { delay.place };
            problems.add_with_hint(place, message, format!("{without}, or write `on_full = \"retry\"`"));
            return None;
        }
        (OnFull::Retry | OnFull::Recirculate, None) => {
            let message = format!("`home.{name}` has no `retry_delay`");
            problems.add_with_hint(
                table.table_place,
                message,
                "write, for example, `retry_delay = \"50 ns\"`",
            );
            return None;
        }
    }
    right.then(|| HomeForm { name: name.to_owned(), parameters: HomeAgentParameters::of(table) })
}

/// A kind of link, as one of its wires.
pub(super) struct Wire {
    pub(super) name: String,
    pub(super) capacity: GigabytesPerSecond,
    pub(super) back: Option<GigabytesPerSecond>,
    pub(super) buffers: Buffers,
    pub(super) parameters: WireParameters,
}

pub(super) fn wires(tables: &MachineTable, problems: &mut Problems) -> Option<Vec<Wire>> {
    all(&tables.wire, |name, table| wire(name, table, problems))
}

fn wire(name: &str, table: &WireTable, problems: &mut Problems) -> Option<Wire> {
    let packets = &table.packets;
    let mut right = true;
    for (key, size) in [("data", &packets.data), ("write", &packets.write)] {
        if size.value < LINE {
            let message = format!("`{key}` carries a line of {LINE}, so it cannot be {}", size.value);
            problems.add(size.place, message);
            right = false;
        }
    }
    let capacity = capacity(name, table, problems)?;
    right &= table.narrowing.as_ref().is_none_or(|narrowing| can_narrow(narrowing, problems));
    let buffers = Buffers::of(&table.buffers);
    let back = table.back.as_ref().map(|back| back.value);
    let parameters = WireParameters::of(table);
    right.then(|| Wire { name: name.to_owned(), capacity, back, buffers, parameters })
}

fn can_narrow(table: &NarrowingTable, problems: &mut Problems) -> bool {
    let to_one_in = table.to_one_in.value;
    if !to_one_in.is_power_of_two() {
        let message =
            format!("a link keeps a half, a quarter or an eighth of its lanes, not one in {to_one_in}");
        problems.add_with_hint(table.to_one_in.place, message, "write 2, 4 or 8");
        return false;
    }
    // Otherwise a load that is too high for the narrow link would be too low for the wide one, and its width would
    // oscillate.
    let (below, above) = (table.below.value.0, table.above.value.0);
    if above <= below * f64::from(to_one_in) {
        let message = "the link would immediately drop the lanes that it just restored";
        let hint = format!("`above` is larger than `below` times {to_one_in}");
        problems.add_with_hint(table.above.place, message, hint);
        return false;
    }
    true
}

fn capacity(name: &str, table: &WireTable, problems: &mut Problems) -> Option<GigabytesPerSecond> {
    match (&table.capacity, &table.lanes, &table.rate, &table.encoding) {
        (Some(capacity), None, None, None) => Some(capacity.value),
        (None, Some(lanes), Some(rate), encoding) => {
            let share = encoding.as_ref().map_or(1.0, |encoding| encoding.value.0);
            let bits = rate.value.get() * f64::from(lanes.value) * share;
            Some(GigabytesPerSecond(bits / 8.0 / 1e9))
        }
        _ => {
            let message = format!(
                "`wire.{name}` has either a `capacity`, or `lanes`, a `rate` and perhaps an `encoding`"
            );
            let given = [
                ("capacity", place(&table.capacity)),
                ("lanes", place(&table.lanes)),
                ("rate", place(&table.rate)),
                ("encoding", place(&table.encoding)),
            ];
            let hint = drop_inherited(&format!("wire.{name}"), &given, problems);
            let hint = hint.unwrap_or_else(|| "write, for example, `capacity = \"4 GB/s\"`".to_owned());
            problems.add_with_hint(table.table_place, message, hint);
            None
        }
    }
}

/// The kind of that name.
pub(super) fn named<'k, T, U>(
    parts: &ByName<T>,
    kinds: &'k [U],
    what: &str,
    name: &Text,
    problems: &mut Problems,
) -> Option<&'k U> {
    kinds.get(parts.rank(what, name, problems)?)
}

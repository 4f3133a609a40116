//! Kinds of core, channel, home agent and wire.

use zerohop_document::{Number, Parts, Problems, Text};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds, TransfersPerSecond};

use super::inherited::{drop_inherited, is_inherited, place, without};
use crate::file::tables::{
    ChannelTable, ControlWord, CoreTable, HoldsWord, HomeTable, MachineTable, NarrowingTable, NetworksWord,
    OnFullWord, PassesOnWord, RefreshTable, ReleaseWord, WireTable,
};
use crate::{
    Buffers, CacheKind, CacheLatency, Channel, CoreKind, HomeAgent, InFlight, LINE, Narrowing, OnFull,
    Packets, Refresh, Release, Turnaround,
};

/// A list in the order of the parts; nothing if one of them is wrong.
fn all<T, U>(parts: &Parts<T>, mut of: impl FnMut(&str, &T) -> Option<U>) -> Option<Vec<U>> {
    let made: Vec<Option<U>> = parts.iter().map(|part| of(&part.name, &part.value)).collect();
    made.into_iter().collect()
}

/// A kind of core, with how its caches are shared.
pub(super) struct CoreForm {
    pub(super) kind: CoreKind,
    pub(super) threads: u32,
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
    let (caches, latencies) = caches(name, table, problems)?;
    let most = InFlight::FARTHEST_AHEAD;
    if let Some(ahead) = table.in_flight.ahead.filter(|ahead| ahead.value.0 > most) {
        let message = format!("a stream runs ahead by {most} lines at most, and not by {}", ahead.value.0);
        problems.add_with_hint(ahead.place, message, "leave `ahead` out where it is to run ahead freely");
        return None;
    }
    let kind = CoreKind {
        name: name.to_owned(),
        clock: table.clock.value,
        in_flight: InFlight {
            sequential: table.in_flight.sequential.value.0,
            strided: table.in_flight.strided.value.0,
            random: table.in_flight.random.value.0,
            ahead: table.in_flight.ahead.map(|ahead| ahead.value.0),
        },
        evictions: table.evictions.value.0,
        write_combining: table.write_combining.value.0,
        issue: table.issue.value,
        to_router: table.to_router.value,
        from_router: table.from_router.value,
        caches: latencies,
    };
    Some(CoreForm { kind, threads: table.threads.map_or(1, |threads| threads.value.0), caches })
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
            Some(HoldsWord::Data) => CacheKind::Data,
            Some(HoldsWord::Instructions) => CacheKind::Instruction,
            Some(HoldsWord::Both) | None => CacheKind::Unified,
        };
        let level = cache.level.value.0;
        let overlaps = |other: &CacheForm| {
            let same = kind == other.kind || kind == CacheKind::Unified || other.kind == CacheKind::Unified;
            other.level == level && same
        };
        if forms.iter().any(overlaps) {
            let message = format!("`core.{name}` has two caches of level {level} for the same");
            problems.add_with_hint(cache.level.place, message, "`holds` tells data from instructions");
            right = false;
        }
        match (&cache.latency, kind) {
            (Some(latency), CacheKind::Data | CacheKind::Unified) => {
                let misses = cache.misses.map(|misses| misses.value.0);
                let form = CacheLatency { level, size: cache.size.value, latency: latency.value, misses };
                latencies.push((form, latency));
            }
            (None, CacheKind::Instruction) => {}
            (Some(latency), CacheKind::Instruction) => {
                let message = "no load hits a cache of instructions";
                let path = format!("core.{name}.cache.{}.latency", part.name);
                let hint = without(&path, latency.place, part.place, problems);
                problems.add_with_hint(latency.place, message, hint);
                right = false;
            }
            (None, CacheKind::Data | CacheKind::Unified) => {
                let message = format!("`core.{name}.cache.{}` has no `latency`", part.name);
                problems.add_with_hint(part.place, message, "write for example `latency = \"1.5 ns\"`");
                right = false;
            }
        }
        forms.push(CacheForm {
            level,
            kind,
            size: cache.size.value,
            ways: cache.ways.map(|ways| ways.value.0),
            shared_by: cache.shared_by.map_or(1, |shared| shared.value.0),
        });
    }
    latencies.sort_by_key(|(cache, _)| cache.level);
    for pair in latencies.windows(2) {
        let ((near, _), (far, place)) = (pair[0], pair[1]);
        if far.latency <= near.latency {
            let message = format!(
                "a hit in the cache of level {} takes {}, and no longer than one of level {} ({})",
                far.level, far.latency, near.level, near.latency
            );
            problems.add(place.place, message);
            right = false;
        }
    }
    right.then(|| (forms, latencies.into_iter().map(|(cache, _)| cache).collect()))
}

/// A kind of channel, and what SMBIOS would list of it.
pub(super) struct ChannelForm {
    /// Its name and router are those of no channel yet.
    pub(super) channel: Channel,
    pub(super) devices: Option<DeviceForm>,
}

/// The memory devices of a channel.
pub(super) struct DeviceForm {
    pub(super) count: u32,
    pub(super) technology: String,
    /// Bits of each.
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
            let hint = hint.unwrap_or_else(|| "write for example `bandwidth = \"25.6 GB/s\"`".to_owned());
            problems.add_with_hint(table.place, message, hint);
            None
        }
    };
    let devices = devices(name, table, problems);
    let row = table.row.value;
    let whole_lines = row.get().is_multiple_of(LINE.get());
    if !whole_lines {
        let message = format!("a row of {row} is no whole number of lines of {LINE}");
        problems.add(table.row.place, message);
    }
    let refresh = match &table.refresh {
        Some(table) => Some(refresh(table, problems)?),
        None => None,
    };
    let channel = Channel {
        name: String::new(),
        router: 0,
        bandwidth: bandwidth?,
        efficiency: table.efficiency.value.0,
        access: table.access.value,
        queue: table.queue.map(|queue| queue.value.0),
        banks: table.banks.value.0,
        row,
        row_miss: table.row_miss.value,
        row_cycle: table.row_cycle.value,
        refresh,
        turnaround: Turnaround {
            to_write: table.turnaround.to_write.value,
            to_read: table.turnaround.to_read.value,
        },
        write_batch: table.write_batch.value.0,
    };
    whole_lines.then_some(ChannelForm { channel, devices: devices? })
}

fn refresh(table: &RefreshTable, problems: &mut Problems) -> Option<Refresh> {
    let (every, takes) = (table.every.value, table.takes.value);
    if takes >= every {
        let message = format!("a refresh of {takes} every {every} leaves no time for anything else");
        problems.add_with_hint(table.takes.place, message, format!("less than {every}"));
        return None;
    }
    Some(Refresh { every, takes })
}

/// The outer `Option` is empty where something is wrong, the inner one where the file does not speak of devices.
fn devices(name: &str, table: &ChannelTable, problems: &mut Problems) -> Option<Option<DeviceForm>> {
    let Some(devices) = &table.devices else { return Some(None) };
    let (Some(rate), Some(width), Some(technology)) = (&table.rate, &table.width, &table.technology) else {
        let message =
            format!("memory devices of `channel.{name}` are told by `rate`, `width` and `technology`");
        problems.add_with_hint(devices.place, message, "add what is missing, or leave `devices` out");
        return None;
    };
    let count = devices.value.0;
    let bits = u32::from(width.value.0);
    if !bits.is_multiple_of(count) || !(bits / count).is_multiple_of(8) {
        let message = format!("{bits} bit are not {count} devices of whole bytes side by side");
        problems.add(devices.place, message);
        return None;
    }
    let technology = technology.text.clone();
    Some(Some(DeviceForm { count, technology, width: (bits / count) as u16, rate: rate.value }))
}

pub(super) fn homes(tables: &MachineTable, problems: &mut Problems) -> Option<Vec<HomeAgent>> {
    all(&tables.home, |name, table| home(name, table, problems))
}

fn home(name: &str, table: &HomeTable, problems: &mut Problems) -> Option<HomeAgent> {
    let slots = table.table.value.0;
    let mut right = true;
    for (key, limit) in [("local_limit", &table.local_limit), ("remote_limit", &table.remote_limit)] {
        if limit.value.0 > slots {
            let message = format!("`{key}` lets {} requests into a table of {slots}", limit.value.0);
            problems.add_with_hint(limit.place, message, format!("at most {slots}, or a larger `table`"));
            right = false;
        }
    }
    let on_full = match (table.on_full, &table.retry_delay) {
        (OnFullWord::Wait, None) => OnFull::Wait,
        (OnFullWord::Retry, Some(delay)) => OnFull::Retry { delay: delay.value },
        (OnFullWord::Recirculate, Some(delay)) => OnFull::Recirculate { delay: delay.value },
        (OnFullWord::Wait, Some(delay)) => {
            let message = "a request that waits is not repeated";
            let path = format!("home.{name}.retry_delay");
            let without = without(&path, delay.place, table.place, problems);
            // Whoever changed what becomes of requests is to blame, and not the extended file.
            let inherited = is_inherited(delay.place, table.place, problems);
            let place = if inherited { table.place } else { delay.place };
            problems.add_with_hint(place, message, format!("{without}, or say `on_full = \"retry\"`"));
            return None;
        }
        (OnFullWord::Retry | OnFullWord::Recirculate, None) => {
            let message = format!("`home.{name}` has no `retry_delay`");
            problems.add_with_hint(table.place, message, "write for example `retry_delay = \"50 ns\"`");
            return None;
        }
    };
    right.then(|| HomeAgent {
        name: String::new(),
        router: 0,
        latency: table.latency.value,
        slot: table.slot.value,
        table: slots,
        local_limit: table.local_limit.value.0,
        remote_limit: table.remote_limit.value.0,
        on_full,
        release: match table.release {
            None | Some(ReleaseWord::Read) => Release::Read,
            Some(ReleaseWord::Sent) => Release::Sent,
        },
        requests_in_a_row: table.requests_in_a_row.as_ref().map(|count| count.value.0),
        outbound_limit: table.outbound_limit.as_ref().map(|count| count.value.0),
    })
}

/// A kind of link.
pub(super) struct Wire {
    pub(super) capacity: GigabytesPerSecond,
    pub(super) latency: Nanoseconds,
    pub(super) inserts_control: bool,
    pub(super) passes_on_whole: bool,
    pub(super) narrowing: Option<Narrowing>,
    pub(super) separate_networks: bool,
    pub(super) packets: Packets,
    pub(super) buffers: Buffers,
}

pub(super) fn wires(tables: &MachineTable, problems: &mut Problems) -> Option<Vec<Wire>> {
    all(&tables.wire, |name, table| wire(name, table, problems))
}

fn wire(name: &str, table: &WireTable, problems: &mut Problems) -> Option<Wire> {
    let packets = &table.packets;
    let mut right = true;
    for (key, size) in [("data", &packets.data), ("write", &packets.write)] {
        if size.value < LINE {
            let message = format!("`{key}` carries a line of {LINE} and cannot take {}", size.value);
            problems.add(size.place, message);
            right = false;
        }
    }
    let packets = Packets {
        request: packets.request.value,
        probe: packets.probe.value,
        response: packets.response.value,
        data: packets.data.value,
        write: packets.write.value,
        credit: packets.credit.value.0,
    };
    let buffers = Buffers {
        request: table.buffers.request.value.0,
        write: table.buffers.write.value.0,
        probe: table.buffers.probe.value.0,
        response: table.buffers.response.value.0,
    };
    let capacity = capacity(name, table, problems)?;
    let inserts_control = table.control == Some(ControlWord::Inserted);
    let passes_on_whole = table.passes_on == Some(PassesOnWord::Whole);
    let latency = table.latency.value;
    let narrowing = match &table.narrowing {
        Some(table) => Some(narrowing(table, problems)?),
        None => None,
    };
    let separate_networks = table.networks == Some(NetworksWord::Separate);
    right.then_some(Wire {
        capacity,
        latency,
        inserts_control,
        passes_on_whole,
        narrowing,
        separate_networks,
        packets,
        buffers,
    })
}

fn narrowing(table: &NarrowingTable, problems: &mut Problems) -> Option<Narrowing> {
    let to_one_in = table.to_one_in.value.0;
    if !to_one_in.is_power_of_two() {
        let message =
            format!("a link keeps a half, a quarter or an eighth of its lanes, not one in {to_one_in}");
        problems.add_with_hint(table.to_one_in.place, message, "write 2, 4 or 8");
        return None;
    }
    // Otherwise what is too much without the lanes is too little with them, and it would change its width for ever.
    let (below, above) = (table.below.value.0, table.above.value.0);
    if above <= below * f64::from(to_one_in) {
        let message = "it would drop the lanes again that it has just taken back";
        let hint = format!("`above` is larger than `below` times {to_one_in}");
        problems.add_with_hint(table.above.place, message, hint);
        return None;
    }
    Some(Narrowing { to_one_in, window: table.window.value, below, above, change: table.change.value })
}

fn capacity(name: &str, table: &WireTable, problems: &mut Problems) -> Option<GigabytesPerSecond> {
    match (&table.capacity, &table.lanes, &table.rate, &table.encoding) {
        (Some(capacity), None, None, None) => Some(capacity.value),
        (None, Some(lanes), Some(rate), encoding) => {
            let share = encoding.as_ref().map_or(1.0, |encoding| encoding.value.0);
            let bits = rate.value.get() * f64::from(lanes.value.0) * share;
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
            let hint = hint.unwrap_or_else(|| "write for example `capacity = \"4 GB/s\"`".to_owned());
            problems.add_with_hint(table.place, message, hint);
            None
        }
    }
}

/// The kind of that name.
pub(super) fn named<'k, T, U>(
    parts: &Parts<T>,
    kinds: &'k [U],
    what: &str,
    name: &Text,
    problems: &mut Problems,
) -> Option<&'k U> {
    kinds.get(parts.rank(what, name, problems)?)
}

//! Figures that follow from the parameters of a machine file: the latency of an idle read, and the peaks of channels,
//! links and cores, each with its calculation.

use std::collections::BTreeMap;

use zerohop_machine::{NodeId, PuId};
use zerohop_machine_file::{CoreKind, Hardware, IdlePart, IdleRead, LINE};
use zerohop_units::Nanoseconds;

use crate::fabric::rate;
use crate::number::counted;
use crate::page::Page;

/// With more pairs of nodes than this, only some are added up.
const PAIRS: usize = 4096;
/// With more routers than this, each read takes long to add up, since it may probe all of them.
const ROUTERS: usize = 64;
const PAIRS_OF_MANY: usize = 256;

/// With more distinct hop counts than this, one line sums up remote reads.
const LISTED_HOPS: usize = 4;

/// Idle reads, local and by hops.
pub(crate) fn write_idle_reads(page: &mut Page, hardware: &Hardware) {
    let initiators: Vec<(NodeId, PuId)> =
        hardware.machine.nodes.iter().filter_map(|node| Some((node.id, node.pus.first()?))).collect();
    let most = if hardware.routers.len() > ROUTERS { PAIRS_OF_MANY } else { PAIRS };
    // Targets spread over all of them, and initiators in their order.
    let step = hardware.memories.len().div_ceil(most).max(1);
    let targets = || hardware.memories.iter().step_by(step);
    let some = (most / targets().count().max(1)).clamp(1, initiators.len().max(1));
    let mut local = Vec::new();
    let mut remote: BTreeMap<usize, Vec<IdleRead>> = BTreeMap::new();
    for &(from, pu) in initiators.iter().take(some) {
        for memory in targets() {
            let (Some(read), Some(hops)) =
                (hardware.idle_read(pu, memory.node), hardware.hops(from, memory.node))
            else {
                continue;
            };
            if from == memory.node { local.push(read) } else { remote.entry(hops).or_default().push(read) }
        }
    }
    page.section("an idle read");
    write_reads(page, "local", &local);
    if remote.len() <= LISTED_HOPS {
        for (hops, reads) in &remote {
            write_reads(page, &counted(*hops, "hop"), reads);
        }
    } else {
        let all: Vec<IdleRead> = remote.into_values().flatten().collect();
        write_reads(page, "remote", &all);
    }
    let of = match some < initiators.len() {
        true => format!("the first CPU of {some} of {} nodes", initiators.len()),
        false => "the first CPU of each node".to_owned(),
    };
    page.remark(&format!(
        "from {of}, as measured by `zerohop run latency-matrix`; row_miss: a pointer chase finds no open row"
    ));
}

/// `81.0 ns = to_router 5 + …`, of one read or the mean of several.
fn write_reads(page: &mut Page, label: &str, reads: &[IdleRead]) {
    if reads.is_empty() {
        return;
    }
    let mean = IdleRead::mean(reads.iter());
    let times = || reads.iter().map(|read| read.time().get());
    let (least, most) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
    let range = match tenths(least) == tenths(most) {
        true => String::new(),
        false => {
            format!(" ({least:.1} to {most:.1} ns over {}, sum for the mean)", counted(reads.len(), "pair"))
        }
    };
    page.line(label, &format!("{:.1} {}{range} = {}", mean.time().get(), Nanoseconds::UNIT, sum(&mean)));
}

/// The parts that take time.
fn sum(read: &IdleRead) -> String {
    let parts = IdlePart::ALL.into_iter().filter_map(|part| {
        let time = tenths(read.part(part).get());
        (time != "0").then(|| format!("{} {time}", part.name()))
    });
    parts.collect::<Vec<_>>().join(" + ")
}

/// Rounded to tenths; whole numbers have no decimal.
fn tenths(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// The peak of each channel, link and core.
pub(crate) fn write_ceilings(page: &mut Page, hardware: &Hardware) {
    page.section("ceilings");
    let channels = hardware.channels.iter().map(|channel| {
        let (kept, shown) = match channel.parameters.refresh {
            None => (1.0, String::new()),
            Some(refresh) => (
                1.0 - refresh.takes.get() / refresh.every.get(),
                format!(" × (1 - {} / {})", tenths(refresh.takes.get()), tenths(refresh.every.get())),
            ),
        };
        let (bandwidth, share) = (rate(channel.bandwidth), tenths(channel.parameters.efficiency.0 * 100.0));
        format!("{} = {bandwidth} × {share} %{shown}", rate(channel.sustained() * kept))
    });
    write_alike(page, "channel", channels);
    let links = hardware.links.iter().enumerate().map(|(rank, link)| {
        let (data, write) = (link.parameters.packets.data.get(), link.parameters.packets.write.get());
        let (reads, writes) = (rate(link.read_capacity()), rate(link.write_capacity()));
        let line = LINE.get();
        let trip = hardware.idle_round_trip(rank);
        format!(
            "{} of lines read = {reads} × {line} / {data} B; {} of lines written = {writes} × {line} / {write} B; \
             a round trip adds {:.1} ns = {}",
            rate(link.read_peak()),
            rate(link.write_peak()),
            trip.time().get(),
            sum(&trip)
        )
    });
    write_alike(page, "link", links);
    for (rank, kind) in hardware.core_kinds.iter().enumerate() {
        if let Some(read) = local_read(hardware, rank) {
            page.line("core", &core(kind, &read));
        }
    }
}

/// Each text once, with the number of parts that it applies to.
fn write_alike(page: &mut Page, label: &str, texts: impl Iterator<Item = String>) {
    let mut counts: Vec<(String, usize)> = Vec::new();
    let mut ranks: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts {
        let rank = *ranks.entry(text.clone()).or_insert(counts.len());
        match counts.get_mut(rank) {
            Some((_, count)) => *count += 1,
            None => counts.push((text, 1)),
        }
    }
    for (text, count) in counts.iter().take(LISTED_ALIKE) {
        page.line(label, &format!("{count} × {text}"));
    }
    if counts.len() > LISTED_ALIKE {
        page.remark(&format!(
            "and {} more",
            counted(counts.len() - LISTED_ALIKE, &format!("kind of {label}"))
        ));
    }
}

/// Most kinds of one part that are listed.
const LISTED_ALIKE: usize = 12;

/// An idle read of a kind's first core that has memory on its node.
fn local_read(hardware: &Hardware, kind: usize) -> Option<IdleRead> {
    let cores = hardware.machine.cores.iter().zip(&hardware.cores);
    let mut of_kind = cores.filter(|(_, place)| place.kind == kind);
    of_kind.find_map(|(core, _)| {
        let pu = core.pus.first()?;
        hardware.idle_read(pu, hardware.machine.pu(pu)?.node)
    })
}

fn core(kind: &CoreKind, read: &IdleRead) -> String {
    let time = tenths(CoreKind::stream_time(read).get());
    let flight = kind.parameters.in_flight;
    let streams = [(flight.sequential, "sequential"), (flight.strided, "strided")];
    let streams = streams.map(|(lines, how)| {
        let ceiling = rate(kind.stream_ceiling(lines, read));
        format!("{ceiling} {how} = {lines} × {} B / {time} ns", LINE.get())
    });
    let issue = match kind.parameters.issue.get() > 0.0 {
        true => format!(", and at most one line per {} ns", tenths(kind.parameters.issue.get())),
        false => String::new(),
    };
    format!("{}: {} of local memory, rows open{issue}", kind.name, streams.join("; "))
}

//! Machines of published documents have the physics of templates and of memory technologies.

use zerohop_units::Bytes;

use super::{hardware, idle, template};
use crate::{
    CacheLatency, ChannelParameters, CoreParameters, Hardware, Link, MachineFile, PassesOn, WireParameters,
};

fn built_in(name: &str, text: &str) -> Hardware {
    let file = MachineFile::parse(name, text, &()).unwrap_or_else(|error| panic!("{error}"));
    file.hardware().unwrap_or_else(|error| panic!("{error}"))
}

fn link<'a>(hardware: &'a Hardware, kind: &str) -> &'a Link {
    hardware.links.iter().find(|link| link.kind == kind).unwrap()
}

/// Levels, sizes, misses and latencies of a core's caches; the latency of the last one is known to a nanosecond.
fn caches(hardware: &Hardware) -> Vec<(u8, Bytes, Option<u32>, i64)> {
    let of =
        |cache: &CacheLatency| (cache.level, cache.size, cache.misses, cache.latency.get().floor() as i64);
    hardware.core_kinds[0].caches.iter().map(of).collect()
}

#[test]
fn sr665_v3_has_the_parts_of_its_template() {
    let text = include_str!("../../../../../machines/sr665-v3.toml");
    let (built_in, template) =
        (built_in("sr665-v3", text), hardware(&template("epyc-9004"), &["sockets=2", "links=4"]));
    let (own, theirs) = (built_in.core_kinds[0].parameters, template.core_kinds[0].parameters);
    // Both are solved for, here to a nanosecond.
    let solved = CoreParameters { to_router: own.to_router, from_router: own.from_router, ..theirs };
    assert_eq!(own, solved);
    assert_eq!(caches(&built_in), caches(&template));
    assert_eq!(built_in.channels[0].parameters, template.channels[0].parameters);
    assert_eq!(built_in.channels[0].bandwidth, template.channels[0].bandwidth);
    assert_eq!(built_in.homes[0].parameters, template.homes[0].parameters);
    for (kind, of_template, passes_on) in [
        ("gmi", "gmi", PassesOn::Head),
        ("fabric", "fabric", PassesOn::Head),
        ("xgmi", "socket", PassesOn::Whole),
    ] {
        let (own, theirs) = (link(&built_in, kind), link(&template, of_template));
        let parameters = WireParameters { latency: own.parameters.latency, passes_on, ..theirs.parameters };
        assert_eq!(own.parameters, parameters, "{kind}");
        assert_eq!(
            (own.capacity, own.wires, own.buffers),
            (theirs.capacity, theirs.wires, theirs.buffers),
            "{kind}"
        );
    }
    for (to, stated) in [(0, 112.0), (1, 200.0)] {
        let means = [&built_in, &template].map(|hardware| mean_idle(hardware, to));
        assert!(means.iter().all(|mean| (mean - stated).abs() < 2.0), "node {to}: {means:?} ns");
    }
}

#[test]
fn cascade_lake_4s_has_the_parts_of_its_template() {
    let text = include_str!("../../../../../machines/cascade-lake-4s.toml");
    let (built_in, template) =
        (built_in("cascade-lake-4s", text), hardware(&template("xeon-cascade-lake"), &["sockets=4"]));
    let (own, theirs) = (built_in.core_kinds[0].parameters, template.core_kinds[0].parameters);
    let CoreParameters { to_router, from_router, threads, .. } = own;
    assert_eq!(own, CoreParameters { to_router, from_router, threads, ..theirs });
    assert_eq!(caches(&built_in), caches(&template));
    assert_eq!(built_in.channels[0].parameters, template.channels[0].parameters);
    assert_eq!(built_in.channels[0].bandwidth, template.channels[0].bandwidth);
    let (own, theirs) = (link(&built_in, "upi"), link(&template, "socket"));
    let solved = WireParameters { latency: own.parameters.latency, ..theirs.parameters };
    assert_eq!(own.parameters, solved);
    assert_eq!((own.capacity, own.wires, own.buffers), (theirs.capacity, theirs.wires, theirs.buffers));
    for to in 0..4 {
        assert!((idle(&built_in, 0, to) - idle(&template, 0, to)).abs() < 1.0, "node {to}");
    }
}

/// The mean over the cores of node 0: those of some dies are nearer than others.
fn mean_idle(hardware: &Hardware, to: u32) -> f64 {
    let cores = hardware.machine.usable_cores(zerohop_machine::NodeId(0));
    let times =
        cores.iter().map(|&pu| hardware.idle_read(pu, zerohop_machine::NodeId(to)).unwrap().time().get());
    times.sum::<f64>() / cores.len() as f64
}

/// What a channel of a technology has that no document contradicts: rows, refresh, and how long a row stays open.
#[test]
fn every_channel_has_the_timings_of_its_technology() {
    let technology = |name: &str| {
        let text = include_str!("../../../../../machines/quartet.toml");
        let start = text.find("[channel.ddr400]").unwrap();
        let end = text.find("[home.k8]").unwrap();
        let channel = format!("[channel.ddr400]\ntimings = \"{name}\"\nrate = \"400 MT/s\"\ndevices = 1\n\n");
        built_in(name, &format!("{}{channel}{}", &text[..start], &text[end..])).channels[0].parameters
    };
    let quartet =
        built_in("quartet", include_str!("../../../../../machines/quartet.toml")).channels[0].parameters;
    let of = technology("DDR400");
    let own = ChannelParameters {
        efficiency: quartet.efficiency,
        access: quartet.access,
        row: quartet.row,
        row_group: 5,
        write_batch: 4,
        turnaround: quartet.turnaround,
        ..of
    };
    assert_eq!(quartet, own);
    let text = include_str!("../../../../../machines/opteron-6274-4s.toml");
    let opteron = built_in("opteron-6274-4s", text).channels[0].parameters;
    let of = technology("DDR3");
    assert_eq!(
        opteron,
        ChannelParameters { efficiency: opteron.efficiency, access: opteron.access, row_group: 16, ..of }
    );
    let knl = built_in("xeon-phi-7250", include_str!("../../../../../machines/xeon-phi-7250.toml"));
    let ddr4 = knl.channels.iter().find(|channel| channel.kind == "ddr4").unwrap().parameters;
    let of = technology("DDR4");
    let own =
        ChannelParameters { access: ddr4.access, queue: ddr4.queue, close_after: ddr4.close_after, ..of };
    assert_eq!(ddr4, own);
}

//! Machines as files describe them.

use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};

use super::{CHIPLETS, DIAGONAL, LIBRARY, MESH, QUARTET, SQUARE, machine};
use crate::{Coherence, Collector, Hardware, MachineFile, OnFull, PassesOn, Spread};
use zerohop_machine::{NodeId, PackageId, PuId};

fn hops(hardware: &Hardware) -> Vec<Vec<usize>> {
    let nodes = || hardware.machine.nodes.iter().map(|node| node.id);
    nodes().map(|from| nodes().map(|to| hardware.hops(from, to).unwrap()).collect()).collect()
}

fn pus(hardware: &Hardware, node: u32) -> Vec<u32> {
    hardware.machine.node(NodeId(node)).unwrap().pus.iter().map(|pu| pu.0).collect()
}

/// AMD 40555, pp. 13-15.
#[test]
fn quartet_is_as_amd_describes_it() {
    let quartet = machine("machines/quartet.toml", QUARTET);
    assert_eq!(quartet.machine.name, "quartet");
    assert_eq!(hops(&quartet), [[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]]);
    assert_eq!(pus(&quartet, 0), [0, 1], "as in `taskset -c 0,1`");
    let peak = quartet.machine.theoretical_bandwidth().unwrap();
    assert_eq!(format!("{:.1}", peak.total), "25.6 GB/s");
    assert_eq!(peak.packages.len(), 4);
    assert_eq!(quartet.memory_peak(NodeId(0)), Some(GigabytesPerSecond(6.4)));
    assert_eq!(format!("{:.1}", quartet.total_memory_peak()), "25.6 GB/s");
    assert_eq!(quartet.machine.memory_devices[0].size, Bytes::gib(1), "two modules of 1 GB");
    assert_eq!(quartet.links[0].capacity, GigabytesPerSecond(4.0));
    assert_eq!(quartet.machine.distances.as_ref().unwrap().rows[0], [10, 16, 16, 22]);
    assert!(quartet.routes.are_free_of_cycles(&quartet.links));
}

#[test]
fn every_number_has_a_source() {
    let square = machine("square.toml", SQUARE);
    let of = |path: &str| square.parameters.iter().find(|parameter| parameter.path == path).unwrap();
    let strided = of("core.k8.in_flight.strided");
    let fitted = strided.fitted.as_ref().unwrap();
    assert_eq!((strided.value.as_str(), fitted.to_string().as_str()), ("3", "notes/fig-1"));
    assert_eq!(of("wire.ht1000.capacity").source, "made up to test with", "the file's");
    assert_eq!(of("wire.ht1000.packets.data").source, "made up too", "its table's");
    assert_eq!(of("node.3.memory").value, "2 GiB");
    assert_eq!(square.fitted().count(), 2);
    let quartet = machine("quartet.toml", QUARTET);
    assert!(quartet.parameters.iter().all(|parameter| !parameter.source.is_empty()));
}

#[test]
fn a_mesh_joins_neighbours_and_turns_once() {
    let mesh = machine("mesh.toml", MESH);
    let names: Vec<&str> = mesh.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["a0-a1", "a0-b0", "a1-a2", "a1-b1", "a2-b2", "b0-b1", "b1-b2"]);
    let way = |from: &str, to: &str| -> Vec<&str> {
        let rank = |name| mesh.routers.iter().position(|router| router.name == name).unwrap();
        mesh.path(rank(from), rank(to)).iter().map(|link| names[link.link()]).collect()
    };
    assert_eq!(way("a0", "b2"), ["a0-b0", "b0-b1", "b1-b2"], "first along the column");
    assert_eq!(way("b2", "a0"), ["a2-b2", "a1-a2", "a0-a1"]);
    assert!(mesh.routes.are_free_of_cycles(&mesh.links));
    assert_eq!(mesh.routers[2].traversal, Nanoseconds(0.9));
    assert_eq!(mesh.routers[0].traversal, Nanoseconds(0.6));
    // 256 lanes of 1.7 GT/s, 98 % of which carry packets.
    assert!((mesh.links[0].capacity.get() - 256.0 * 1.7 / 8.0 * 0.98).abs() < 1e-9);
}

#[test]
fn nodes_share_home_agents() {
    let mesh = machine("mesh.toml", MESH);
    assert_eq!((mesh.homes.len(), mesh.channels.len()), (6, 5));
    let all: Vec<usize> = (0..6).collect();
    assert!(mesh.memories.iter().all(|memory| memory.homes == all));
    let stacked = mesh.memory(NodeId(4)).unwrap();
    assert_eq!(mesh.channels[stacked.channels[0]].bandwidth, GigabytesPerSecond(51.2));
    assert_eq!(mesh.routers[mesh.channels[4].router].name, "a1");
    assert_eq!(stacked.home_spread, Spread::Interleaved(Bytes(128)));
    let home = mesh.homes[0].parameters;
    assert_eq!((home.on_full, home.retry_delay), (OnFull::Retry, Some(Nanoseconds(20.0))));
    // Devices are told by no channel, so that none are listed rather than some.
    assert_eq!(mesh.machine.memory_devices, []);
    assert_eq!(mesh.total_memory_peak(), GigabytesPerSecond(4.0 * 19.2 + 51.2));
}

#[test]
fn pus_are_numbered_round_the_nodes() {
    let mesh = machine("mesh.toml", MESH);
    assert_eq!(pus(&mesh, 0), [0, 2, 4, 6, 8, 10, 12, 14]);
    let first = &mesh.machine.cores[0];
    assert_eq!(first.pus.iter().collect::<Vec<_>>(), [PuId(0), PuId(8)]);
    // The second core of the machine is the first one of node 1.
    assert_eq!(mesh.machine.pu(PuId(1)).unwrap().node, NodeId(1));
    assert_eq!(mesh.routers[mesh.cores[1].router].name, "a2");
    assert_eq!(mesh.core_of(PuId(9)), Some(1));
    let second_level: Vec<_> =
        mesh.machine.data_caches(PuId(0)).iter().map(|cache| cache.pus.len()).collect();
    assert_eq!(second_level, [2, 4], "of one core, and of two");
}

#[test]
fn links_on_the_way_to_a_core_s_own_memory_are_no_hops() {
    let chiplets = machine("chiplets.toml", CHIPLETS);
    assert_eq!(hops(&chiplets), [[0, 1, 2], [1, 0, 1], [2, 1, 0]]);
    assert_eq!(
        chiplets.coherence,
        Coherence::Broadcast { lookup: Nanoseconds(10.0), collector: Collector::Home }
    );
    assert_eq!(pus(&chiplets, 1), [4, 5, 6, 7, 12, 13, 14, 15], "second threads come last");
    let package = chiplets.machine.packages.iter().find(|package| package.id == PackageId(1)).unwrap();
    assert_eq!(package.pus.len(), 8);
    assert!(pus(&chiplets, 2).is_empty());
    let xgmi = chiplets.links.iter().find(|link| link.name == "xgmi").unwrap();
    assert_eq!((xgmi.capacity, xgmi.buffers.write), (GigabytesPerSecond(192.0), 192), "three in parallel");
    assert!((xgmi.read_peak().get() - 192.0 * 0.8).abs() < 1e-9);
}

#[test]
fn a_file_changes_what_it_extends() {
    let square = machine("square.toml", SQUARE);
    let changed = machine("diagonal.toml", DIAGONAL);
    assert_eq!(changed.machine.name, "diagonal");
    assert_eq!(changed.title, "A square with a diagonal instead of one side");
    assert_eq!(changed.links[0].capacity, GigabytesPerSecond(8.0));
    assert_eq!(changed.core_kinds[0].parameters.in_flight.strided, 5);
    assert_eq!(changed.channels, square.channels);
    let names: Vec<&str> = changed.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["0-1", "3-2", "2-0", "0-3"]);
    assert_eq!(hops(&changed)[1], [1, 0, 2, 2], "the side between 1 and 3 is gone");
    let of = |path: &str| changed.parameters.iter().find(|parameter| parameter.path == path).unwrap();
    assert_eq!(of("core.k8.in_flight.strided").source, "made up to change with");
    assert_eq!(of("core.k8.in_flight.strided").fitted, None, "another number is not the fitted one");
    assert_eq!(of("core.k8.clock").source, "made up to test with", "sources stay with their file");
}

#[test]
fn a_file_written_out_is_the_same_machine() {
    for (name, text) in [("quartet", QUARTET), ("mesh", MESH), ("chiplets", CHIPLETS), ("diagonal", DIAGONAL)]
    {
        let file = MachineFile::parse(name, text, &LIBRARY).unwrap();
        let written = file.to_toml();
        // It extends nothing, and takes nothing from a library.
        let again = MachineFile::parse(name, &written, &()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.hardware().unwrap(), file.hardware().unwrap(), "{name}");
        assert_eq!(again.to_toml(), written, "{name}");
    }
}

#[test]
fn a_machine_is_called_like_its_file() {
    for name in ["quartet", "quartet.toml", "machines/quartet.toml", r"C:\machines\quartet.toml"] {
        assert_eq!(machine(name, QUARTET).machine.name, "quartet");
    }
}

/// A link that narrows, for the square.
fn narrowing(to_one_in: u32, above: u32) -> String {
    let wire = "[wire.ht1000.packets]";
    let table = format!(
        "[wire.ht1000.narrowing]\nto_one_in = {to_one_in}\nwindow = \"2 us\"\nbelow = \"5 %\"\nabove = \"{above} %\"\n\
         change = \"100 ns\"\n\n{wire}"
    );
    SQUARE.replacen(wire, &table, 1)
}

/// A channel that is refreshed and streams that run only so far ahead, for the square.
fn refreshed(takes: &str, ahead: u32) -> String {
    let table = format!("refresh = {{ every = \"7.8 us\", takes = \"{takes}\" }}\nbanks = ");
    SQUARE.replacen("banks = ", &table, 1).replacen("random = ", &format!("ahead = {ahead}\nrandom = "), 1)
}

#[test]
fn a_channel_may_be_refreshed_and_a_stream_run_only_so_far_ahead() {
    let plain = machine("square", SQUARE);
    assert_eq!(
        (plain.channels[0].parameters.refresh, plain.core_kinds[0].parameters.in_flight.ahead),
        (None, None)
    );
    let machine = machine("square", &refreshed("350 ns", 26));
    let refresh = machine.channels[0].parameters.refresh.unwrap();
    assert_eq!((refresh.every.get(), refresh.takes.get()), (7800.0, 350.0));
    assert_eq!(machine.core_kinds[0].parameters.in_flight.ahead, Some(26));
}

#[test]
fn refreshes_without_end_and_streams_that_run_too_far() {
    let told = [refreshed("7.8 us", 26), refreshed("350 ns", 129)]
        .map(|text| super::read("square.toml", &text).unwrap_err().to_string());
    insta::assert_snapshot!(told.join("\n\n"));
}

#[test]
fn a_node_may_lie_in_several_packages() {
    let text = SQUARE.replacen("package = 0", "package = [0, 4]", 1);
    let machine = machine("square", &text).machine;
    let packages: Vec<u32> = machine.cores.iter().map(|core| core.package.0).collect();
    assert_eq!(packages, [0, 4, 1, 1, 2, 2, 3, 3]);
    assert_eq!(machine.packages.len(), 5);
    let nodes: Vec<u32> = machine.pus.iter().map(|pu| pu.node.0).collect();
    assert_eq!(nodes, [0, 0, 1, 1, 2, 2, 3, 3]);
}

#[test]
fn a_link_may_be_of_several_wires_check_packets_and_drop_lanes() {
    let text = narrowing(4, 50)
        .replacen("wire = \"ht1000\" }", "wire = \"ht1000\", count = 3 }", 1)
        .replacen("[wire.ht1000]\n", "[wire.ht1000]\npasses_on = \"whole\"\n", 1);
    let machine = machine("square", &text);
    let link = &machine.links[0];
    assert_eq!((link.wires, link.parameters.passes_on), (3, PassesOn::Whole));
    assert!((link.slower_by(0, 72.0).get() - (72.0 / 4.0 - 72.0 / 12.0)).abs() < 1e-9);
    let narrowing = link.parameters.narrowing.unwrap();
    assert_eq!((narrowing.to_one_in, narrowing.window.get(), narrowing.above.0), (4, 2000.0, 0.5));
    assert_eq!((machine.links[1].wires, machine.links[1].slower_by(0, 72.0).get()), (1, 0.0));
}

#[test]
fn what_cannot_be_shared_out_or_narrowed() {
    let packages = ["[0, 1, 2]", "[]", "\"0\"", "[\"0\"]"];
    let packages = packages.map(|list| SQUARE.replacen("package = 0", &format!("package = {list}"), 1));
    let told: Vec<String> = packages
        .into_iter()
        .chain([narrowing(3, 50), narrowing(4, 20)])
        .map(|text| super::read("square.toml", &text).unwrap_err().to_string())
        .collect();
    insta::assert_snapshot!(told.join("\n\n"));
}

/// Firmware says 255 of memory that a node cannot reach; a file could not.
#[test]
fn a_node_may_be_unreachable_by_the_firmware_s_distances() {
    let distances = "distances = [[10, 16, 16, 255], [16, 10, 22, 16], [16, 22, 10, 16], [255, 16, 16, 10]]";
    let text = SQUARE.replacen("numbering = \"core\"", &format!("numbering = \"core\"\n{distances}"), 1);
    let hardware = machine("square.toml", &text);
    let matrix = hardware.machine.distances.as_ref().unwrap();
    assert_eq!(matrix.get(NodeId(0), NodeId(3)), Some(255));
    assert!(matrix.has_unreachable());
    assert_eq!(hardware.hops(NodeId(0), NodeId(3)), Some(2), "its links lead there");
}

/// DIMMs side by side were counted as channels: 8 of quartet's 4, 192 of cascade-lake-4s's 24.
#[test]
fn channels_are_counted_and_not_their_dimms() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../machines");
    for (name, channels, dimms) in
        [("quartet", 4, 8), ("opteron-6274-4s", 16, 16), ("cascade-lake-4s", 24, 24), ("sr665-v3", 24, 24)]
    {
        let text = std::fs::read_to_string(format!("{folder}/{name}.toml")).unwrap();
        let hardware = machine(name, &text);
        let peak = hardware.machine.theoretical_bandwidth().unwrap();
        assert_eq!(peak.channels, channels, "{name}");
        assert_eq!(hardware.machine.memory_devices.len(), dimms, "{name}");
        assert!((peak.total.get() / hardware.total_memory_peak().get() - 1.0).abs() < 1e-9, "{name}");
    }
}

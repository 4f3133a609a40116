//! Eight nodes of four Opteron packages: AMD's two plans, as real boards show them.

use super::{Files, LIBRARY, machine};
use crate::{Hardware, MachineFile, Spread};
use zerohop_machine::{NodeId, Settings};

const TWIN: &str = include_str!("../../../../../machines/opteron-6274-4s.toml");
const DOUBLOON: &str = include_str!("../../../../../machines/opteron-6274-4s-doubloon.toml");

/// The node after each on the way, a row for where one is and a column for where one is to go:
/// htGraph8TwinFullyFourWays.c and htGraph8DoubloonM.c of AMD's start-up code in coreboot.
const TWIN_NEXT: [[usize; 8]; 8] = [
    [0, 1, 2, 2, 4, 4, 6, 6],
    [0, 1, 3, 3, 5, 5, 7, 7],
    [0, 0, 2, 3, 4, 4, 6, 6],
    [1, 1, 2, 3, 5, 5, 7, 7],
    [0, 0, 2, 2, 4, 5, 6, 6],
    [1, 1, 3, 3, 4, 5, 7, 7],
    [0, 0, 2, 2, 4, 4, 6, 7],
    [1, 1, 3, 3, 5, 5, 6, 7],
];
const DOUBLOON_NEXT: [[usize; 8]; 8] = [
    [0, 1, 2, 2, 4, 4, 6, 6],
    [0, 1, 2, 2, 5, 5, 7, 7],
    [0, 1, 2, 3, 4, 4, 6, 7],
    [2, 2, 2, 3, 5, 5, 6, 7],
    [0, 0, 2, 2, 4, 5, 6, 6],
    [1, 1, 3, 3, 4, 5, 6, 6],
    [0, 0, 2, 3, 4, 5, 6, 7],
    [1, 1, 2, 3, 6, 6, 6, 7],
];

/// Distances that Linux shows on a Supermicro H8QG6 with four Opteron 6134: 32amd64-4s2n4c-cgroup2 of hwloc's tests.
const H8QG6: [[u32; 8]; 8] = [
    [10, 16, 16, 22, 16, 22, 16, 22],
    [16, 10, 22, 16, 22, 16, 22, 16],
    [16, 22, 10, 16, 16, 22, 16, 22],
    [22, 16, 16, 10, 22, 16, 22, 16],
    [16, 22, 16, 22, 10, 16, 16, 22],
    [22, 16, 22, 16, 16, 10, 22, 16],
    [16, 22, 16, 22, 16, 22, 10, 16],
    [22, 16, 22, 16, 22, 16, 16, 10],
];

/// The same of a Dell PowerEdge R815 with four Opteron 6272, and the number there of each of AMD's nodes.
const R815: [[u32; 8]; 8] = [
    [10, 16, 16, 22, 16, 22, 16, 22],
    [16, 10, 22, 16, 16, 22, 22, 16],
    [16, 22, 10, 16, 16, 16, 16, 16],
    [22, 16, 16, 10, 16, 16, 22, 22],
    [16, 16, 16, 16, 10, 16, 16, 22],
    [22, 22, 16, 16, 16, 10, 22, 16],
    [16, 22, 16, 22, 16, 22, 10, 16],
    [22, 16, 16, 22, 22, 16, 16, 10],
];
const R815_NUMBERS: [usize; 8] = [0, 1, 4, 5, 6, 7, 2, 3];

fn doubloon() -> Hardware {
    let library = Files(&[("opteron-6274-4s", TWIN)]);
    MachineFile::parse("doubloon.toml", DOUBLOON, &library).unwrap().hardware().unwrap()
}

fn next_hops(hardware: &Hardware) -> Vec<Vec<usize>> {
    let over = |from: usize, to: usize| match hardware.routes.next(from, to) {
        Some(link) => hardware.links[link.link()].ends[1 - link.direction()],
        None => from,
    };
    (0..8).map(|from| (0..8).map(|to| over(from, to)).collect()).collect()
}

#[test]
fn packets_take_the_next_hops_of_amd_s_tables() {
    assert_eq!(next_hops(&machine("opteron-6274-4s.toml", TWIN)), TWIN_NEXT);
    assert_eq!(next_hops(&doubloon()), DOUBLOON_NEXT);
}

#[test]
fn distances_are_those_of_real_boards() {
    let twin = machine("opteron-6274-4s.toml", TWIN);
    assert_eq!(twin.machine.distances.unwrap().rows, H8QG6);
    let doubloon = doubloon().machine.distances.unwrap().rows;
    for (from, row) in doubloon.iter().enumerate() {
        for (to, &distance) in row.iter().enumerate() {
            assert_eq!(distance, R815[R815_NUMBERS[from]][R815_NUMBERS[to]], "{from} to {to}");
        }
    }
}

/// With all data on one node, half of all nodes come over the link within its package.
#[test]
fn half_of_all_nodes_of_twin_reach_a_node_over_one_link() {
    let twin = machine("opteron-6274-4s.toml", TWIN);
    for target in 0..8 {
        let sibling = target ^ 1;
        let over_sibling = |from: &usize| {
            let last = twin.path(*from, target).last().copied();
            last.is_some_and(|link| twin.links[link.link()].ends[link.direction()] == sibling)
        };
        assert_eq!((0..8).filter(over_sibling).count(), 4, "node {target}");
    }
}

#[test]
fn node_interleaving_leaves_one_node_over_all_packages() {
    let file = MachineFile::parse("opteron-6274-4s.toml", TWIN, &LIBRARY).unwrap();
    let settings: Settings = std::iter::once("node_interleaving=on".parse().unwrap()).collect();
    let hardware = file.set(&settings).unwrap().hardware().unwrap();
    assert_eq!(hardware.machine.nodes.len(), 1);
    assert_eq!((hardware.machine.packages.len(), hardware.machine.pus.len()), (4, 64));
    let memory = hardware.memory(NodeId(0)).unwrap();
    assert_eq!((memory.homes.len(), memory.channels.len()), (8, 16));
    // Each home agent's lines are in the channels beside it.
    let (Spread::Interleaved(home), Spread::Interleaved(channel)) =
        (&memory.home_spread, &memory.channel_spread)
    else {
        panic!("they are interleaved");
    };
    let per_home = home.get() / channel.get();
    for (rank, &channel) in memory.channels.iter().enumerate() {
        let home = memory.homes[rank / per_home as usize];
        assert_eq!(hardware.channels[channel].router, hardware.homes[home].router);
    }
}

//! The Xeon Phi 7250 against what is published of it.

use super::machine;
use crate::{Hardware, MachineFile, Networks, PagesInUse, SideCache, Spread, TagReadBy};
use zerohop_machine::{NodeId, PuId, Setting, Settings};

const XEON_PHI: &str = include_str!("../../../../../machines/xeon-phi-7250.toml");

/// Where things are on the die: M. Horro, G. Rodriguez and J. Tourino, "Simulating the Network Activity of Modern
/// Manycores", IEEE Access 7, 2019.
const DIE: [[&str; 6]; 9] = [
    ["edc0", "edc1", "iio0", "iio1", "edc2", "edc3"],
    ["t00", "t12", "iio2", "iio3", "t13", "t29"],
    ["t04", "t16", "t28", "t01", "t17", "t33"],
    ["t08", "t20", "t32", "t05", "t21", "t37"],
    ["imc0", "t24", "t36", "t09", "t25", "imc1"],
    ["t02", "t14", "t26", "t03", "t15", "t27"],
    ["t06", "t18", "t30", "t07", "t19", "t31"],
    ["t10", "t22", "t34", "t11", "t23", "t35"],
    ["edc4", "edc5", "misc0", "misc1", "edc6", "edc7"],
];

fn phi(chosen: &[&str]) -> Hardware {
    let settings: Settings = chosen.iter().map(|text| text.parse::<Setting>().unwrap()).collect();
    let file =
        MachineFile::parse("xeon-phi-7250.toml", XEON_PHI, &()).unwrap_or_else(|error| panic!("{error}"));
    let set = file.set(&settings).unwrap_or_else(|error| panic!("{error}"));
    set.hardware().unwrap_or_else(|error| panic!("{error}"))
}

fn router(phi: &Hardware, name: &str) -> usize {
    phi.routers.iter().position(|router| router.name == name).unwrap()
}

/// The routers on the way from one to another, both ends included.
fn way(phi: &Hardware, from: &str, to: &str) -> Vec<String> {
    let mut way = vec![from.to_owned()];
    for link in phi.path(router(phi, from), router(phi, to)) {
        let end = phi.links[link.link()].ends[1 - link.direction()];
        way.push(phi.routers[end].name.clone());
    }
    way
}

fn distances(phi: &Hardware) -> Vec<Vec<u32>> {
    phi.machine.distances.as_ref().unwrap().rows.clone()
}

#[test]
fn tiles_are_where_they_are_on_the_die() {
    let phi = machine("xeon-phi-7250.toml", XEON_PHI);
    for (row, names) in DIE.iter().enumerate() {
        for (column, name) in names.iter().enumerate() {
            let position = [column as i32, row as i32];
            assert_eq!(phi.routers[router(&phi, name)].position, Some(position), "{name}");
        }
    }
    assert_eq!(phi.routers.len(), 54);
    // Nine rows of six, each linked to its neighbours.
    assert_eq!(phi.links.len(), 9 * 5 + 6 * 8);
    assert!(phi.links.iter().all(|link| link.parameters.networks == Networks::Separate));
}

#[test]
fn packets_go_along_the_column_first() {
    let phi = phi(&[]);
    assert_eq!(way(&phi, "t28", "edc1"), ["t28", "iio2", "iio0", "edc1"]);
    assert_eq!(way(&phi, "t35", "t00").len(), 1 + 6 + 5);
    assert_eq!(way(&phi, "t06", "imc1"), ["t06", "t02", "imc0", "t24", "t36", "t09", "t25", "imc1"]);
    assert_eq!(way(&phi, "edc7", "t31"), ["edc7", "t35", "t31"]);
    assert!(phi.routes.are_free_of_cycles(&phi.links));
}

/// Core numbers follow the tiles' numbers, and leave out those that are switched off.
#[test]
fn thirty_four_tiles_have_cores_and_all_have_home_agents() {
    let phi = phi(&[]);
    assert_eq!((phi.cores.len(), phi.machine.pus.len(), phi.homes.len()), (68, 272, 38));
    let at = |core: u32| phi.routers[phi.cores[phi.core_of(PuId(core)).unwrap()].router].name.as_str();
    let cores = [0, 1, 2, 6, 8, 14, 20, 22, 44, 46, 50, 52, 60, 66];
    let tiles =
        ["t00", "t00", "t01", "t04", "t05", "t09", "t12", "t13", "t24", "t25", "t28", "t29", "t33", "t36"];
    assert_eq!(cores.map(at), tiles);
    assert_eq!(at(68), "t00", "second threads come after all first ones");
    for off in ["t02", "t08", "t27", "t37"] {
        let rank = router(&phi, off);
        assert!(phi.cores.iter().all(|core| core.router != rank));
        assert!(phi.homes.iter().any(|home| home.router == rank));
    }
    // Another processor has other tiles switched off.
    let others = XEON_PHI.replace(r#"["t02", "t08", "t27", "t37"]"#, r#"["t00", "t05", "t10", "t15"]"#);
    let other = machine("other.toml", &others);
    assert_eq!(other.cores.len(), 68);
    assert_eq!(other.routers[other.cores[0].router].name, "t01");
}

/// J. D. McCalpin's measured hash, and what can be computed of it.
#[test]
fn lines_go_over_home_agents_by_the_measured_hash() {
    let phi = phi(&[]);
    let Spread::Hashed(hash) = &phi.memory(NodeId(0)).unwrap().home_spread else { panic!("it is a hash") };
    let parity = |address: u64, mask: u64| ((address & mask).count_ones() & 1) as u16;
    for block in [0u64, 1, 77, 0x3_0400, 0xC_1234] {
        let mut lines = [0u32; 38];
        let mut even = [0u32; 38];
        for line in 0..4096u64 {
            let address = block << 18 | line << 6;
            let home = hash.unit(address);
            lines[usize::from(home)] += 1;
            even[usize::from(home)] += u32::from(line % 2 == 0);
            // A home agent's quadrant is exactly linear in the address.
            let quadrant = parity(address, 0x14_C896_C740) + 2 * parity(address, 0xA_57F3_11C0);
            assert_eq!(home % 4, quadrant, "{address:#x}");
        }
        for home in 0..38 {
            let weight = if home >= 32 { 96 } else { [104, 104, 116, 116][home % 4] };
            assert_eq!(lines[home], weight, "of 256 KiB");
            assert_eq!(even[home], weight / 2, "even lines are no different");
        }
        for quadrant in 0..4 {
            let of_quadrant = (0..38).filter(|home| home % 4 == quadrant).map(|home| lines[home]);
            assert_eq!(of_quadrant.sum::<u32>(), 1024, "a quarter each");
        }
    }
}

#[test]
fn controllers_are_near_or_anywhere() {
    let near = |phi: &Hardware, node: u32, channels_of_home: &[Vec<usize>]| {
        let homes = &phi.memory(NodeId(node)).unwrap().homes;
        let column = |router: usize| phi.routers[router].position.unwrap()[0] / 3;
        homes.iter().zip(channels_of_home).all(|(&home, channels)| {
            channels
                .iter()
                .all(|&channel| column(phi.channels[channel].router) == column(phi.homes[home].router))
        })
    };
    let quadrant = phi(&[]);
    let (ddr, mcdram) = (quadrant.memory(NodeId(0)).unwrap(), quadrant.memory(NodeId(1)).unwrap());
    assert!(near(&quadrant, 0, &ddr.channels_of_home) && near(&quadrant, 1, &mcdram.channels_of_home));
    let edcs = |home: usize| -> Vec<&str> {
        let name = |&channel: &usize| quadrant.routers[quadrant.channels[channel].router].name.as_str();
        mcdram.channels_of_home[home].iter().map(name).collect()
    };
    assert_eq!(
        [edcs(0), edcs(37), edcs(6), edcs(3)],
        [["edc0", "edc1"], ["edc2", "edc3"], ["edc4", "edc5"], ["edc6", "edc7"]]
    );
    let anywhere = phi(&["cluster=all-to-all"]);
    for node in [0, 1] {
        let memory = anywhere.memory(NodeId(node)).unwrap();
        assert!(memory.channels_of_home.is_empty());
        assert_eq!(memory.channel_spread, Spread::Interleaved(zerohop_units::Bytes(64)));
    }
}

/// Whichever halves they are in the machine, each has to have a controller of both memories.
#[test]
fn halves_are_left_and_right() {
    let halves = phi(&["cluster=hemisphere"]);
    for node in [0, 1] {
        let memory = halves.memory(NodeId(node)).unwrap();
        let column = |router: usize| halves.routers[router].position.unwrap()[0] / 3;
        let mut channels = Vec::new();
        for (&home, of_home) in memory.homes.iter().zip(&memory.channels_of_home) {
            let side = column(halves.homes[home].router);
            assert!(of_home.iter().all(|&channel| column(halves.channels[channel].router) == side));
            channels.push(of_home.len());
        }
        assert_eq!(channels, [[3, 4][node as usize]; 38], "node {node}");
    }
    let cached = phi(&["cluster=hemisphere", "memory=cache"]);
    let cache = cached.memories[0].cache.as_ref().unwrap();
    assert_eq!(
        cache.channels_of_home.iter().map(Vec::len).collect::<Vec<_>>(),
        [4; 38],
        "four controllers a half"
    );
}

#[test]
fn every_mode_shows_what_linux_shows() {
    for cluster in ["quadrant", "hemisphere", "all-to-all"] {
        let cluster = format!("cluster={cluster}");
        assert_eq!(distances(&phi(&[&cluster])), [[10, 31], [31, 10]]);
        assert_eq!(distances(&phi(&[&cluster, "memory=hybrid"])), [[10, 31], [31, 10]]);
        assert_eq!(distances(&phi(&[&cluster, "memory=cache"])), [[10]]);
    }
    let two = phi(&["cluster=snc2"]);
    assert_eq!(distances(&two), [[10, 21, 31, 41], [21, 10, 41, 31], [31, 41, 10, 41], [41, 31, 41, 10]]);
    let cores: Vec<usize> = two.machine.nodes.iter().map(|node| node.pus.len() / 4).collect();
    assert_eq!(cores, [34, 34, 0, 0]);
    assert_eq!(distances(&phi(&["cluster=snc2", "memory=cache"])), [[10, 21], [21, 10]]);
    let four = phi(&["cluster=snc4"]);
    assert_eq!(distances(&four)[1], [21, 10, 21, 21, 41, 31, 41, 41]);
    assert_eq!(distances(&four)[6], [41, 41, 31, 41, 41, 41, 10, 41]);
    let cores: Vec<usize> = four.machine.nodes.iter().map(|node| node.pus.len() / 4).collect();
    assert_eq!(cores, [18, 18, 16, 16, 0, 0, 0, 0]);
    assert_eq!(
        distances(&phi(&["cluster=snc4", "memory=cache"])),
        [[10, 21, 21, 21], [21, 10, 21, 21], [21, 21, 10, 21], [21, 21, 21, 10]]
    );
}

#[test]
fn mcdram_is_memory_or_a_cache_or_both() {
    let gib = zerohop_units::Bytes::gib;
    let sizes = |phi: &Hardware| -> Vec<_> { phi.machine.nodes.iter().map(|node| node.memory).collect() };
    let cache = |phi: &Hardware| -> Vec<SideCache> {
        phi.memories.iter().filter_map(|memory| memory.cache.clone()).collect()
    };
    let flat = phi(&[]);
    assert_eq!((sizes(&flat), cache(&flat)), (vec![gib(96), gib(16)], vec![]));
    assert!((flat.memory_peak(NodeId(1)).unwrap().get() - 460.8).abs() < 1e-9);
    assert!((flat.memory_peak(NodeId(0)).unwrap().get() - 115.2).abs() < 1e-9);
    let cached = phi(&["memory=cache"]);
    assert_eq!(sizes(&cached), [gib(96)]);
    assert_eq!((cache(&cached)[0].parameters.size, cache(&cached)[0].channels.len()), (gib(16), 8));
    assert_eq!(cached.machine.nodes[0].memory_side_caches[0].size, gib(16));
    assert_eq!(cache(&cached)[0].parameters.tag_read_by, TagReadBy::Request);
    assert_eq!(cache(&cached)[0].parameters.pages, PagesInUse::Scattered);
    assert_eq!(cache(&cached)[0].memory, gib(96));
    let hybrid = phi(&["memory=hybrid"]);
    assert_eq!((sizes(&hybrid), cache(&hybrid)[0].parameters.size), (vec![gib(96), gib(8)], gib(8)));
    assert_eq!(
        cache(&hybrid)[0].channels,
        hybrid.memory(NodeId(1)).unwrap().channels,
        "the same controllers"
    );
    let two = phi(&["cluster=snc2", "memory=hybrid"]);
    let sizes: Vec<_> = cache(&two).iter().map(|cache| cache.parameters.size).collect();
    assert_eq!(sizes, [gib(4); 2]);
    let four = phi(&["cluster=snc4", "memory=hybrid"]);
    let sizes: Vec<_> = cache(&four).iter().map(|cache| cache.parameters.size).collect();
    assert_eq!(sizes, [gib(2); 4]);
}

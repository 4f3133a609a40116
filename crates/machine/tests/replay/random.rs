//! Machines of any shape survive a round trip through the files that a kernel would show for them.

use proptest::prelude::*;
use zerohop_machine::{AccessClass, Capture, Machine, hwloc_xml, parse_hwloc_xml};

use crate::on_file::MACHINES;
use crate::plans;
use crate::sysfs::tree_of;

/// Up to eight nodes with any numbers, each with up to four cores of one, two or four threads, split into packages
/// anywhere between nodes; nodes may lack PUs or memory.
pub(crate) fn any_machine() -> impl Strategy<Value = Machine> {
    let node = (0usize..5, 0u64..2000, any::<bool>());
    let nodes = proptest::collection::btree_map(0u32..200, node, 1..8);
    let threads = prop_oneof![Just(1usize), Just(2), Just(4)];
    let distances = proptest::collection::vec(10u32..255, 64);
    (nodes, threads, distances)
        .prop_filter("a machine has a PU", |(nodes, ..)| nodes.values().any(|node| node.0 > 0))
        .prop_map(|(nodes, threads, distances)| {
            let mut next = 0;
            let mut lists: Vec<(u32, String, u64)> = Vec::new();
            let mut packages: Vec<Vec<String>> = Vec::new();
            for (number, (cores, mib, new_package)) in nodes {
                let pus: Vec<String> = (next..next + cores * threads).map(|pu| pu.to_string()).collect();
                next += cores * threads;
                if new_package || packages.is_empty() {
                    packages.push(Vec::new());
                }
                if let Some(package) = packages.last_mut() {
                    package.extend(pus.iter().cloned());
                }
                lists.push((number, pus.join(","), mib));
            }
            let nodes: Vec<_> = lists.iter().map(|(id, pus, mib)| (*id, pus.as_str(), *mib)).collect();
            let packages: Vec<String> =
                packages.iter().filter(|pus| !pus.is_empty()).map(|pus| pus.join(",")).collect();
            let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
            let mut machine = plans::machine(&nodes, &packages, threads);
            if let Some(matrix) = &mut machine.distances {
                let count = matrix.nodes.len();
                matrix.rows = (0..count).map(|row| distances[row * count..][..count].to_vec()).collect();
            }
            machine
        })
}

proptest! {
    #[test]
    fn a_machine_survives_its_files(machine in any_machine()) {
        let tree = tree_of(&machine);
        prop_assert_eq!(&Machine::load(&tree).unwrap(), &machine);
        let capture = Capture::record(&tree).unwrap();
        prop_assert_eq!(&Capture::from_json(&capture.to_json()).unwrap(), &capture);
        prop_assert_eq!(&Machine::load(&capture).unwrap(), &machine);
    }
}

/// The machine without anything that hwloc's XML cannot represent.
fn as_hwloc_represents_it(mut machine: Machine) -> Machine {
    let system = std::mem::take(&mut machine.system);
    machine.system.kernel = system.kernel;
    machine.system.base_page = system.base_page;
    machine.processor.instruction_sets.clear();
    machine.cores.iter_mut().for_each(|core| core.max_clock = None);
    machine.memory_devices.clear();
    machine.no_memory_devices = Some("hwloc's XML does not list DIMMs".to_owned());
    machine.access.retain(|access| access.class == AccessClass::NearestCpu);
    machine.gaps.clear();
    for node in &mut machine.nodes {
        node.free = node.memory;
        node.huge_pages.iter_mut().for_each(|pool| pool.free = pool.total);
    }
    // A matrix of one row carries no information.
    machine.distances = machine.distances.filter(|matrix| matrix.nodes.len() > 1);
    machine
}

fn survives_xml(machine: &Machine) {
    let mut read = parse_hwloc_xml(&hwloc_xml(machine)).unwrap();
    read.gaps.clear();
    assert_eq!(read, as_hwloc_represents_it(machine.clone()));
}

#[test]
fn machines_on_file_survive_xml() {
    MACHINES.iter().for_each(|(_, _, machine)| survives_xml(machine));
}

proptest! {
    #[test]
    fn a_machine_survives_xml(machine in any_machine()) {
        survives_xml(&machine);
    }
}

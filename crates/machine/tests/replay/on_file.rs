//! The odd machines in `tests/machines`: each file is generated from the plan of its machine, and loading the file gives
//! the planned machine.
//!
//! After a change of plans, `ZEROHOP_BLESS=1 cargo test -p zerohop-machine` regenerates the files.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::{env, fs};

use zerohop_machine::{Capture, Machine, NodeId, PackageId, PuSet};
use zerohop_units::Bytes;

use crate::sysfs::tree_of;
use crate::{dmi, plans};

const NODES: &str = "/sys/devices/system/node/";

/// Name, tree of files, and the machine that loading the tree must give.
pub(crate) static MACHINES: LazyLock<Vec<(&str, Capture, Machine)>> = LazyLock::new(|| {
    let planned = [
        ("quartet", plans::quartet()),
        ("sparse-node-numbers", plans::sparse_numbers()),
        ("memoryless-nodes", plans::memoryless_nodes()),
        ("cxl-expander", plans::cxl_expander()),
        ("xeon-phi-snc4-flat", plans::xeon_phi_flat()),
        ("xeon-phi-cached", plans::xeon_phi_cached()),
        ("offline-pus", plans::offline_pus()),
        ("one-pu-allowed", plans::one_pu_allowed()),
        ("arm-server", plans::arm_server()),
        ("asymmetric-distances", plans::asymmetric_distances()),
        ("twenty-four-nodes", plans::twenty_four_nodes()),
    ];
    let mut machines: Vec<_> =
        planned.into_iter().map(|(name, machine)| (name, tree_of(&machine), machine)).collect();
    let (tree, machine) = without_nodes();
    machines.push(("no-node-directory", tree, machine));
    let (tree, machine) = epyc_with_dimms();
    machines.push(("epyc-nps4", tree, machine));
    machines
});

/// The tree with some of its files changed or dropped.
pub(crate) fn changed(tree: &Capture, change: impl Fn(&str) -> Option<Option<String>>) -> Capture {
    let files = tree.files().filter_map(|(path, content)| match change(path) {
        None => Some((path.to_owned(), content.to_vec())),
        Some(content) => Some((path.to_owned(), content?.into_bytes())),
    });
    tree.directories().map(str::to_owned).fold(Capture::from_files(files), Capture::with_directory)
}

fn without_nodes() -> (Capture, Machine) {
    let mut machine = plans::machine(&[(0, "0-3", 1024)], &["0-3"], 2);
    let tree = changed(&tree_of(&machine), |path| path.starts_with(NODES).then_some(None));
    let meminfo = ("/proc/meminfo".to_owned(), b"MemTotal:  1048576 kB\nMemFree:   524288 kB\n".to_vec());
    let files = tree.files().map(|(path, content)| (path.to_owned(), content.to_vec()));
    let tree = Capture::from_files(files.chain([meminfo]));
    machine.distances = None;
    machine.nodes[0].huge_pages.clear();
    machine.gaps.insert(0, "nodes: no /sys/devices/system/node, so everything counts as node 0".to_owned());
    (tree, machine)
}

fn epyc_with_dimms() -> (Capture, Machine) {
    let mut machine = plans::epyc_nps4();
    let files = tree_of(&machine);
    let files = files.files().map(|(path, content)| (path.to_owned(), content.to_vec()));
    let table = ("/sys/firmware/dmi/tables/DMI".to_owned(), dmi::two_epyc_packages(12, 12));
    // What is on file is a capture, as a user would send it.
    let tree = Capture::record(&Capture::from_files(files.chain([table]))).unwrap();
    let loaded = Machine::load(&tree).unwrap();
    (machine.memory_devices, machine.no_memory_devices) = (loaded.memory_devices, loaded.no_memory_devices);
    machine.gaps.clear();
    (tree, machine)
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/machines").join(name).with_extension("json")
}

fn load(name: &str) -> Machine {
    Machine::load(&Capture::from_json(&fs::read_to_string(file(name)).unwrap()).unwrap()).unwrap()
}

fn list(pus: &str) -> PuSet {
    pus.parse().unwrap()
}

#[test]
fn files_are_as_planned() {
    for (name, tree, _) in &*MACHINES {
        if env::var_os("ZEROHOP_BLESS").is_some() {
            fs::write(file(name), tree.to_json() + "\n").unwrap();
        }
        let on_file = Capture::from_json(&fs::read_to_string(file(name)).unwrap()).unwrap();
        assert!(on_file == *tree, "{name}.json differs from its plan (ZEROHOP_BLESS=1 writes it anew)");
    }
}

#[test]
fn each_loads_as_the_machine_planned() {
    for (name, _, machine) in &*MACHINES {
        assert_eq!(load(name), *machine, "{name}");
    }
}

#[test]
fn a_capture_of_each_loads_as_the_same_machine() {
    for (name, tree, machine) in &*MACHINES {
        assert_eq!(Machine::load(&Capture::record(tree).unwrap()).unwrap(), *machine, "{name}");
    }
}

/// In a container of lxcfs that had the time of two CPUs and ran on 5 and 7, every measurement was refused: no CPU of the process was online.
#[test]
fn cpus_that_a_container_does_not_show_are_found_where_it_runs() {
    let machine = plans::quartet();
    let shown_in = |online: &str, allowed: &str| {
        let tree = changed(&tree_of(&machine), |path| match path {
            "/sys/devices/system/cpu/online" => Some(Some(format!("{online}\n"))),
            "/proc/self/status" => {
                Some(Some(format!("Cpus_allowed_list:\t{allowed}\nMems_allowed_list:\t0-3\n")))
            }
            _ => None,
        });
        let loaded = Machine::load(&tree).unwrap();
        let of = |allowed: bool| -> PuSet {
            loaded.pus.iter().filter(|pu| pu.allowed == allowed).map(|pu| pu.id).collect()
        };
        (of(true), of(false), loaded.gaps.iter().any(|gap| gap.starts_with("topology: ")))
    };
    assert_eq!(shown_in("0-1", "5,7"), (list("5,7"), list("0-4,6"), true));
    assert_eq!(shown_in("0-3", "0-7"), (list("0-7"), list(""), true));
    // That a process may run on CPUs which do not exist is usual.
    assert_eq!(shown_in("0-7", "0-63"), (list("0-7"), list(""), false));
}

#[test]
fn memory_that_is_not_initialized_yet_counts_where_its_node_is_known() {
    const MEMINFO: &str = "MemTotal: 4194304 kB\nMemFree: 3145728 kB\n";
    let loaded = |machine: &Machine| {
        let tree = tree_of(machine);
        let files = tree.files().map(|(path, content)| (path.to_owned(), content.to_vec()));
        let meminfo = ("/proc/meminfo".to_owned(), MEMINFO.into());
        Machine::load(&Capture::from_files(files.chain([meminfo]))).unwrap()
    };
    let one = loaded(&plans::machine(&[(0, "0-3", 1024)], &["0-3"], 2));
    assert_eq!((one.nodes[0].memory, one.nodes[0].free), (Bytes::gib(4), Bytes::gib(3)));
    let of_nodes = |machine: Machine| machine.gaps.into_iter().find(|gap| gap.starts_with("nodes:"));
    assert_eq!(of_nodes(one), None);
    let two = loaded(&plans::machine(&[(0, "0-1", 1024), (1, "2-3", 1024)], &["0-1", "2-3"], 2));
    assert_eq!(two.nodes[1].memory, Bytes::mib(1024));
    let gap =
        "nodes: they have 2 GiB of the machine's 4 GiB; the kernel may not have initialized the rest yet";
    assert_eq!(of_nodes(two).as_deref(), Some(gap));
}

#[test]
fn numbers_with_gaps_are_looked_up_not_indexed() {
    let machine = load("sparse-node-numbers");
    assert_eq!(machine.node(NodeId(45)).map(|node| node.memory), Some(Bytes::mib(256)));
    assert_eq!(machine.distances.unwrap().get(NodeId(72), NodeId(72)), Some(10));
}

#[test]
fn a_cpuset_leaves_what_may_be_used() {
    let machine = load("one-pu-allowed");
    assert_eq!(machine.initiators().map(|node| node.id).collect::<Vec<_>>(), [NodeId(2)]);
    assert_eq!(machine.targets().map(|node| node.id).collect::<Vec<_>>(), [NodeId(2)]);
    assert_eq!(machine.usable_pus(NodeId(2)), list("5"));
}

#[test]
fn nodes_without_memory_are_initiators_but_not_targets() {
    let machine = load("memoryless-nodes");
    assert_eq!(machine.initiators().count(), 4);
    assert_eq!(machine.targets().map(|node| node.id).collect::<Vec<_>>(), [NodeId(1), NodeId(2)]);
}

/// The kernel's lists of allowed nodes leave out those without memory: that was taken for a cpuset.
#[test]
fn nodes_without_memory_are_not_kept_from_a_process_by_a_cpuset() {
    let tree = &MACHINES.iter().find(|(name, ..)| *name == "memoryless-nodes").unwrap().1;
    let mems = |list: &str| {
        let files = tree.files().map(|(path, content)| (path.to_owned(), content.to_vec()));
        let status = ("/proc/self/status".to_owned(), format!("Mems_allowed_list:\t{list}\n").into_bytes());
        let kept = files.filter(|(path, _)| *path != status.0);
        let tree = tree
            .directories()
            .map(str::to_owned)
            .fold(Capture::from_files(kept.chain([status.clone()])), Capture::with_directory);
        Machine::load(&tree).unwrap().system.cpuset_mems
    };
    assert_eq!(mems("1-2"), None);
    assert_eq!(mems("2"), Some("2".to_owned()));
}

#[test]
fn distances_may_differ_by_direction() {
    let distances = load("asymmetric-distances").distances.unwrap();
    assert!(!distances.is_symmetric());
    assert_eq!(
        (distances.get(NodeId(0), NodeId(2)), distances.get(NodeId(2), NodeId(0))),
        (Some(17), Some(18))
    );
}

#[test]
fn twenty_four_dimms_of_ddr5_4800_on_two_packages_give_twice_the_published_peak() {
    let machine = load("epyc-nps4");
    let peak = machine.theoretical_bandwidth().unwrap();
    assert_eq!(format!("{:.1}", peak.total), "921.6 GB/s");
    let packages: Vec<_> = peak
        .packages
        .iter()
        .map(|part| (part.package, format!("{:.1}", part.bandwidth), part.channels))
        .collect();
    let expected = "460.8 GB/s".to_owned();
    assert_eq!(packages, [(PackageId(0), expected.clone(), 12), (PackageId(1), expected, 12)]);
    let text = fs::read_to_string(file("epyc-nps4")).unwrap();
    let hexadecimal: String = "SERIAL".bytes().map(|byte| format!("{byte:02x}")).collect();
    assert!(!text.contains(&hexadecimal), "serial numbers are not in a capture");
}

#[test]
fn without_sysfs_the_pus_come_from_the_processor_list() {
    let cpuinfo = "processor : 0\nprocessor : 1\n";
    let machine = Machine::load(&Capture::from_files([("/proc/cpuinfo", cpuinfo)])).unwrap();
    assert_eq!(machine.pus.len(), 2);
    assert_eq!(machine.cores.len(), 2);
    assert_eq!(machine.nodes[0].pus, list("0-1"));
    assert!(machine.gaps.iter().any(|gap| gap.starts_with("topology: no /sys")), "{:?}", machine.gaps);
    let error = Machine::load(&Capture::from_files::<String, String>([])).unwrap_err().to_string();
    assert!(error.contains("nor in /proc/cpuinfo"), "{error}");
}

#[test]
fn packages_without_a_number_are_distinguished_by_their_pus() {
    for unnumbered in ["-1\n", "65535\n", "4294967295\n"] {
        let tree = changed(&tree_of(&plans::quartet()), |path| {
            path.ends_with("physical_package_id").then(|| Some(unnumbered.to_owned()))
        });
        assert_eq!(Machine::load(&tree).unwrap().packages, plans::quartet().packages, "{unnumbered}");
    }
}

#[test]
fn old_kernels_have_other_names_for_the_sets() {
    let files = tree_of(&plans::xeon_phi_flat());
    let files = files.files().map(|(path, content)| {
        let path = path.replace("core_cpus", "thread_siblings").replace("package_cpus", "core_siblings");
        (path, content.to_vec())
    });
    let machine = Machine::load(&Capture::from_files(files)).unwrap();
    assert_eq!(machine.cores, plans::xeon_phi_flat().cores);
}

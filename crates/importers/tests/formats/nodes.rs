//! What `numactl --hardware` and `lscpu` say of machines, in the forms in which people pass it on.

use zerohop_importers::{Imported, import};
use zerohop_machine::{Machine, NodeId};
use zerohop_result::ResultFile;

use crate::inputs::*;

#[track_caller]
fn read(text: &str) -> Vec<Imported> {
    import("a.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn machines(text: &str) -> Vec<Machine> {
    read(text).into_iter().map(|one| one.result.machine).collect()
}

fn pus(machine: &Machine, node: u32) -> String {
    machine.node(NodeId(node)).map(|node| node.pus.to_string()).unwrap_or_default()
}

const ONE: &str = "# numactl -H\navailable: 2 nodes (0-1)\nnode 0 cpus: 0 1 8 9\nnode 0 size: 1000 MB\nnode 1 cpus: 2 3 10 11\n\
                   node 1 size: 1000 MB\nnode distances:\nnode   0   1\n  0:  10  16\n  1:  16  10\n";
const OTHER: &str = "# numactl -H\navailable: 1 nodes (0)\nnode 0 cpus: 0 1 2 3\nnode 0 size: 2000 MB\nnode distances:\nnode   0\n  0:  10\n";

fn lscpu(model: &str, nodes: &str) -> String {
    format!("# lscpu\nArchitecture:        any\nModel name:          {model}\n{nodes}")
}

/// The processor of the second machine, and its CPUs, were those of the first.
#[test]
fn the_processor_of_each_of_two_machines_is_its_own() {
    let first = lscpu("First 1", "NUMA node0 CPU(s):   0,1,8,9\nNUMA node1 CPU(s):   2,3,10,11\n");
    let second = lscpu("Second 2", "NUMA node0 CPU(s):   0-3\n");
    for text in [
        format!("{first}\n{ONE}\n{second}\n{OTHER}"),
        format!("{ONE}\n{first}\n{OTHER}\n{second}"),
        format!("{first}\n{second}\n{ONE}\n{OTHER}"),
    ] {
        let machines = machines(&text);
        let models: Vec<&str> = machines.iter().map(|machine| machine.processor.model.as_str()).collect();
        assert_eq!(models, ["First 1", "Second 2"], "{text}");
        assert_eq!((pus(&machines[0], 0).as_str(), pus(&machines[1], 0).as_str()), ("0-1,8-9", "0-3"));
    }
}

#[test]
fn a_processor_that_fits_no_nodes_is_named() {
    let machines = machines(&format!("{ONE}\n{}", lscpu("Other 3", "NUMA node0 CPU(s):   0-63\n")));
    assert_eq!((machines.len(), pus(&machines[0], 0).as_str()), (1, "0-1,8-9"));
    assert!(machines[0].gaps.iter().any(|gap| gap.contains("`Other 3`")), "{:?}", machines[0].gaps);
}

/// The whole text was refused, and `GB` with a remark behind it was MB.
#[test]
fn remarks_behind_the_fields_of_nodes_cost_nothing() {
    let text = "available: 2 nodes (0-1)\nnode 0 cpus: 0-31     # own\nnode 0 size: 128 GB   # DDR5\n\
                node 1 cpus:          # none\nnode 1 size: 512 GB   # CXL\n";
    let machine = &machines(text)[0];
    assert_eq!((pus(machine, 0).as_str(), pus(machine, 1).as_str()), ("0-31", ""));
    assert_eq!(machine.node(NodeId(1)).map(|node| node.memory.get()), Some(512 << 30));
}

/// The second was not understood.
#[test]
fn a_second_table_of_distances_is_another_state() {
    let four = "node distances:\nnode   0   1   2\n  0:  10  20  40\n  1:  20  10  40\n  2:  40  40  10\n";
    let two = "node distances:\nnode   0   1\n  0:  10  20\n  1:  20  10\n";
    let all = read(&format!("With all nodes:\n{four}\nWith two:\n{two}"));
    let sizes: Vec<usize> = all
        .iter()
        .map(|one| one.result.machine.distances.as_ref().map_or(0, |all| all.nodes.len()))
        .collect();
    assert_eq!(sizes, [3, 2]);
    assert_eq!(read(&format!("{two}\nand again\n{two}")).len(), 1);
}

#[test]
fn a_container_without_nodes_is_named() {
    let text = "$ numactl --hardware\navailable: 0 nodes ()\nNo distance information available.\n";
    let error = import("a.txt", text, None).unwrap_err().to_string();
    assert!(error.contains("expected a node at least") && error.contains("in line 2"), "{error}");
    // Beside values of another tool it is a remark.
    let both = format!("{text}\n{}", input("stream.txt"));
    assert_eq!(read(&both)[0].format.name(), "stream");
}

#[test]
fn lines_that_a_mailer_joined_are_read() {
    let text = "The output of 'numactl -H':\n\n$ numactl -H available: 1 nodes (0) node 0 cpus: 0 1 node 0 size: 812 MB\n\
                node 0 free: 681 MB node distances: node   0\n  0:  10\n";
    let machine = &machines(text)[0];
    assert_eq!((pus(machine, 0).as_str(), machine.nodes[0].memory.get()), ("0-1", 812 << 20));
    assert!(machine.distances.is_some());
}

#[test]
fn distances_may_have_a_line_for_each_node() {
    let machine = &machines("$ dump | grep dist\nnode dist 0: 10 11\nnode dist 2: 12 10\n")[0];
    let distances = machine.distances.as_ref().unwrap();
    assert_eq!(distances.get(NodeId(2), NodeId(0)), Some(12));
}

/// They were dropped without a word, and a cache in front of memory was one of the processor.
#[test]
fn kinds_of_memory_and_of_cpus_in_lstopos_xml_are_named() {
    let object = |attributes: &str, inside: &str| format!("<object {attributes}>{inside}</object>\n");
    let plain = input("lstopo.xml");
    let node = plain.find("type=\"NUMANode\"").unwrap();
    let mut text = plain.clone();
    text.insert_str(node, "subtype=\"HBM\" ");
    let end = text.rfind("</object>").unwrap();
    let devices =
        object("type=\"OSDev\" gp_index=\"901\" name=\"mem2\" subtype=\"CXLMem\" osdev_type=\"2\"", "");
    text.insert_str(end, &devices);
    let kind = |cpus: &str, name: &str| {
        format!("<cpukind cpuset=\"{cpus}\"><info name=\"CoreType\" value=\"{name}\"/></cpukind>\n")
    };
    let bandwidth = "<memattr name=\"Bandwidth\" flags=\"5\"><memattr_value value=\"20\"/></memattr>\n";
    let kinds = format!("{}{}{bandwidth}</topology>", kind("0x1", "Small"), kind("0x2", "Big"));
    let text = text.replace("</topology>", &kinds);
    let (left_out, file) = machines_of_xml(&text);
    for named in ["mem2 (CXLMem)", "HBM (node 0)", "Small, CPU mask 0x1; Big"] {
        assert!(left_out.iter().any(|what| what.contains(named)), "{named}: {left_out:?}");
    }
    assert!(warnings(&file).iter().any(|warning| warning.contains("no memory has 20 MB/s")));
    let core = plain.find("<object type=\"Core\"").unwrap();
    let end = core + plain[core..].find("</object>").unwrap();
    let cache = |subtype: &str| {
        let (mut text, set) = (plain.clone(), "0x00000001");
        text.insert_str(end, "</object>\n");
        let attributes = format!(
            "cpuset=\"{set}\" complete_cpuset=\"{set}\" gp_index=\"902\" depth=\"3\" cache_size=\"4096\""
        );
        text.insert_str(
            core,
            &format!("<object {subtype} type=\"L3Cache\" {attributes} cache_type=\"0\">\n"),
        );
        machines_of_xml(&text)
    };
    assert_eq!(cache("").1.machine.caches.len(), 1);
    let (left_out, file) = cache("subtype=\"MemorySideCache\"");
    assert_eq!(
        (left_out.as_slice(), file.machine.caches.len()),
        (["a cache of 4096 bytes in front of memory".to_owned()].as_slice(), 0)
    );
}

fn machines_of_xml(text: &str) -> (Vec<String>, ResultFile) {
    let one = import("a.xml", text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    (one.left_out, one.result)
}

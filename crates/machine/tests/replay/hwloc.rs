//! hwloc's XML as its different versions write it, and numbers that no machine has.

use zerohop_machine::{
    AccessClass, Capture, DistanceMatrix, Machine, NodeAccess, NodeId, PuId, hwloc_xml, parse_hwloc_xml,
};
use zerohop_units::{Bytes, Nanoseconds};

use crate::plans;

/// The PUs of each node, as text.
fn pus_of_nodes(machine: &Machine) -> Vec<(u32, String)> {
    machine.nodes.iter().map(|node| (node.id.0, node.pus.to_string())).collect()
}

/// Two nodes with a socket each, and one of memory alone, as hwloc 1.8 writes them: nodes contain sockets, caches have a
/// single type, distances are inside the machine object, and several levels have the same number of objects as nodes.
pub(crate) const VERSION_1: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc.dtd">
<topology>
  <object type="Machine" os_index="0" cpuset="0x0000000f" online_cpuset="0x0000000f" allowed_cpuset="0x00000007">
    <info name="OSRelease" value="2.6.32"/>
    <info name="HostName" value="old"/>
    <distances nbobjs="3" relative_depth="2" latency_base="1.000000">
      <latency value="7"/><latency value="7"/><latency value="7"/><latency value="7"/><latency value="7"/>
      <latency value="7"/><latency value="7"/><latency value="7"/><latency value="7"/>
    </distances>
    <distances nbobjs="3" relative_depth="1" latency_base="10.000000">
      <latency value="1.000000"/><latency value="2.100000"/><latency value="1.7"/>
      <latency value="2.100000"/><latency value="1.000000"/><latency value="1.4"/>
      <latency value="1.700000"/><latency value="1.400000"/><latency value="1.0"/>
    </distances>
    <object type="NUMANode" os_index="2" cpuset="0x00000003" local_memory="1073741824">
      <page_type size="4096" count="262144"/>
      <object type="Socket" os_index="0" cpuset="0x00000003">
        <info name="CPUModel" value="Old CPU"/>
        <object type="Cache" cpuset="0x00000003" cache_size="1048576" depth="2" cache_linesize="64">
          <object type="Core" os_index="0" cpuset="0x00000001"><object type="PU" os_index="0" cpuset="0x1"/></object>
          <object type="Core" os_index="1" cpuset="0x00000002"><object type="PU" os_index="1" cpuset="0x2"/></object>
        </object>
      </object>
    </object>
    <object type="NUMANode" os_index="0" cpuset="0x0000000c" local_memory="1073741824">
      <object type="Socket" os_index="1" cpuset="0x0000000c">
        <object type="Core" os_index="0" cpuset="0x0000000c">
          <object type="PU" os_index="2" cpuset="0x4"/><object type="PU" os_index="3" cpuset="0x8"/>
        </object>
      </object>
    </object>
    <object type="NUMANode" os_index="5" cpuset="0x0" local_memory="2147483648"/>
  </object>
</topology>
"#;

/// A machine without NUMA has no node in version 1; its memory belongs to the machine object.
pub(crate) const VERSION_1_OF_ONE_NODE: &str = r#"<topology><object type="Machine" os_index="0" cpuset="0x3" local_memory="1048576" nodeset="0xf...f">
        <page_type size="4096" count="256"/>
        <object type="PU" os_index="0" cpuset="0x1"/><object type="PU" os_index="1" cpuset="0x2"/>
        </object></topology>"#;

/// Version 3 stores information on the host beside the objects, and has another name for their numbers.
pub(crate) const VERSION_3: &str = r#"<topology version="3.0">
        <object type="Machine" os_index="0" cpuset="0x1" id="obj1">
          <object type="NUMANode" os_index="0" cpuset="0x1" local_memory="1048576" id="obj2"/>
          <object type="PU" os_index="0" cpuset="0x1" id="obj3"/>
        </object>
        <memattr name="Latency" flags="6">
          <memattr_value target_obj_gp_index="2" target_obj_type="NUMANode" value="90" initiator_cpuset="0x1"/>
        </memattr>
        <info name="OSRelease" value="6.12"/><info name="HostName" value="new"/></topology>"#;

#[test]
fn xml_of_version_1_is_read() {
    let machine = parse_hwloc_xml(VERSION_1).unwrap();
    let expected = [(0, "2-3"), (2, "0-1"), (5, "")].map(|(id, pus)| (id, pus.to_owned()));
    assert_eq!(pus_of_nodes(&machine), expected);
    assert_eq!(machine.nodes[2].memory, Bytes::gib(2));
    assert_eq!(machine.packages.len(), 2);
    assert_eq!(machine.cores.len(), 3);
    assert_eq!(machine.pus.iter().map(|pu| pu.allowed).collect::<Vec<_>>(), [true, true, true, false]);
    assert_eq!((machine.caches.len(), machine.caches[0].level), (1, 2));
    assert_eq!((machine.name.as_str(), machine.processor.model.as_str()), ("old", "Old CPU"));
    assert_eq!(machine.system.kernel.as_deref(), Some("2.6.32"));
    // The result is by node number; the text has another order.
    let distances = DistanceMatrix {
        nodes: [0, 2, 5].map(NodeId).to_vec(),
        rows: vec![vec![10, 21, 14], vec![21, 10, 17], vec![14, 17, 10]],
    };
    assert_eq!(machine.distances, Some(distances));
}

#[test]
fn a_machine_without_nodes_in_xml_of_version_1_is_one_node() {
    let machine = parse_hwloc_xml(VERSION_1_OF_ONE_NODE).unwrap();
    assert_eq!(pus_of_nodes(&machine), [(0, "0-1".to_owned())]);
    assert_eq!(machine.nodes[0].memory, Bytes::mib(1));
    assert!(machine.pus.iter().all(|pu| machine.node(pu.node).is_some()));
}

#[test]
fn xml_of_version_3_keeps_its_host_beside_the_objects() {
    let machine = parse_hwloc_xml(VERSION_3).unwrap();
    assert_eq!((machine.name.as_str(), machine.system.kernel.as_deref()), ("new", Some("6.12")));
    assert_eq!(machine.access[0].read_latency, Some(Nanoseconds(90.0)));
}

#[test]
fn numbers_that_no_machine_has_take_no_memory() {
    let text = r#"<topology version="2.0"><object type="Machine" cpuset="0x1">
        <object type="NUMANode" os_index="0" cpuset="0x1" local_memory="1048576"/>
        <object type="NUMANode" os_index="2147483648" cpuset="0x0" local_memory="1048576"/>
        <object type="PU" os_index="0" cpuset="0x1"/><object type="PU" os_index="2147483648" cpuset="0x2"/>
        </object></topology>"#;
    let machine = parse_hwloc_xml(text).unwrap();
    assert_eq!((machine.pus.len(), machine.nodes.len()), (1, 1));
    assert!(machine.gaps.iter().any(|gap| gap.contains("2147483648")), "{:?}", machine.gaps);
    assert!(hwloc_xml(&machine).len() < 10_000);

    let tree = Capture::from_files([
        ("/proc/cpuinfo", "processor : 0\nprocessor : 4294967294\n"),
        ("/sys/devices/system/node/node4294967294/meminfo", "Node 4294967294 MemTotal: 1 kB\n"),
        ("/sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 1 kB\n"),
    ]);
    let machine = Machine::load(&tree).unwrap();
    assert_eq!((machine.pus.len(), machine.nodes.len()), (1, 1));
    assert!(hwloc_xml(&machine).len() < 10_000);
}

/// A capacity beyond any machine's was shown as no memory at all.
#[test]
fn a_garbled_capacity_is_a_gap() {
    for garbled in ["18446744073709551615", "99999999999999999999", "much", "-1"] {
        let text = format!(
            r#"<topology version="2.0"><object type="Machine" cpuset="0x1">
            <object type="NUMANode" os_index="3" cpuset="0x1" local_memory="{garbled}"/>
            <object type="PU" os_index="0" cpuset="0x1"/></object></topology>"#
        );
        let machine = parse_hwloc_xml(&text).unwrap();
        assert!(machine.gaps.iter().any(|gap| gap.starts_with("memory of node 3")), "{:?}", machine.gaps);
    }
}

#[test]
fn endlessly_nested_caches_are_handled() {
    let caches: String = (0..20_000)
        .map(|level| {
            format!(
                "<object type=\"L{level}Cache\" cpuset=\"0x3\" cache_size=\"1\" depth=\"{}\"/>",
                level % 256
            )
        })
        .collect();
    let text = format!(
        "<topology version=\"2.0\"><object type=\"Machine\" cpuset=\"0x3\">{caches}<object type=\"PU\" \
         os_index=\"0\" cpuset=\"0x1\"/><object type=\"PU\" os_index=\"1\" cpuset=\"0x2\"/></object></topology>"
    );
    let machine = parse_hwloc_xml(&text).unwrap();
    assert!(machine.caches.len() <= 256);
    assert!(hwloc_xml(&machine).ends_with("</topology>\n"));
}

/// Two nodes with CPUs, one of memory alone, and one with only a generic initiator, to which the memory is nearest.
fn with_a_generic_initiator() -> Machine {
    let mut machine =
        plans::machine(&[(0, "0-3", 1024), (1, "4-7", 1024), (2, "", 512), (3, "", 0)], &["0-3", "4-7"], 1);
    let access = |class, initiator| NodeAccess {
        target: NodeId(2),
        initiators: vec![NodeId(initiator)],
        class,
        read_latency: Some(Nanoseconds(200.0)),
        write_latency: None,
        read_bandwidth: None,
        write_bandwidth: None,
    };
    machine.access = vec![access(AccessClass::Nearest, 3), access(AccessClass::NearestCpu, 1)];
    machine
}

#[test]
fn memory_nearest_to_a_generic_initiator_is_attached_to_the_nearest_cpus() {
    let machine = with_a_generic_initiator();
    let text = hwloc_xml(&machine);
    let node = text.lines().find(|line| line.contains("type=\"NUMANode\" os_index=\"2\"")).unwrap();
    assert!(node.contains(" cpuset=\"0x000000f0\""), "{node}");
    let read = parse_hwloc_xml(&text).unwrap();
    assert_eq!(read.access[0].initiators, [NodeId(1)]);
    assert!(read.pus.iter().all(|pu| pu.node != NodeId(2)));

    let only_generic = Machine { access: machine.access[..1].to_vec(), ..machine };
    let text = hwloc_xml(&only_generic);
    let node = text.lines().find(|line| line.contains("type=\"NUMANode\" os_index=\"2\"")).unwrap();
    assert!(!node.contains(" cpuset=\"0x00000000\""), "{node}");
    assert!(only_generic.pu(PuId(0)).is_some());
}

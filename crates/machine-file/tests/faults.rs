//! Faults as people write them, and machines with them.

use zerohop_machine::NodeId;
use zerohop_machine_file::{Fault, FaultError, Hardware, Library, LinkState, MachineFile, MeasuringFault};
use zerohop_units::{Bytes, TransfersPerSecond};

struct Nothing;

impl Library for Nothing {
    fn read(&self, _: &str, _: &str) -> Option<String> {
        None
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

fn built_in(name: &str) -> Hardware {
    let text = match name {
        "quartet" => include_str!("../../../machines/quartet.toml"),
        "cascade-lake-4s" => include_str!("../../../machines/cascade-lake-4s.toml"),
        "sr665-v3" => include_str!("../../../machines/sr665-v3.toml"),
        _ => include_str!("../../../machines/opteron-6274-4s.toml"),
    };
    let file = MachineFile::parse(name, text, &Nothing).unwrap_or_else(|error| panic!("{error}"));
    file.hardware().unwrap_or_else(|error| panic!("{error}"))
}

fn with(name: &str, fault: &str) -> Result<Hardware, FaultError> {
    built_in(name).inject(&fault.parse().unwrap())
}

#[test]
fn what_is_printed_is_read_again() {
    for text in [
        "link:0-1=x8",
        "link:AX-BX=down",
        "link:0-1=9.6GT/s",
        "channels:node1=1",
        "slow-dimm:node0=4000",
        "interleaving=on",
        "nps=0",
        "data-on-one-node",
        "noise=busy",
        "pages=4k",
        "vm=steal",
        "threshold=20",
    ] {
        let fault: Fault = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(fault.to_string(), text);
    }
    let slow: Fault = "slow-dimm:node2=4.8 GT/s".parse().unwrap();
    assert_eq!(slow, Fault::SlowDimm { node: NodeId(2), rate: TransfersPerSecond(4.8e9) });
    let bare: Fault = "link:0-1=8".parse().unwrap();
    assert!(
        matches!(bare, Fault::Link { state: LinkState::Rate(rate), .. } if rate == TransfersPerSecond(8e9))
    );
}

#[test]
fn what_is_no_fault_is_refused_with_the_forms_of_faults() {
    for text in [
        "",
        "link",
        "link:0=x8",
        "link:0-1=x0",
        "link:0-1=wide",
        "channels:1=1",
        "nps=4",
        "noise=calm",
        "threshold=0",
    ] {
        let error = text.parse::<Fault>().unwrap_err().to_string();
        assert!(
            error.contains("(expected link:A-B=x8") && error.starts_with("invalid fault"),
            "{text}: {error}"
        );
    }
}

/// A DIMM of 1 MT/s was simulated, for 5 µs of idle latency.
#[test]
fn what_no_dimm_and_no_link_runs_at_is_refused() {
    for (machine, fault, found) in [
        ("quartet", "slow-dimm:node0=1", "the memory of node 0 runs at 400 MT/s"),
        ("cascade-lake-4s", "slow-dimm:node1=2.4", "the minimum is a tenth of that"),
        ("sr665-v3", "link:0-1=0.001", "the minimum is a thousandth of that"),
    ] {
        let error = with(machine, fault).unwrap_err();
        assert!(error.to_string().contains(found), "{fault}: {error}");
        assert!(error.hint().contains("higher value"), "{}", error.hint());
    }
    assert!(with("quartet", "slow-dimm:node0=100").is_ok() && with("sr665-v3", "link:0-1=2 GT/s").is_ok());
}

#[test]
fn a_link_is_found_by_nodes_or_routers_and_loses_its_share() {
    let capacity = |hardware: &Hardware, name: &str| {
        hardware.links.iter().find(|link| link.name == name).map(|link| link.capacity.get())
    };
    assert_eq!(capacity(&with("quartet", "link:0-1=x8").unwrap(), "0-1"), Some(2.0));
    assert_eq!(capacity(&with("quartet", "link:1-0=1 GT/s").unwrap(), "0-1"), Some(2.0));
    let healthy = capacity(&built_in("sr665-v3"), "AX-BX").unwrap();
    for fault in ["link:0-1=x8", "link:AX-BX=x8"] {
        assert_eq!(capacity(&with("sr665-v3", fault).unwrap(), "AX-BX"), Some(healthy / 2.0));
    }
    let down = with("sr665-v3", "link:0-1=down").unwrap();
    let link = down.links.iter().find(|link| link.name == "AX-BX").unwrap();
    assert_eq!((link.wires, link.capacity.get()), (3, healthy * 0.75));
}

#[test]
fn packets_go_round_a_link_that_is_down_and_all_others_as_before() {
    let healthy = built_in("cascade-lake-4s");
    let down = with("cascade-lake-4s", "link:0-1=down").unwrap();
    assert_eq!(down.links.len(), 5);
    assert_eq!(down.hops(NodeId(0), NodeId(1)), Some(2));
    for (from, to) in [(0, 2), (2, 0), (1, 3), (2, 3)] {
        let names = |hardware: &Hardware| -> Vec<String> {
            hardware.path(from, to).iter().map(|link| hardware.links[link.link()].name.clone()).collect()
        };
        assert_eq!(names(&down), names(&healthy));
    }
    let error =
        with("quartet", "link:0-1=down").unwrap().inject(&"link:2-3=down".parse().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "without link `3-2`, some parts of this machine cannot reach each other");
}

#[test]
fn channels_that_do_not_work_take_their_memory_along() {
    let healthy = built_in("cascade-lake-4s");
    let lame = with("cascade-lake-4s", "channels:node1=4").unwrap();
    assert_eq!(lame.memory(NodeId(1)).unwrap().channels.len(), 4);
    assert_eq!(lame.machine.nodes[1].memory, Bytes::gib(128));
    assert_eq!(lame.machine.nodes[0], healthy.machine.nodes[0]);
    let dimms = |hardware: &Hardware| {
        hardware.machine.memory_devices.iter().filter(|dimm| dimm.size > Bytes(0)).count()
    };
    assert_eq!((dimms(&healthy), dimms(&lame)), (24, 22));
    let none = with("cascade-lake-4s", "channels:node1=0").unwrap();
    assert_eq!((none.memory(NodeId(1)), none.machine.nodes[1].memory), (None, Bytes(0)));
}

/// A line's home agent was at another router than its channel: idle latency rose by 8 %, which no machine with fewer channels has.
#[test]
fn a_home_agent_beside_a_channel_that_does_not_work_has_no_lines() {
    let routers = |hardware: &Hardware| {
        let memory = hardware.memory(NodeId(1)).unwrap();
        let homes: Vec<usize> = memory.homes.iter().map(|&home| hardware.homes[home].router).collect();
        let channels: Vec<usize> =
            memory.channels.iter().map(|&channel| hardware.channels[channel].router).collect();
        (homes, channels)
    };
    let (homes, channels) = routers(&with("sr665-v3", "channels:node1=11").unwrap());
    assert_eq!((homes.len(), &homes), (11, &channels));
    // Home agents that serve several channels of their router stay.
    let lame = with("cascade-lake-4s", "channels:node1=4").unwrap();
    assert_eq!(routers(&lame).0, routers(&built_in("cascade-lake-4s")).0);
}

#[test]
fn a_slow_dimm_slows_all_channels_of_its_node() {
    let slow = with("cascade-lake-4s", "slow-dimm:node0=2400").unwrap();
    let rate = |node: u32| {
        let channel = slow.memory(NodeId(node)).unwrap().channels[0];
        slow.channels[channel].bandwidth.get() * 1000.0 / 8.0
    };
    assert!((rate(0) - 2400.0).abs() < 1.0 && (rate(1) - 2933.0).abs() < 1.0);
    assert_eq!(slow.machine.memory_devices[0].configured, Some(TransfersPerSecond(2400e6)));
}

#[test]
fn interleaving_shows_one_node_that_has_everything() {
    for (name, fault) in
        [("quartet", "interleaving=on"), ("cascade-lake-4s", "interleaving=on"), ("sr665-v3", "nps=0")]
    {
        let healthy = built_in(name);
        let merged = with(name, fault).unwrap();
        let [node] = merged.machine.nodes.as_slice() else { panic!("{name}") };
        assert_eq!(node.memory, healthy.machine.nodes.iter().map(|node| node.memory).sum());
        assert_eq!(merged.memory(node.id).unwrap().channels.len(), healthy.channels.len());
        assert!(merged.machine.pus.iter().all(|pu| pu.node == node.id));
        assert_eq!(merged.machine.packages, healthy.machine.packages);
    }
}

#[test]
fn faults_are_named_by_the_machine_and_known_to_engines() {
    let faulty = with("quartet", "vm=steal").unwrap().inject(&"threshold=7".parse().unwrap()).unwrap();
    assert_eq!(faulty.machine.faults, ["vm=steal", "threshold=7"]);
    assert_eq!(MeasuringFault::among(&faulty.machine.faults), [MeasuringFault::Steal]);
    assert!(faulty.homes.iter().all(|home| home.parameters.outbound_limit == Some(7)));
    assert_eq!(faulty.machine.system.hypervisor.as_deref(), Some("KVM"));
}

#[test]
fn a_fault_that_a_machine_cannot_have_says_why() {
    for (name, fault, message, hint) in [
        ("quartet", "channels:node7=1", "this machine has no node 7", "its nodes are 0, 1, 2, 3"),
        ("quartet", "link:0-3=x8", "no link of this machine joins `0` and `3`", "0-1, 1-3, 3-2, 2-0"),
        ("quartet", "link:0-1=x16", "link `0-1` has 16 lanes, so this is not a fault", "lower"),
        ("quartet", "channels:node1=1", "node 1 has 1 channel, so this is not a fault", "lower"),
        ("cascade-lake-4s", "slow-dimm:node0=3200", "the memory of node 0 runs at 2933 MT/s", "lower"),
        ("cascade-lake-4s", "nps=0", "NPS is a setting of AMD processors", "machine show"),
    ] {
        let error = with(name, fault).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.hint().contains(hint), "{}", error.hint());
    }
}

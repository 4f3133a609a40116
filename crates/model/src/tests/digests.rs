//! Counts of events, lines and bytes that change with any difference in what is simulated: making the engine faster
//! must not change a single one. A change to what is simulated may, and then says so.

use std::sync::Arc;
use std::time::Duration;

use zerohop_machine::{NodeId, PuId};
use zerohop_machine_file::MachineFile;
use zerohop_units::Bytes;
use zerohop_workload::{
    Access, Activity, Demand, Kernel, Pages, Placement, Prepared, Role, Worker, Workload,
};

use crate::ModelEngine;

const TWO_SOCKETS: &str = include_str!("../../benches/two-sockets.toml");

/// Changes to the two-socket machine's text, by name: each takes packets along other paths through the engine.
const MACHINES: [(&str, &[(&str, &str)]); 12] = [
    ("directory", &[]),
    (
        "slow banks",
        &[("row_miss = \"0 ns\"", "row_miss = \"30 ns\""), ("row_cycle = \"0 ns\"", "row_cycle = \"45 ns\"")],
    ),
    (
        "credits",
        &[("credit = \"0 B\"", "credit = \"2 B\""), ("request = 32, write = 32", "request = 3, write = 2")],
    ),
    ("requester collects", &[(DIRECTORY, REQUESTER_COLLECTS), ("credit = \"0 B\"", "credit = \"1.5 B\"")]),
    ("home collects", &[(DIRECTORY, HOME_COLLECTS)]),
    ("retries", &[("128", "24"), ("\"wait\"", "\"retry\"\nretry_delay = \"40 ns\"")]),
    ("recirculation", &[("128", "24"), ("\"wait\"", "\"recirculate\"\nretry_delay = \"5 ns\"")]),
    (
        "packets inserted",
        &[(DIRECTORY, HOME_COLLECTS), ("latency = \"20 ns\"", "latency = \"20 ns\"\ncontrol = \"inserted\"")],
    ),
    ("wires apart", &[("latency = \"20 ns\"", "latency = \"20 ns\"\nnetworks = \"separate\"")]),
    ("held until sent", &[("\"wait\"", "\"wait\"\nrelease = \"sent\"\nrequests_in_a_row = 4")]),
    ("limited exit", &[("\"wait\"", "\"wait\"\noutbound_limit = 20")]),
    ("limited channel", &[("access = \"50 ns\"", "access = \"50 ns\"\nqueue = 12")]),
];

const DIRECTORY: &str = "kind = \"directory\"\nlookup = \"0 ns\"";
const REQUESTER_COLLECTS: &str = "kind = \"broadcast\"\nlookup = \"20 ns\"\ncollector = \"requester\"";
const HOME_COLLECTS: &str = "kind = \"broadcast\"\nlookup = \"20 ns\"\ncollector = \"home\"";

/// Readers, writers and a chase, near and far, and one worker whose next line is beyond the calendar's span.
fn workload() -> Workload {
    let kernels = [Kernel::Read, Kernel::Triad, Kernel::Read, Kernel::CopyNt, Kernel::Mix1To1];
    let worker = |pu: u32| Worker {
        pu: PuId(pu),
        role: Role::Foreground,
        placement: Placement::Node(NodeId(u32::from(pu.is_multiple_of(3)))),
        buffer: Bytes::mib(64),
        activity: match pu {
            31 => Activity::Chase { chains: 2, pages: None },
            _ => Activity::Kernel { kernel: kernels[pu as usize % 5], access: Access::Sequential },
        },
        demand: if pu == 30 { Demand::Delay(5_000) } else { Demand::Unlimited },
    };
    Workload { workers: (0..32).map(worker).collect(), pages: Pages::Best, instruction_set: None }
}

/// Events, lines, and a number of all bytes and steps of all workers in their order.
fn digest(changes: &[(&str, &str)]) -> [u64; 3] {
    let text = changes.iter().fold(TWO_SOCKETS.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from} is not in the machine's text");
        text.replace(from, to)
    });
    let hardware = MachineFile::parse("digest.toml", &text, &()).and_then(|file| file.hardware());
    let hardware = hardware.expect("the machine is valid");
    let mut prepared = ModelEngine::new(Arc::new(hardware), 3).place(&workload()).expect("the workload fits");
    let sample = prepared.sample(Duration::from_micros(25)).expect("nothing interrupts it");
    let each = sample.workers.iter().flat_map(|worker| {
        let done = &worker.in_window;
        [done.bytes.get(), done.bus_bytes.get(), done.steps.to_bits()]
    });
    // FNV-1a, a word at a time.
    let all =
        each.fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3));
    [prepared.events(), prepared.lines(), all]
}

#[test]
fn a_faster_engine_simulates_the_same() {
    let expected: [(&str, [u64; 3]); 12] = [
        ("directory", [216_749, 62_269, 0xc589_dc1b_797d_49e4]),
        ("slow banks", [219_993, 62_514, 0x159e_970c_6839_111f]),
        ("credits", [481_865, 201_276, 0xd245_7b85_535a_c634]),
        ("requester collects", [287_724, 62_064, 0x5cad_7594_5853_7f4b]),
        ("home collects", [289_560, 62_415, 0x8533_068b_bbc9_4163]),
        ("retries", [1_259_358, 113_778, 0x31b3_7b46_15b4_f578]),
        ("recirculation", [491_326, 60_682, 0xb190_36f7_f60a_99aa]),
        ("packets inserted", [300_447, 62_407, 0x42bd_3f4d_5a61_7987]),
        ("wires apart", [212_965, 62_300, 0x5d5f_e831_a5c1_702b]),
        ("held until sent", [320_349, 62_305, 0x6027_416b_caf8_b6ea]),
        ("limited exit", [282_102, 114_340, 0x5f4f_fa4a_849d_50fc]),
        ("limited channel", [163_760, 47_741, 0xa172_d430_7ab1_9bbf]),
    ];
    for ((name, changes), expected) in MACHINES.into_iter().zip(expected) {
        assert_eq!((name, digest(changes)), expected, "events, lines, and all bytes and steps");
    }
}

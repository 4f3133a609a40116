//! Counts of events, lines and bytes that change with any difference in what is simulated: making the engine faster
//! must not change a single one. A change to what is simulated may, and then says so.

use std::sync::Arc;
use std::time::Duration;

use zerohop_machine::{MachineFile, NodeId, PuId};
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
        ("directory", [216_749, 62_269, 0xd2c6_6a3e_ba29_5e6b]),
        ("slow banks", [219_993, 62_514, 0xbf9d_5058_ae5f_a884]),
        ("credits", [481_865, 201_276, 0xb449_5114_eb81_bb9d]),
        ("requester collects", [287_724, 62_064, 0x9669_e88a_3b20_9bf4]),
        ("home collects", [289_560, 62_415, 0xa962_ada9_9d58_7550]),
        ("retries", [1_259_358, 113_778, 0xe271_f730_6244_a401]),
        ("recirculation", [491_326, 60_682, 0x54e8_709d_5431_a428]),
        ("packets inserted", [300_447, 62_407, 0xfcc5_c968_7a07_5ce2]),
        ("wires apart", [212_965, 62_300, 0x3164_687c_9c34_2b51]),
        ("held until sent", [320_349, 62_305, 0x31cf_d3e4_c8b8_d921]),
        ("limited exit", [282_102, 114_340, 0xe696_a9e6_57de_217f]),
        ("limited channel", [163_760, 47_741, 0x59a0_dad0_c93e_e2f1]),
    ];
    for ((name, changes), expected) in MACHINES.into_iter().zip(expected) {
        assert_eq!((name, digest(changes)), expected, "events, lines, and all bytes and steps");
    }
}

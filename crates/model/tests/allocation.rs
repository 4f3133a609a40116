//! The event loop allocates nothing: a sample makes as many allocations as it has parts, however long it is.

use std::sync::Arc;
use std::time::Duration;

use allocation_counter::measure;
use zerohop_machine::{NodeId, PuId};
use zerohop_machine_file::MachineFile;
use zerohop_model::ModelEngine;
use zerohop_units::Bytes;
use zerohop_workload::{Access, Activity, Demand, Engine, Kernel, Pages, Placement, Role, Worker, Workload};

const QUARTET: &str = include_str!("../../../machines/quartet.toml");

/// Eight workers that read, write, update and store past the caches, near and far; one of them so rarely that its
/// next line is beyond the timing wheel's span.
fn workload() -> Workload {
    let kernels = [Kernel::Read, Kernel::Write, Kernel::Mix1To1, Kernel::CopyNt];
    let workers = (0..8u32).map(|pu| Worker {
        pu: PuId(pu),
        role: Role::Foreground,
        placement: Placement::Node(NodeId(pu * 3 % 4)),
        buffer: Bytes::mib(64),
        activity: Activity::Kernel { kernel: kernels[pu as usize % 4], access: Access::Sequential },
        demand: if pu == 5 { Demand::Delay(20_000) } else { Demand::Unlimited },
    });
    Workload { workers: workers.collect(), pages: Pages::Best, instruction_set: None }
}

#[test]
fn a_sample_ten_times_as_long_allocates_no_more() {
    let hardware = MachineFile::parse("quartet.toml", QUARTET, &()).unwrap().hardware().unwrap();
    let mut engine = ModelEngine::new(Arc::new(hardware), 1);
    let mut prepared = engine.prepare(&workload()).unwrap();
    let mut allocations = |microseconds| {
        let mut lines = 0;
        let counted = measure(|| {
            let sample = prepared.sample(Duration::from_micros(microseconds)).unwrap();
            lines = sample.workers.iter().map(|worker| worker.in_window.bytes.get() / 64).sum();
        });
        (counted.count_total, lines)
    };
    let (short, few) = allocations(50);
    let (long, many) = allocations(500);
    assert!(many > 8 * few, "{few} lines, then {many} lines");
    assert_eq!(short, long, "allocations of {few} lines and of {many} lines differ");
    assert!(short > 0, "a sample consists of lists, which must be counted");
}

//! Machines and programs for tests.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use zerohop_advise::placement::{
    Candidate, DataUse, FlowGround, Memory, PlacementAdvice, Program, Sensitivity, Source, advise, symmetries,
};
use zerohop_machine::{Hardware, MachineFile, NodeId};
use zerohop_units::Bytes;
use zerohop_workload::{Access, Kernel, Origin, StopFlag};

/// A machine that comes with the program.
pub(crate) fn machine(name: &str) -> Arc<Hardware> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../machines/{name}.toml"));
    let text = fs::read_to_string(&path).unwrap();
    Arc::new(MachineFile::parse(&format!("{name}.toml"), &text, &()).unwrap().hardware().unwrap())
}

pub(crate) fn ground(hardware: &Arc<Hardware>) -> FlowGround {
    FlowGround::new(Arc::clone(hardware), 1, StopFlag::new())
}

/// A program that reads, and needs bandwidth.
pub(crate) fn program(threads: usize, data: DataUse) -> Program {
    Program {
        threads,
        data,
        bytes: Bytes::gib(1),
        kernel: Kernel::Read,
        access: Access::Sequential,
        sensitivity: Sensitivity::Bandwidth,
        thread_nodes: Vec::new(),
        background: Vec::new(),
    }
}

/// Advice by mean-value analysis.
pub(crate) fn advice(name: &str, program: &Program) -> PlacementAdvice {
    let hardware = machine(name);
    let source = Source { origin: Origin::HOST, result: None };
    advise(program, source, &mut ground(&hardware), None, &symmetries(&hardware)).unwrap()
}

pub(crate) fn placement(threads: &[(u32, usize)], memory: Memory) -> Candidate {
    Candidate { threads: threads.iter().map(|&(node, threads)| (NodeId(node), threads)).collect(), memory }
}

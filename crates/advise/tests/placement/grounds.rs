//! Machines and programs for tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use zerohop_advise::placement::{
    AdviceError, Candidate, DataUse, Evaluator, FlowEvaluator, Memory, Outcome, PlacementAdvice, Program,
    Sensitivity, Source, advise,
};
use zerohop_machine::{Machine, NodeId};
use zerohop_machine_file::{Hardware, MachineFile, symmetries};
use zerohop_units::Bytes;
use zerohop_workload::{Access, Kernel, Origin, StopFlag};

/// A machine that comes with the program.
pub(crate) fn machine(name: &str) -> Arc<Hardware> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../machines/{name}.toml"));
    let text = fs::read_to_string(&path).unwrap();
    Arc::new(MachineFile::parse(&format!("{name}.toml"), &text, &()).unwrap().hardware().unwrap())
}

/// What a search of a machine that comes with the program computes. Many tests look for the best of the same placements: each is computed
/// once.
pub(crate) struct SharedGround(FlowEvaluator);

pub(crate) fn ground(hardware: &Arc<Hardware>) -> SharedGround {
    SharedGround(FlowEvaluator::new(Arc::clone(hardware), 1, StopFlag::new()))
}

impl Evaluator for SharedGround {
    fn machine(&self) -> &Machine {
        self.0.machine()
    }

    fn outcome(&mut self, program: &Program, candidate: &Candidate) -> Result<Outcome, AdviceError> {
        static KNOWN: Mutex<BTreeMap<String, Outcome>> = Mutex::new(BTreeMap::new());
        let Machine { name, faults, .. } = self.machine();
        let key = format!("{name} {faults:?} {program:?} {candidate:?}");
        let known = KNOWN.lock().unwrap().get(&key).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let outcome = self.0.outcome(program, candidate)?;
        KNOWN.lock().unwrap().insert(key, outcome.clone());
        Ok(outcome)
    }

    fn unknown(&self, program: &Program) -> Vec<String> {
        self.0.unknown(program)
    }
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

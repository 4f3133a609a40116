//! What is refused, and how that can be mended.

use zerohop_advise::placement::{
    AdviceError, Background, Candidate, DataUse, Evaluator, Outcome, Program, search,
};
use zerohop_machine::{Machine, NodeId};
use zerohop_units::Bytes;

use crate::grounds::{ground, machine, program};

fn refusal(program: &Program) -> AdviceError {
    let hardware = machine("quartet");
    let error = search(program, &mut ground(&hardware), &[]).unwrap_err();
    assert!(error.hint().is_some(), "{error}");
    error
}

#[test]
fn more_threads_than_cpus_are_refused() {
    let error = refusal(&program(9, DataUse::Private));
    assert_eq!(error.to_string(), "9 threads do not fit on 8 free CPUs of this machine");
    let background = vec![Background { node: NodeId(2), threads: 2, rate: None }];
    let error = refusal(&Program { background, ..program(7, DataUse::Private) });
    assert_eq!(error, AdviceError::TooManyThreads { threads: 7, cpus: 6 });
}

#[test]
fn more_data_than_memory_is_refused() {
    let error = refusal(&Program { bytes: Bytes::gib(9), ..program(2, DataUse::Shared) });
    assert_eq!(error.to_string(), "9 GiB of data do not fit in 8 GiB of memory");
}

#[test]
fn nodes_that_are_not_there_are_refused() {
    let error = refusal(&Program { thread_nodes: vec![NodeId(7)], ..program(2, DataUse::Shared) });
    assert!(error.to_string().contains("node 7"), "{error}");
}

#[test]
fn a_machine_without_known_cpus_is_refused() {
    let hardware = machine("quartet");
    let mut bare = hardware.machine.clone();
    bare.pus.clear();
    let error = search(&program(2, DataUse::Shared), &mut Bare(bare), &[]).unwrap_err();
    assert_eq!(error, AdviceError::NoCpus);
    assert!(error.hint().unwrap().contains("zerohop survey"));
}

/// A machine of which nothing else is known.
struct Bare(Machine);

impl Evaluator for Bare {
    fn machine(&self) -> &Machine {
        &self.0
    }

    fn outcome(&mut self, _: &Program, candidate: &Candidate) -> Result<Outcome, AdviceError> {
        panic!("{candidate:?} was computed")
    }

    fn unknown(&self, _: &Program) -> Vec<String> {
        Vec::new()
    }
}

#[test]
fn data_that_fits_no_single_node_prefers_one_or_is_spread() {
    let hardware = machine("cascade-lake-4s");
    let large = Program { bytes: Bytes::gib(480), ..program(4, DataUse::Shared) };
    let found = search(&large, &mut ground(&hardware), &[]).unwrap();
    for (candidate, _) in &found.ranked {
        assert!(candidate.bytes(&large).len() > 1, "{candidate:?}");
    }
}

//! The search against all placements, and symmetric placements.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use zerohop_advise::placement::{
    AdviceError, Background, Candidate, DataUse, Evaluator, Figure, Memory, Outcome, Program, Sensitivity,
    SurveyEvaluator, search,
};
use zerohop_experiment::catalogue;
use zerohop_machine::{Machine, NodeId};
use zerohop_machine_file::{Hardware, symmetries};
use zerohop_result::ResultFile;

use crate::grounds::{ground, machine, placement, program};
use crate::surveys::survey;

/// All ways to put threads on nodes with a capacity each, without any cleverness.
pub(crate) fn all_counts(nodes: &[(NodeId, usize)], threads: usize) -> Vec<BTreeMap<NodeId, usize>> {
    let mut all = vec![BTreeMap::new()];
    for &(node, capacity) in nodes {
        all = all
            .into_iter()
            .flat_map(|begun: BTreeMap<NodeId, usize>| {
                (0..=capacity).map(move |here| {
                    let mut next = begun.clone();
                    next.extend((here > 0).then_some((node, here)));
                    next
                })
            })
            .collect();
    }
    all.retain(|counts| counts.values().sum::<usize>() == threads);
    all
}

/// All policies without weights.
pub(crate) fn all_policies(nodes: &[NodeId], data: DataUse, counts: &BTreeMap<NodeId, usize>) -> Vec<Memory> {
    let mut all: Vec<Memory> = nodes.iter().map(|&node| Memory::OnNode { node }).collect();
    if data == DataUse::Private {
        all.push(Memory::Local);
        for (&threads_on, &threads) in counts {
            let idle = nodes.iter().filter(|node| threads > 1 && !counts.contains_key(node));
            all.extend(idle.map(|&node| Memory::Apart { threads_on, node }));
        }
    }
    for bits in 1u32..1 << nodes.len() {
        let chosen = nodes.iter().enumerate().filter(|(rank, _)| bits >> rank & 1 == 1);
        let nodes: Vec<NodeId> = chosen.map(|(_, node)| *node).collect();
        if nodes.len() > 1 {
            all.push(Memory::Interleaved { nodes });
        }
    }
    all
}

fn best_of_all(program: &Program, ground: &mut dyn Evaluator) -> f64 {
    let nodes: Vec<NodeId> = ground.machine().targets().map(|node| node.id).collect();
    let free = |node: NodeId| ground.machine().usable_cores(node).len() - program.background_on(node);
    let capacity: Vec<(NodeId, usize)> = nodes.iter().map(|&node| (node, free(node))).collect();
    let mut best = f64::NAN;
    for threads in all_counts(&capacity, program.threads) {
        for memory in all_policies(&nodes, program.data, &threads) {
            let value = ground
                .outcome(program, &Candidate { threads: threads.clone(), memory })
                .unwrap()
                .figure
                .value;
            let is_better = best.is_nan() || program.sensitivity.times(value, best) > 1.0;
            best = if is_better { value } else { best };
        }
    }
    best
}

/// A ground in which nothing is random and every node has a cost of its own: what matrices say.
fn matrices() -> ResultFile {
    survey(&machine("quartet"), &["latency-matrix", "bandwidth-matrix"])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_search_finds_what_all_placements_have_as_their_best(
        threads in 1usize..=8,
        shared in any::<bool>(),
        latency in any::<bool>(),
        background in 0usize..=1,
    ) {
        static MATRICES: OnceLock<ResultFile> = OnceLock::new();
        let threads = threads.min(8 - background);
        let program = Program {
            sensitivity: if latency { Sensitivity::Latency } else { Sensitivity::Bandwidth },
            background: (0..background).map(|_| Background { node: NodeId(1), threads: 1, rate: None }).collect(),
            ..program(threads, if shared { DataUse::Shared } else { DataUse::Private })
        };
        let matrices = MATRICES.get_or_init(matrices);
        let mut ground = SurveyEvaluator::new("matrices", &[matrices], catalogue(), &program).unwrap();
        let found = search(&program, &mut ground, &[]).unwrap();
        prop_assert!(found.exhaustive);
        let all = best_of_all(&program, &mut ground);
        // Among those nearly as good as the best, the rules choose; weights may find better ones.
        let best = found.ranked[0].1.figure.value;
        prop_assert!(program.sensitivity.times(best, all) >= 0.97, "{best} {all} {:?}", found.ranked[0]);
    }
}

#[test]
fn the_search_on_a_model_finds_what_all_placements_have_as_their_best() {
    let hardware = machine("quartet");
    for (threads, data) in [(3, DataUse::Private), (2, DataUse::Shared)] {
        let program = program(threads, data);
        let found = search(&program, &mut ground(&hardware), &symmetries(&hardware)).unwrap();
        let all = best_of_all(&program, &mut ground(&hardware));
        // Where placements are simulated, like ones differ by their random numbers.
        let times = program.sensitivity.times(found.ranked[0].1.figure.value, all);
        assert!(times >= 0.93, "{times} {:?}", found.ranked[0]);
    }
}

#[test]
fn a_square_can_be_mirrored() {
    let hardware = machine("quartet");
    let found = symmetries(&hardware);
    // It cannot be turned by a quarter: lines to the opposite corner go by fixed sides.
    assert_eq!(found.len(), 4, "{found:?}");
    // No symmetry makes a diagonal of the square one of its sides.
    assert!(found.iter().all(|one| one[&NodeId(0)].0 + one[&NodeId(3)].0 == 3), "{found:?}");
}

#[test]
fn symmetric_placements_tie() {
    let hardware = machine("quartet");
    let mut ground = ground(&hardware);
    let program = program(3, DataUse::Private);
    let one = placement(&[(0, 2), (1, 1)], Memory::Local);
    let value = |candidate: &Candidate, ground: &mut dyn Evaluator| {
        ground.outcome(&program, candidate).unwrap().figure.value
    };
    let first = value(&one, &mut ground);
    for symmetry in symmetries(&hardware) {
        let threads = one.threads.iter().map(|(node, threads)| (symmetry[node], *threads)).collect();
        let image = Candidate { threads, memory: Memory::Local };
        let other = value(&image, &mut ground);
        // Where they are simulated, random numbers differ.
        assert!((other / first - 1.0).abs() < 0.01, "{image:?}: {other} {first}");
    }
}

/// A ground that knows nothing but a formula.
struct Formula(Machine);

impl Evaluator for Formula {
    fn machine(&self) -> &Machine {
        &self.0
    }

    fn outcome(&mut self, _: &Program, candidate: &Candidate) -> Result<Outcome, AdviceError> {
        // Best with three threads on the last node and all data there.
        let last = self.0.nodes.last().map_or(NodeId(0), |node| node.id);
        let there = candidate.threads.get(&last).copied().unwrap_or(0) as f64;
        let data = if candidate.memory == (Memory::OnNode { node: last }) { 1.0 } else { 0.0 };
        Ok(Outcome { figure: Figure::exact(10.0 - (there - 3.0).abs() + data), limit: None })
    }

    fn unknown(&self, _: &Program) -> Vec<String> {
        Vec::new()
    }
}

#[test]
fn small_steps_find_what_no_even_spread_is() {
    let hardware: Arc<Hardware> = machine("opteron-6274-4s");
    let mut ground = Formula(hardware.machine.clone());
    let found = search(&program(20, DataUse::Shared), &mut ground, &[]).unwrap();
    assert!(!found.exhaustive);
    let mut best = String::new();
    let _ = write!(best, "{:?}", found.ranked[0]);
    assert_eq!(found.ranked[0].1.figure.value, 11.0, "{best}");
}

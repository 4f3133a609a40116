//! The search for the best placement.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::{Machine, NodeId};
use zerohop_machine_file::Symmetry;
use zerohop_units::Bytes;
use zerohop_workload::{Access, Kernel};

use super::candidate::{Candidate, Memory};
use super::cpus;
use super::error::AdviceError;
use super::evaluator::{Evaluator, Outcome};
use super::figure::Figure;
use super::program::{Program, Sensitivity};
use super::rules::{is_as_good, preference};
use super::shapes::{Counts, Room};

/// The best placements from which the search goes on by small steps.
const STARTS: usize = 3;

/// Rounds of small steps.
const ROUNDS: usize = 4;

/// Placements with their outcomes.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// One of each set of placements that differ in nothing but the names of like nodes; the best first, and of those that are
    /// equally good the one that the rules prefer.
    pub ranked: Vec<(Candidate, Outcome)>,
    /// Whether every placement of the kinds that are looked at was computed.
    pub exhaustive: bool,
}

/// Computes placements of a program, and puts them in order. Placements that `symmetries` map to each other are computed once.
///
/// # Errors
/// When the program does not fit the machine, or a placement cannot be computed.
pub fn search(
    program: &Program,
    ground: &mut dyn Evaluator,
    symmetries: &[Symmetry],
) -> Result<Found, AdviceError> {
    let machine = ground.machine().clone();
    check(program, &machine)?;
    let room = Room::new(&machine, program);
    let symmetries: Vec<&Symmetry> = symmetries.iter().filter(|one| keeps(one, program)).collect();
    let mut seen = Seen { program, room: &room, ground, symmetries, outcomes: BTreeMap::new() };
    let all = room.all_counts();
    let exhaustive = all.is_some();
    for counts in all.unwrap_or_else(|| room.some_counts()) {
        seen.add_all(&counts)?;
    }
    if !exhaustive {
        seen.improve()?;
    }
    Ok(Found { ranked: seen.ranked(), exhaustive })
}

/// Whether the program fits the machine at all.
pub(crate) fn check(program: &Program, machine: &Machine) -> Result<(), AdviceError> {
    if program.threads == 0 {
        return Err(AdviceError::Nothing { what: "the number of threads" });
    }
    if program.bytes == Bytes(0) {
        return Err(AdviceError::Nothing { what: "the amount of data" });
    }
    if machine.initiators().next().is_none() {
        return Err(AdviceError::NoCpus);
    }
    let plain = matches!(program.kernel, Kernel::Read | Kernel::Write);
    let access = match program.access {
        Access::Sequential => None,
        Access::Strided => Some("strided"),
        Access::Random => Some("random"),
    };
    if let Some(access) = access.filter(|_| !plain) {
        return Err(AdviceError::NoSuchAccess { kernel: program.kernel.name(), access });
    }
    for &node in program.thread_nodes.iter().chain(program.background.iter().map(|other| &other.node)) {
        let reason = match machine.node(node) {
            None => "the machine has no such node",
            Some(_) if machine.usable_pus(node).is_empty() => "it has no usable CPU",
            Some(_) => continue,
        };
        return Err(AdviceError::NoThreads { node, reason });
    }
    for other in &program.background {
        let (node, cpus) = (other.node, machine.usable_pus(other.node).len());
        let threads = program.background_on(node);
        if threads > cpus {
            return Err(AdviceError::TooMuchBackground { threads, node, cpus });
        }
    }
    let cpus = cpus::capacity(machine, program).values().sum();
    if program.threads > cpus {
        return Err(AdviceError::TooManyThreads { threads: program.threads, cpus });
    }
    let memory: Bytes = machine.targets().map(|node| node.memory).sum();
    if program.bytes > memory {
        return Err(AdviceError::TooMuchData { bytes: program.bytes, memory });
    }
    Ok(())
}

/// Whether a symmetry leaves where the program may run and what else runs as it is.
fn keeps(symmetry: &Symmetry, program: &Program) -> bool {
    let image = |node: NodeId| symmetry.get(&node).copied().unwrap_or(node);
    let load = |node: NodeId| -> Vec<_> {
        let here = program.background.iter().filter(|other| other.node == node);
        here.map(|other| (other.threads, other.rate.map(|rate| rate.get().to_bits()))).collect()
    };
    symmetry.keys().all(|&node| {
        program.may_run_on(node) == program.may_run_on(image(node)) && load(node) == load(image(node))
    })
}

/// The placements computed so far.
struct Seen<'a> {
    program: &'a Program,
    room: &'a Room<'a>,
    ground: &'a mut dyn Evaluator,
    symmetries: Vec<&'a Symmetry>,
    outcomes: BTreeMap<Candidate, Outcome>,
}

impl Seen<'_> {
    /// All policies for threads in these places.
    fn add_all(&mut self, counts: &Counts) -> Result<(), AdviceError> {
        let mut rates = BTreeMap::new();
        // Weights help to fill memories evenly. A thread that waits for each load is served by the nearest.
        if self.program.sensitivity == Sensitivity::Bandwidth {
            for &node in &self.room.memory {
                let candidate = Candidate { threads: counts.clone(), memory: Memory::OnNode { node } };
                if let Some(outcome) = self.add(&candidate)? {
                    rates.insert(node, outcome.figure.value);
                }
            }
        }
        for memory in self.room.policies(counts, &rates) {
            self.add(&Candidate { threads: counts.clone(), memory })?;
        }
        Ok(())
    }

    /// Computes a placement, unless one like it is known. `None` if its data does not fit.
    fn add(&mut self, candidate: &Candidate) -> Result<Option<Outcome>, AdviceError> {
        if !self.room.fits(candidate) {
            return Ok(None);
        }
        let candidate = self.canonical(candidate);
        if let Some(known) = self.outcomes.get(&candidate) {
            return Ok(Some(known.clone()));
        }
        let outcome = self.ground.outcome(self.program, &candidate)?;
        self.outcomes.insert(candidate, outcome.clone());
        Ok(Some(outcome))
    }

    /// The one that stands for all that symmetries make of a placement.
    fn canonical(&self, candidate: &Candidate) -> Candidate {
        let images = self
            .symmetries
            .iter()
            .map(|symmetry| candidate.mapped(|node| symmetry.get(&node).copied().unwrap_or(node)));
        images
            .chain([candidate.clone()])
            .min_by_key(|image| (image.nodes_by_threads(), image.clone()))
            .unwrap_or_else(|| candidate.clone())
    }

    fn ranked(&self) -> Vec<(Candidate, Outcome)> {
        let mut left: Vec<(Candidate, Outcome)> =
            self.outcomes.iter().map(|(candidate, outcome)| (candidate.clone(), outcome.clone())).collect();
        let sensitivity = self.program.sensitivity;
        left.sort_by(|one, other| {
            sensitivity.times(other.1.figure.value, one.1.figure.value).total_cmp(&1.0)
        });
        // Those as good as the best that is left form a group, in which the rules decide.
        let mut ranked = Vec::with_capacity(left.len());
        while let Some(best) = left.first().map(|(_, outcome)| outcome.figure.value) {
            let exact = |outcome: &Outcome| Figure::exact(outcome.figure.value);
            let alike = left
                .iter()
                .take_while(|(_, outcome)| is_as_good(self.program, &exact(outcome), &Figure::exact(best)));
            let alike = alike.count().max(1);
            let mut group: Vec<(Candidate, Outcome)> = left.drain(..alike).collect();
            group.sort_by_cached_key(|(candidate, _)| {
                preference(self.program, candidate, &self.room.capacity)
            });
            ranked.extend(group);
        }
        ranked
    }

    /// Goes on from the best placements by small steps: one thread, or half of a node's, to another node.
    fn improve(&mut self) -> Result<(), AdviceError> {
        let mut tried: BTreeSet<Counts> = BTreeSet::new();
        for _ in 0..ROUNDS {
            let starts: Vec<Counts> =
                self.ranked().into_iter().take(STARTS).map(|(candidate, _)| candidate.threads).collect();
            let steps: BTreeSet<Counts> = starts.iter().flat_map(|counts| self.steps(counts)).collect();
            let new: Vec<Counts> = steps.into_iter().filter(|counts| tried.insert(counts.clone())).collect();
            if new.is_empty() {
                return Ok(());
            }
            let before = self.ranked().first().map(|(_, outcome)| outcome.figure);
            for counts in new {
                self.add_all(&counts)?;
            }
            let after = self.ranked().first().map(|(_, outcome)| outcome.figure);
            if let (Some(before), Some(after)) = (before, after)
                && self.program.sensitivity.times(after.value, before.value) < 1.0 + f64::EPSILON
            {
                return Ok(());
            }
        }
        Ok(())
    }

    fn steps(&self, counts: &Counts) -> Vec<Counts> {
        let mut steps = Vec::new();
        for (&from, &threads) in counts {
            for (&to, &capacity) in &self.room.capacity {
                let there = counts.get(&to).copied().unwrap_or(0);
                for moved in BTreeSet::from([1, threads.div_ceil(2), threads]) {
                    if to != from && there + moved <= capacity {
                        let mut step = counts.clone();
                        step.insert(from, threads - moved);
                        step.insert(to, there + moved);
                        step.retain(|_, threads| *threads > 0);
                        steps.push(step);
                    }
                }
            }
        }
        let image = |counts: &Counts, symmetry: &Symmetry| -> Counts {
            counts
                .iter()
                .map(|(node, threads)| (symmetry.get(node).copied().unwrap_or(*node), *threads))
                .collect()
        };
        let canonical =
            |counts: Counts| self.symmetries.iter().map(|one| image(&counts, one)).min().unwrap_or(counts);
        steps.into_iter().map(canonical).collect()
    }
}

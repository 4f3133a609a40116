//! Placements by a survey: ceilings of pairs and of memories from its matrices, the rate of one thread from ramps, mixes.

mod max_min_fair;
mod pair_measurements;

use std::collections::BTreeSet;

use zerohop_machine::{Machine, NodeId};
use zerohop_result::{Catalogue, Measure, ResultFile};
use zerohop_workload::Access;

use self::max_min_fair::{Flow, Resource, Shared, fill};
use self::pair_measurements::{End, Measured};
use super::candidate::{Candidate, Group};
use super::error::AdviceError;
use super::evaluator::{Evaluator, Outcome};
use super::figure::Figure;
use super::nearest_memory::nearest_memory;
use super::program::{DataUse, Program, Sensitivity, mix_name};

/// Computes placements from what was measured.
#[derive(Debug)]
pub struct SurveyEvaluator {
    machine: Machine,
    measured: Measured,
}

impl SurveyEvaluator {
    /// From results of one machine, of which the first is named.
    ///
    /// # Errors
    /// When they have no matrix of the measure that the program needs.
    pub fn new(
        name: &str,
        results: &[&ResultFile],
        experiments: Catalogue,
        program: &Program,
    ) -> Result<Self, AdviceError> {
        let missing = |missing: String| AdviceError::NotMeasured { name: name.to_owned(), missing };
        let first = results.first().ok_or_else(|| missing("result".to_owned()))?;
        let machine = first.machine.clone();
        let measured = Measured::of(results, experiments, program.kernel);
        let (measure, matrix) = match program.sensitivity {
            Sensitivity::Bandwidth => (Measure::Bandwidth, &measured.bandwidth),
            Sensitivity::Latency => (Measure::Latency, &measured.latency),
        };
        let has = |initiator: NodeId, target: NodeId| matrix.contains_key(&(initiator, target));
        let lacking = machine.initiators().flat_map(|one| machine.targets().map(|other| (one.id, other.id)));
        let lacking: Vec<(NodeId, NodeId)> = lacking.filter(|(one, other)| !has(*one, *other)).collect();
        match lacking.first() {
            None => Ok(Self { machine, measured }),
            Some(_) if matrix.is_empty() => {
                Err(missing(format!("matrix of {} from every node to every node", measure.words())))
            }
            Some((initiator, target)) => Err(missing(format!(
                "{} of node {initiator}'s threads with node {target}'s memory",
                measure.words()
            ))),
        }
    }

    fn bandwidth(&self, program: &Program, candidate: &Candidate, end: End) -> (f64, Option<String>) {
        let Measured { bandwidth, .. } = &self.measured;
        let cores = |node: NodeId| self.machine.usable_cores(node).len().max(1) as f64;
        let pair = |from: NodeId, to: NodeId| bandwidth.get(&(from, to)).map_or(0.0, |of| of.at(end));
        let own = |node: NodeId| candidate.threads.get(&node).copied().unwrap_or(0) as f64;
        // What one thread achieves where as many run on its node: of memory elsewhere less, as its lines are longer on their way. The
        // matrix does not say that: all cores together fill the way there.
        let one_thread = |from: NodeId, to: NodeId| {
            let threads = own(from).max(1.0);
            let near = self.machine.targets().map(|node| pair(from, node.id)).fold(0.0, f64::max);
            let near = match self.measured.share_of_cores(threads) {
                Some(share) => near * share / threads,
                None => near / cores(from),
            };
            let latency = |to: NodeId| self.measured.latency.get(&(from, to)).map(|of| of.at(End::Median));
            let nearest = self.machine.targets().filter_map(|node| latency(node.id)).min_by(f64::total_cmp);
            near * nearest.zip(latency(to)).map_or(1.0, |(nearest, there)| nearest / there)
        };
        let mut flows = Vec::new();
        let mut sources: BTreeSet<NodeId> = BTreeSet::new();
        for group in candidate.groups() {
            let part = 1.0 / group.homes.len() as f64;
            let mut uses: Vec<(NodeId, f64)> = Vec::new();
            for home in group.homes {
                match uses.iter_mut().find(|(node, _)| *node == home) {
                    Some((_, share)) => *share += part,
                    None => uses.push((home, part)),
                }
            }
            // A thread that takes its lines by turns from several memories waits for each in turn.
            let time: f64 = uses.iter().map(|(home, share)| share / one_thread(group.node, *home)).sum();
            sources.insert(group.node);
            flows.push(Flow { from: group.node, threads: group.threads as f64, most: 1.0 / time, uses });
        }
        let foreground = flows.len();
        for other in &program.background {
            let home = nearest_memory(&self.machine, other.node);
            let most = one_thread(other.node, home);
            let most = other.rate.map_or(most, |rate| most.min(rate.get()));
            sources.insert(other.node);
            flows.push(Flow {
                from: other.node,
                threads: other.threads as f64,
                most,
                uses: vec![(home, 1.0)],
            });
        }
        let mut resources = Vec::new();
        for target in self.machine.targets().map(|node| node.id) {
            let best = self.machine.initiators().map(|node| pair(node.id, target)).fold(0.0, f64::max);
            // Of threads that take turns with other memories, a part is here at any time.
            let remote = flows.iter().filter(|flow| flow.from != target);
            let here =
                remote.flat_map(|flow| flow.uses.iter().map(|(to, share)| (*to, share * flow.threads)));
            let crowd: f64 = here.filter(|(to, _)| *to == target).map(|(_, threads)| threads).sum();
            let capacity = best * self.measured.share_of_crowd(crowd);
            resources.push(Resource { what: Shared::Memory(target), capacity });
            resources.extend(
                sources
                    .iter()
                    .filter(|&&from| from != target)
                    .map(|&from| Resource { what: Shared::Way(from, target), capacity: pair(from, target) }),
            );
        }
        resources.extend(
            self.measured.all_ways.map(|all| Resource { what: Shared::AllWays, capacity: all.at(end) }),
        );
        let memories = self.machine.targets().count();
        resources.extend(
            self.measured
                .spread
                .map(|all| Resource { what: Shared::Spread(memories), capacity: all.at(end) }),
        );
        let filled = fill(&flows, &resources);
        let own = filled.rates[..foreground].iter().copied();
        let rate = match program.data {
            DataUse::Shared => own.zip(&flows).map(|(rate, flow)| rate * flow.threads).sum(),
            DataUse::Private => own.fold(f64::INFINITY, f64::min) * program.threads as f64,
        };
        let limit = filled.full.first().map(|&rank| match resources[rank].what {
            Shared::Memory(node) => format!("the memory bandwidth of node {node} is saturated"),
            Shared::Way(from, to) => format!("the link from node {from} to node {to} is saturated"),
            Shared::AllWays => "the links between all nodes are saturated together".to_owned(),
            Shared::Spread(_) => {
                "memory interleaved over all nodes reaches its measured bandwidth".to_owned()
            }
        });
        (rate, limit)
    }

    /// Whether it is known how much longer the way to other memory is.
    fn knows_ways(&self) -> bool {
        self.measured.bandwidth.keys().all(|pair| self.measured.latency.contains_key(pair))
    }

    fn latency(&self, candidate: &Candidate, end: End) -> f64 {
        let of_group = |group: Group| {
            let pair =
                |home: NodeId| self.measured.latency.get(&(group.node, home)).map_or(0.0, |of| of.at(end));
            group.homes.iter().map(|&home| pair(home)).sum::<f64>() / group.homes.len() as f64
        };
        candidate.groups().into_iter().map(of_group).fold(0.0, f64::max)
    }
}

impl Evaluator for SurveyEvaluator {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn outcome(&mut self, program: &Program, candidate: &Candidate) -> Result<Outcome, AdviceError> {
        Ok(match program.sensitivity {
            Sensitivity::Bandwidth => {
                let (value, limit) = self.bandwidth(program, candidate, End::Median);
                let (low, _) = self.bandwidth(program, candidate, End::Low);
                let (high, _) = self.bandwidth(program, candidate, End::High);
                Outcome { figure: Figure { value, low: low.min(value), high: high.max(value) }, limit }
            }
            Sensitivity::Latency => {
                let at = |end| self.latency(candidate, end);
                let figure = Figure { value: at(End::Median), low: at(End::Low), high: at(End::High) };
                Outcome { figure, limit: None }
            }
        })
    }

    fn unknown(&self, program: &Program) -> Vec<String> {
        let mut unknown = Vec::new();
        let doubts = match program.sensitivity {
            Sensitivity::Bandwidth => &self.measured.doubts.bandwidth,
            Sensitivity::Latency => &self.measured.doubts.latency,
        };
        unknown.extend(doubts.clone());
        match program.sensitivity {
            Sensitivity::Latency => {
                unknown.push("latencies are for idle memory: load increases all of them".to_owned());
            }
            Sensitivity::Bandwidth => {
                unknown.push(if self.measured.all_ways.is_some() {
                    "pairs of nodes were measured one at a time, and all together: if some pairs share a link, the rate may be lower"
                        .to_owned()
                } else {
                    "pairs of nodes were measured one at a time: if several pairs share a link, the rate may be lower".to_owned()
                });
                if !self.knows_threads() {
                    unknown.push(
                        "no ramp was measured: one thread is assumed to reach an equal share of its node's bandwidth, which is too \
                         low if few threads saturate the memory; add the result of `zerohop run ramp --initiators 0 --targets 0`"
                            .to_owned(),
                    );
                }
                if !self.knows_ways() {
                    unknown.push(
                        "no latencies were measured: a thread is assumed to be as fast with remote memory as with local memory, until \
                         the link is saturated; add the result of `zerohop run latency-matrix`"
                            .to_owned(),
                    );
                }
                if program.access != Access::Sequential {
                    unknown.push(
                        "only sequential access was measured: rates come from the bandwidth matrix"
                            .to_owned(),
                    );
                }
                if !self.measured.knows_mix {
                    unknown.push(format!(
                        "{} was not measured: rates come from the bandwidth matrix",
                        mix_name(program.kernel)
                    ));
                }
            }
        }
        unknown
    }

    fn knows_threads(&self) -> bool {
        !self.measured.ramp.is_empty()
    }
}

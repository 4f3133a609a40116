//! What a placement of pages and threads costs, by a survey: its latency, and the rate that it allows.

use std::collections::BTreeMap;

use crate::Spread;
use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::NodeId;
use zerohop_result::{Axis, Catalogue, Cell, Glance, Measure, Query, ResultFile};
use zerohop_units::Bytes;

/// Shares of accesses below this are left out: a few pages elsewhere decide nothing.
const NEGLIGIBLE: f64 = 0.005;

/// Cost of a placement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct PlacementCost {
    /// Mean idle latency of accesses, in ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Rate>,
    /// Highest rate at which all threads together can read the pages, in GB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Rate>,
}

/// A value computed from a survey's cells, assuming that every thread uses all pages equally.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Rate {
    /// Value with the present location of the pages.
    pub now: f64,
    /// Value if the pages that each thread uses were on its own node.
    pub local: f64,
    /// Bottleneck, in words; absent for latencies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
}

/// The cells of a matrix of nodes.
struct Matrix<'a>(Vec<&'a Cell>);

impl PlacementCost {
    /// The cost of threads with these shares of the CPU time that use these pages; `None` if the survey has no cell that
    /// it needs.
    pub(super) fn of(
        cpu: &BTreeMap<NodeId, f64>,
        bytes: &Spread,
        survey: &ResultFile,
        experiments: Catalogue,
    ) -> Option<Self> {
        if cpu.is_empty() || bytes.total() == Bytes(0) {
            return None;
        }
        let latency = Matrix::of(survey, experiments, Measure::Latency);
        let bandwidth = Matrix::of(survey, experiments, Measure::Bandwidth);
        let cost = Self { latency: latency.mean(cpu, bytes), bandwidth: bandwidth.ceiling(cpu, bytes) };
        (cost != Self::default()).then_some(cost)
    }
}

impl<'a> Matrix<'a> {
    /// The cells of the experiment that measures this from every node to every node.
    fn of(survey: &'a ResultFile, experiments: Catalogue, measure: Measure) -> Self {
        let query = Query::of(measure);
        let is_meant = |name: &str| {
            let known = experiments.all().find(|known| known.name == name);
            known.is_some_and(|known| known.glance == Some(Glance::NearAndFar(measure)))
        };
        let results = survey.experiments.iter().filter(|result| is_meant(result.experiment.as_str()));
        Self(results.flat_map(|result| result.cells.iter()).filter(|cell| query.selects(cell)).collect())
    }

    fn value(&self, initiator: NodeId, target: NodeId) -> Option<f64> {
        let is_at = |axis, node: NodeId| move |cell: &&&Cell| cell.at.number(axis) == Some(node.0.into());
        let mut cells = self.0.iter().filter(is_at(Axis::Initiator, initiator));
        let cell = cells.find(is_at(Axis::Target, target))?;
        Some(cell.estimate.median).filter(|value| *value > 0.0)
    }

    /// The mean over all accesses.
    fn mean(&self, cpu: &BTreeMap<NodeId, f64>, bytes: &Spread) -> Option<Rate> {
        let (mut now, mut seen, mut local) = (0.0, 0.0, 0.0);
        for (initiator, target, share) in accesses(cpu, bytes) {
            now += share * self.value(initiator, target)?;
            seen += share;
        }
        for (&initiator, share) in cpu {
            local += share * self.nearest(initiator)?;
        }
        (seen > 0.0).then(|| Rate { now: now / seen, local, limit: None })
    }

    /// The lowest latency of a node's threads; a node without memory of its own has none that is local.
    fn nearest(&self, initiator: NodeId) -> Option<f64> {
        let own = self.0.iter().filter(|cell| cell.at.number(Axis::Initiator) == Some(initiator.0.into()));
        own.map(|cell| cell.estimate.median).filter(|value| *value > 0.0).min_by(f64::total_cmp)
    }

    /// The rate of all threads at which the first path between a node's threads and a node's memory, or the first node's
    /// memory, is full.
    fn ceiling(&self, cpu: &BTreeMap<NodeId, f64>, bytes: &Spread) -> Option<Rate> {
        let mut limits: Vec<(f64, String)> = Vec::new();
        let mut at_target: BTreeMap<NodeId, f64> = BTreeMap::new();
        for (initiator, target, share) in accesses(cpu, bytes) {
            let rate = self.value(initiator, target)? / share;
            let words = if initiator == target {
                format!("node {target}'s threads on local memory")
            } else {
                format!("the path from node {initiator}'s threads to node {target}'s memory")
            };
            limits.push((rate, words));
            *at_target.entry(target).or_default() += share;
        }
        for (target, share) in at_target {
            limits.push((self.best_of(target)? / share, format!("the memory of node {target}")));
        }
        let (now, limit) = limits.into_iter().min_by(|one, other| one.0.total_cmp(&other.0))?;
        let local: Option<Vec<f64>> = cpu
            .iter()
            .filter(|(_, share)| **share >= NEGLIGIBLE)
            .map(|(&node, share)| Some(self.best_from(node)? / share))
            .collect();
        let local = local?.into_iter().min_by(f64::total_cmp)?;
        Some(Rate { now, local, limit: Some(limit) })
    }

    /// The highest rate at which any one node's threads read a node's memory.
    fn best_of(&self, target: NodeId) -> Option<f64> {
        self.best(Axis::Target, target)
    }

    /// The highest rate at which a node's threads read any one node's memory.
    fn best_from(&self, initiator: NodeId) -> Option<f64> {
        self.best(Axis::Initiator, initiator)
    }

    fn best(&self, axis: Axis, node: NodeId) -> Option<f64> {
        let cells = self.0.iter().filter(|cell| cell.at.number(axis) == Some(node.0.into()));
        let pairs = cells.filter(|cell| {
            cell.at.number(Axis::Initiator).is_some() && cell.at.number(Axis::Target).is_some()
        });
        pairs.map(|cell| cell.estimate.median).filter(|value| *value > 0.0).max_by(f64::total_cmp)
    }
}

/// The share of the accesses from each node's threads to each node's memory, without negligible ones.
fn accesses(cpu: &BTreeMap<NodeId, f64>, bytes: &Spread) -> impl Iterator<Item = (NodeId, NodeId, f64)> {
    let targets: Vec<(NodeId, f64)> = bytes.iter().map(|(node, _)| (node, bytes.share(node))).collect();
    let pairs = cpu.iter().flat_map(move |(&initiator, cpu)| {
        let cpu = *cpu;
        targets.clone().into_iter().map(move |(target, share)| (initiator, target, cpu * share))
    });
    pairs.filter(|(_, _, share)| *share >= NEGLIGIBLE)
}

//! View of a result for the tests of conditions.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_expectation::ComparablePairs;
use zerohop_machine::{Machine, NodeId};
use zerohop_result::{Aspect, Cell, ExperimentResult, Grade, Over, Query, ResultFile, Weight};
use zerohop_workload::Origin;

use crate::context::Given;
use crate::resolved_values::Resolved;

/// A result, and the data derived from it once.
pub(crate) struct Facts<'a> {
    pub(crate) file: &'a ResultFile,
    /// Knowledge from sources other than the result.
    pub(crate) given: Given<'a>,
    /// Nodes of the machine, with the comparable pairs.
    pub(crate) nodes: ComparablePairs<'a>,
    /// Whether the measurement is not usable.
    pub(crate) unfit: Option<String>,
}

/// Cells from node to node.
pub(crate) struct Pairs<'a> {
    pub(crate) experiment: &'a ExperimentResult,
    pub(crate) cells: BTreeMap<(NodeId, NodeId), &'a Cell>,
    /// The nodes that they lead from.
    pub(crate) initiators: BTreeSet<NodeId>,
}

/// No kernel has more nodes (`NODES_SHIFT`): what more would take is out of all proportion.
const MOST_NODES: usize = 1024;

impl<'a> Facts<'a> {
    pub(crate) fn new(file: &'a ResultFile, given: Given<'a>) -> Self {
        let quality = file.quality(&file.experiments);
        let unfit = match quality {
            Some(quality) => (quality.grade == Grade::NotUsable).then_some(quality.reason),
            None => mostly_doubtful(file),
        };
        Self { file, given, nodes: ComparablePairs::of(file), unfit }
    }

    pub(crate) fn machine(&self) -> &'a Machine {
        &self.file.machine
    }

    pub(crate) fn has_cpus(&self, node: NodeId) -> bool {
        self.nodes.has_cpus(node)
    }

    /// Nodes that have CPUs.
    pub(crate) fn initiators(&self) -> impl Iterator<Item = NodeId> {
        self.nodes.initiators()
    }

    pub(crate) fn experiments(&self) -> impl Iterator<Item = &'a ExperimentResult> {
        self.file.experiments.iter()
    }

    /// The command lines that another tool's text shows.
    pub(crate) fn commands(&self) -> &'a [String] {
        match &self.file.origin {
            Origin::Imported(origin) => &origin.commands,
            Origin::Host(_) | Origin::Model(_) => &[],
        }
    }

    /// The experiment of that name, if it was run.
    ///
    /// # Errors
    /// The missing data, in words.
    pub(crate) fn experiment(&self, name: &str) -> Result<&'a ExperimentResult, String> {
        let mut named =
            self.file.experiments.iter().filter(|experiment| experiment.experiment.as_str() == name);
        named.find(|experiment| !experiment.cells.is_empty()).ok_or_else(|| format!("the experiment {name}"))
    }

    /// The cells that a query selects, doubtful or not. Not empty.
    ///
    /// # Errors
    /// The missing data, in words.
    pub(crate) fn selected(&self, experiment: &str, query: &Query) -> Result<Vec<&'a Cell>, String> {
        let result = self.experiment(experiment)?;
        let selected: Vec<&Cell> =
            result.cells.iter().filter(|cell| query.matches(cell, self.machine())).collect();
        if selected.is_empty() { Err(format!("`{query}` in {experiment}")) } else { Ok(selected) }
    }

    /// The cells that a query selects and that are not doubtful. Not empty.
    ///
    /// # Errors
    /// The missing data, in words.
    pub(crate) fn cells(&self, experiment: &str, query: &Query) -> Result<Vec<&'a Cell>, String> {
        let selected = self.selected(experiment, query)?;
        let sound: Vec<&Cell> = selected.into_iter().filter(|cell| !cell.is_doubtful()).collect();
        if sound.is_empty() {
            Err(format!("values of `{query}` in {experiment} that are not in doubt"))
        } else {
            Ok(sound)
        }
    }

    /// The value of a query over cells that are not doubtful, with its interval; over all cells, if all are doubtful.
    ///
    /// # Errors
    /// The missing data, in words.
    pub(crate) fn value(&self, experiment: &str, query: &Query) -> Result<Resolved, String> {
        let cells = self.cells(experiment, query).or_else(|_| self.selected(experiment, query))?;
        let over = if query.over == Over::One { Over::Median } else { query.over };
        Resolved::of(cells, over).ok_or_else(|| format!("`{query}` in {experiment}"))
    }

    /// The cells of a query with one node as initiator and one as target.
    ///
    /// # Errors
    /// The missing data, in words.
    pub(crate) fn pairs(&self, experiment: &str, query: &Query) -> Result<Pairs<'a>, String> {
        self.between_nodes(experiment, self.cells(experiment, query)?)
    }

    /// The cells of a query with one node as initiator and one as target, doubtful or not.
    ///
    /// # Errors
    /// The missing data, in words.
    pub(crate) fn pairs_in_doubt(&self, experiment: &str, query: &Query) -> Result<Pairs<'a>, String> {
        self.between_nodes(experiment, self.selected(experiment, query)?)
    }

    fn between_nodes(&self, experiment: &str, cells: Vec<&'a Cell>) -> Result<Pairs<'a>, String> {
        let cells: BTreeMap<(NodeId, NodeId), &Cell> =
            cells.into_iter().filter_map(|cell| Some((cell.at.between_nodes()?, cell))).collect();
        if cells.is_empty() {
            return Err(format!("node-to-node values in {experiment}"));
        }
        let initiators: BTreeSet<NodeId> = cells.keys().map(|(from, _)| *from).collect();
        let all = cells.keys().map(|(_, to)| *to).chain(initiators.iter().copied()).collect::<BTreeSet<_>>();
        if all.len() > MOST_NODES {
            return Err(format!("node-to-node values for at most {MOST_NODES} nodes in {experiment}"));
        }
        Ok(Pairs { experiment: self.experiment(experiment)?, cells, initiators })
    }

    /// The PUs of a node; `None` if the machine does not list it.
    pub(crate) fn pus(&self, node: NodeId) -> Option<usize> {
        self.machine().node(node).map(|node| node.pus.len())
    }
}

/// More doubtful cells than this share make a measurement unfit to judge a machine.
const DOUBTFUL: f64 = 0.25;

/// Why a result that was not measured here is unfit, if it is.
fn mostly_doubtful(file: &ResultFile) -> Option<String> {
    let cells = || file.experiments.iter().flat_map(|experiment| experiment.cells.iter());
    let cells = || cells().filter(|cell| cell.measure.aspect() == Aspect::Outcome);
    let doubtful = cells().filter(|cell| cell.is_doubtful());
    let (count, all) = (doubtful.clone().count(), cells().count());
    let warning =
        doubtful.flat_map(|cell| &cell.warnings).find(|warning| warning.weight() == Weight::Doubt)?;
    (count as f64 > DOUBTFUL * all as f64).then(|| format!("{count} of {all} cells are in doubt: {warning}"))
}

impl<'a> Pairs<'a> {
    /// The values of nodes with their own memory.
    pub(crate) fn local(&self) -> Vec<(NodeId, &'a Cell)> {
        let own = self.cells.iter().filter(|((initiator, target), _)| initiator == target);
        own.map(|((node, _), cell)| (*node, *cell)).collect()
    }

    /// The value between two nodes.
    pub(crate) fn get(&self, from: NodeId, to: NodeId) -> Option<f64> {
        self.cells.get(&(from, to)).map(|cell| cell.estimate.median)
    }
}

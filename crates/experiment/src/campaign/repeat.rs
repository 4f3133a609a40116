//! The experiments of a result, as a model runs them to be compared with it.

use std::collections::BTreeSet;

use crate::{Effort, Options, catalogue};
use zerohop_machine::NodeId;
use zerohop_result::{Axis, Cell, Choice, Coordinate, Coordinates, Descriptor, ExperimentResult, ResultFile};

use crate::campaign::request::Run;

/// Runs of the wanted experiments of a result, with the choices that its cells show: all points of a curve, and the nodes, the kernel
/// and the load that were measured. Experiments that this program does not know are left out.
pub fn repeated(result: &ResultFile, wanted: impl Fn(&ExperimentResult) -> bool) -> Vec<Run> {
    let nodes = nodes(result);
    let of_result = result.experiments.iter().filter(|done| !done.cells.is_empty() && wanted(done));
    let runs = of_result.filter_map(|done| {
        let known = catalogue().get(&done.experiment)?;
        let is_curve = done.cells.iter().any(|cell| cell.at.get(Axis::Delay).is_some());
        let full = is_curve || result.settings.effort == "full";
        let mut options = Options::new(if full { Effort::Full } else { Effort::Quick });
        options.nodes.clone_from(&nodes);
        choose(&mut options, done, known);
        Some(Run { experiment: done.experiment.clone(), options })
    });
    runs.collect()
}

/// Repetition of only the wanted cells, with the precision that an expectation needs.
pub fn repeated_in_part(result: &ResultFile, wanted: impl Fn(&Cell) -> bool) -> Vec<Run> {
    let runs = repeated(result, |done| done.cells.iter().any(&wanted)).into_iter();
    let in_part = runs.map(|mut run| {
        let of_run = result.experiments.iter().filter(|done| done.experiment == run.experiment);
        let cells = of_run.flat_map(|done| &done.cells).filter(|cell| wanted(cell));
        let places: BTreeSet<Coordinates> = cells.map(|cell| cell.at.clone()).collect();
        run.options.places = Some(places.into_iter().collect());
        run.options.interval = Some(EXPECTED_WITHIN);
        run
    });
    in_part.collect()
}

/// An interval that is narrow beside the error of any expectation.
const EXPECTED_WITHIN: f64 = 0.01;

/// The nodes that a result is about, if the machine was measured in part.
fn nodes(result: &ResultFile) -> Option<Vec<NodeId>> {
    let cells = result.experiments.iter().flat_map(|done| done.cells.iter());
    let ends = cells.flat_map(|cell| [Axis::Initiator, Axis::Target].map(|axis| cell.at.number(axis)));
    let seen: BTreeSet<NodeId> =
        ends.flatten().filter_map(|node| u32::try_from(node).ok().map(NodeId)).collect();
    let all: BTreeSet<NodeId> = result.machine.nodes.iter().map(|node| node.id).collect();
    // A text of another tool does not list the nodes.
    (!all.is_empty() && !seen.is_empty() && seen.len() < all.len()).then(|| seen.into_iter().collect())
}

/// Makes the choices that an experiment of a result was run with, as its cells show them.
fn choose(options: &mut Options, done: &ExperimentResult, known: &Descriptor) {
    let only = |axis| match done.places(axis).as_slice() {
        [Coordinate::Word(word)] => Some(word.clone()),
        _ => None,
    };
    if known.accepts.contains(&Choice::Kernel) {
        options.kernel = only(Axis::Kernel).and_then(|kernel| kernel.parse().ok());
    }
    if known.accepts.contains(&Choice::Load) {
        options.load = only(Axis::Load).and_then(|load| load.parse().ok());
    }
}

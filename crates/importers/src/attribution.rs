//! Curves of loaded latency that stand below another run than the one that they belong to.
//!
//! Who quotes a second machine in the middle of a text cuts the first run in two. A curve ends at the rate at which the whole machine reads: if that
//! is far from what its own run reads, and near what another run without a curve does, it is of that run.

use zerohop_result::{Axis, Coordinates, Measure};
use zerohop_workload::Warning;

use crate::coordinates::ALL;
use crate::harvest::{Block, Harvest, Run};
use crate::kinds;

/// The end of a curve and the reads of its own machine differ by no more.
const NEAR: f64 = 0.05;

/// What differs by more is of another machine.
const FAR: f64 = 0.2;

/// Whoever quotes a second machine shows a few runs. Among more, each curve would be held against each run.
const MOST_RUNS: usize = 1000;

/// Moves each curve to the run whose reads it ends at.
pub(crate) fn settle(harvest: &mut Harvest) {
    if harvest.runs.len() > MOST_RUNS {
        return;
    }
    for rank in 0..harvest.runs.len() {
        let Some((at, end)) = curve(&harvest.runs[rank]) else { continue };
        let Some(own) = reads(&harvest.runs[rank]).filter(|own| apart(end, *own) > FAR) else { continue };
        let fits = |run: &Run| curve(run).is_none() && reads(run).is_some_and(|all| apart(end, all) <= NEAR);
        let mut others = (0..harvest.runs.len()).filter(|&other| fits(&harvest.runs[other]));
        let (Some(other), None) = (others.next(), others.next()) else { continue };
        let all = reads(&harvest.runs[other]).unwrap_or_default();
        let mut block = harvest.runs[rank].blocks.remove(at);
        block.warnings.push(Warning::Attributed {
            what: format!(
                "the curve of loaded latency follows run {}, which reads {own:.1} GB/s, but it ends at {end:.1} GB/s like run {}, which reads {all:.1}",
                rank + 1,
                other + 1
            ),
        });
        harvest.runs[other].blocks.push(block);
    }
    harvest.runs.retain(|run| !run.blocks.is_empty());
}

/// By how much of the larger one two rates differ.
fn apart(one: f64, other: f64) -> f64 {
    (one - other).abs() / one.max(other)
}

/// Where a run has its curve, and the highest bandwidth of it.
fn curve(run: &Run) -> Option<(usize, f64)> {
    let at = run.blocks.iter().position(|block| block.experiment == kinds::LOADED_LATENCY)?;
    Some((at, bandwidths(&run.blocks[at]).map(|(_, rate)| rate).reduce(f64::max)?))
}

/// What all nodes of a run's machine read of their own memory.
fn reads(run: &Run) -> Option<f64> {
    let block = |name| run.blocks.iter().find(|block| block.experiment == name);
    let mixes = block(kinds::MIXES).and_then(|block| {
        let mut whole =
            bandwidths(block).filter(|(at, _)| at.is(Axis::Initiator, ALL) && at.is(Axis::Mix, "all_reads"));
        whole.next().map(|(_, rate)| rate)
    });
    mixes.or_else(|| {
        let own = bandwidths(block(kinds::BANDWIDTH_MATRIX)?).filter(|(at, _)| {
            at.number(Axis::Initiator).is_some() && at.get(Axis::Initiator) == at.get(Axis::Target)
        });
        Some(own.map(|(_, rate)| rate).sum()).filter(|sum| *sum > 0.0)
    })
}

fn bandwidths(block: &Block) -> impl Iterator<Item = (&Coordinates, f64)> {
    let values = block.values.iter().filter(|value| value.measure == Measure::Bandwidth);
    values.map(|value| (&value.at, value.estimate.median))
}

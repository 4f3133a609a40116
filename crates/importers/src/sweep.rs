//! Series of sizes, a run of a tool each: one result in ascending order, and sizes that come again are samples.
//!
//! A tool that measures one size at a time prints a value for each. Whoever calls it again and again with sizes from the first cache to memory
//! wants the caches, too: none of these values is doubtful because its buffer is small.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_result::{Axis, Cell, Coordinates, Estimate, ExperimentName, Measure};
use zerohop_statistics::{ascending, mean_and_deviation, median};
use zerohop_workload::Warning;

use crate::coordinates::LOCAL;
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;

/// Fewer sizes are no series.
const FEWEST: usize = 3;

/// The largest size is as many times the smallest one at least.
const SPAN: u64 = 8;

/// The smallest size fits into caches of this size.
const SMALLEST: u64 = 16 << 20;

/// Who measures with no more than this measures a cache on purpose: all processors since 1998 have one of that size, or several that add up to it.
const CACHED: u64 = 256 << 10;

/// Whether buffers of these sizes are those of caches alone.
fn is_of_caches(sizes: &BTreeSet<u64>) -> bool {
    sizes.last().is_some_and(|&last| last <= CACHED)
}

/// Whether buffers of these sizes go through the caches on purpose.
fn is_sweep(sizes: &BTreeSet<u64>) -> bool {
    let ends = sizes.first().zip(sizes.last());
    sizes.len() >= FEWEST
        && ends.is_some_and(|(&first, &last)| (1..=SMALLEST).contains(&first) && last / SPAN >= first)
}

/// The cells of a table that are of a series of sizes, by their ranks.
pub(crate) fn of_sweeps(cells: &[Cell]) -> BTreeSet<usize> {
    let mut groups: BTreeMap<(Measure, Coordinates), Vec<usize>> = BTreeMap::new();
    for (rank, cell) in cells.iter().enumerate() {
        groups.entry((cell.measure, without_size(&cell.at))).or_default().push(rank);
    }
    let size = |rank: &usize| cells[*rank].at.number(Axis::Footprint);
    let sweeps = groups.into_values().filter(|ranks| is_sweep(&ranks.iter().filter_map(size).collect()));
    sweeps.flatten().collect()
}

fn without_size(at: &Coordinates) -> Coordinates {
    let mut at = at.clone();
    at.0.remove(&Axis::Footprint);
    at
}

/// What a series has in common: its experiment, its measure, and its coordinates without the size.
type Series = (ExperimentName, Measure, Coordinates);

/// The table by size in which a series of single values of an experiment belongs.
fn table(experiment: &ExperimentName) -> Option<ExperimentName> {
    match () {
        () if *experiment == kinds::KERNEL_BANDWIDTH => Some(kinds::BANDWIDTH_BY_SIZE),
        () if *experiment == kinds::IDLE_LATENCY => Some(kinds::LOAD_LATENCY),
        () => None,
    }
}

/// Joins the runs of each series of sizes.
pub(crate) fn join(harvest: &mut Harvest) {
    let mut sizes: BTreeMap<Series, BTreeSet<u64>> = BTreeMap::new();
    for block in harvest.runs.iter().flat_map(|run| &run.blocks) {
        if let Some((series, size)) = single(block) {
            sizes.entry(series).or_default().insert(size);
        }
    }
    sizes.retain(|_, sizes| is_sweep(sizes) || is_of_caches(sizes));
    if sizes.is_empty() {
        return;
    }
    let mut joined: BTreeMap<Series, (usize, BTreeMap<u64, Vec<Value>>)> = BTreeMap::new();
    let mut warnings: BTreeMap<Series, Vec<Warning>> = BTreeMap::new();
    for (rank, run) in harvest.runs.iter_mut().enumerate() {
        for block in std::mem::take(&mut run.blocks) {
            match single(&block).filter(|(series, _)| sizes.contains_key(series)) {
                Some((series, size)) => {
                    warnings.entry(series.clone()).or_default().extend(block.warnings);
                    let (_, known) = joined.entry(series).or_insert_with(|| (rank, BTreeMap::new()));
                    known.entry(size).or_default().extend(block.values);
                }
                None => run.blocks.push(block),
            }
        }
    }
    for (series, (rank, values)) in joined {
        let mut block = Block::new(table(&series.0).unwrap_or(series.0.clone()));
        block.warnings = Warning::union(&warnings.remove(&series).unwrap_or_default());
        for (size, values) in values {
            if let Some(value) = sampled(values) {
                block.push(Value { at: place(value.at.clone(), size), ..value });
            }
        }
        if let Some(run) = harvest.runs.get_mut(rank) {
            run.blocks.push(block);
        }
    }
    harvest.runs.retain(|run| !run.blocks.is_empty());
}

/// What a block with a single value belongs to, and its size.
fn single(block: &Block) -> Option<(Series, u64)> {
    let [value] = &block.values[..] else { return None };
    table(&block.experiment)?;
    let size = value.at.number(Axis::Footprint).unwrap_or_else(|| value.buffers.get());
    (size > 0).then(|| ((block.experiment.clone(), value.measure, without_size(&value.at)), size))
}

/// One value of several of the same size: their median, with all of them as samples.
fn sampled(values: Vec<Value>) -> Option<Value> {
    let medians: Vec<f64> = values.iter().map(|value| value.estimate.median).collect();
    let mut first = values.into_iter().next()?;
    // That its buffer is small is what was wanted.
    first.warnings.retain(|warning| !matches!(warning, Warning::CachesUnknown { .. }));
    if medians.len() > 1 && medians.iter().all(|value| value.is_finite()) {
        let sorted = ascending(&medians);
        let (mean, standard_deviation) = mean_and_deviation(&medians);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let median = median(medians.iter().copied())?;
        // A few repeats have no interval.
        first.estimate = Estimate { min, max, mean, standard_deviation, ..Estimate::exact(median) };
        first.samples = medians;
    }
    Some(first)
}

/// Where a value of a series stands in its table: a CPU and the memory that it reads are a case there.
fn place(mut at: Coordinates, size: u64) -> Coordinates {
    let cpu = at.0.remove(&Axis::Cpu).map(|cpu| format!("CPU {cpu}"));
    let target = if cpu.is_some() { at.0.remove(&Axis::Target) } else { None };
    let memory = target.map(|target| target.to_string()).filter(|target| target != LOCAL);
    let case: Vec<String> =
        cpu.into_iter().chain(memory.map(|memory| format!("memory of {memory}"))).collect();
    if !case.is_empty() {
        at = at.with(Axis::Case, case.join(", "));
    }
    at.with(Axis::Footprint, size)
}

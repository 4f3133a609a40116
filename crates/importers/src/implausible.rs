//! Values that cannot be true.

use std::collections::BTreeMap;

use zerohop_result::{Axis, Cell, Coordinate, ExperimentName, Measure};
use zerohop_units::{Bytes, GigabytesPerSecond};
use zerohop_workload::Warning;

use crate::{kinds, outliers, sweep};

/// Experiments whose bandwidths may be those of caches or of devices.
const OF_CACHES: [ExperimentName; 4] =
    [kinds::CACHE_BANDWIDTH, kinds::DEVICE_BANDWIDTH, kinds::KERNEL_BANDWIDTH, kinds::BANDWIDTH_BY_SIZE];

/// Experiments whose bandwidths are those of a node's whole memory.
const OF_MEMORY: [ExperimentName; 4] =
    [kinds::BANDWIDTH_MATRIX, kinds::MIXES, kinds::MAXIMUM_BANDWIDTH, kinds::STREAM];

/// Experiments whose latencies are those of memory that nothing else uses.
const OF_IDLE_MEMORY: [ExperimentName; 3] = [kinds::LATENCY_MATRIX, kinds::CORE_LATENCY, kinds::IDLE_LATENCY];

/// A load takes longer than this, in ns: a fifth of a cycle of the fastest processor.
const SHORTEST: f64 = 0.02;

/// A load that waits for the one before takes longer than this, in ns: a cycle of the fastest processor.
const SHORTEST_DEPENDENT: f64 = 0.15;

/// A load takes less than this, in ns.
const LONGEST: f64 = 1e7;

/// Idle memory answers within these bounds, in ns, also behind a switch: caches are faster, and other units give other numbers.
const IDLE: (f64, f64) = (2.0, 20_000.0);

/// Loaded memory answers sooner, in ns, also where it collapses: a bandwidth in the place of a latency is longer.
const LONGEST_LOADED: f64 = 5e4;

/// No machine's caches move more, in GB/s: more is an error of the unit.
const FASTEST: f64 = 1e6;

/// No machine's memory moves more, in GB/s.
const FASTEST_MEMORY: f64 = 20_000.0;

/// No link between a host and a device moves more, in GB/s, nor does a host's memory: where nothing had to be moved, a mapping of memory
/// seems to.
const FASTEST_TRANSFER: f64 = 2000.0;

/// Memory that MLC measures moves more, in GB/s: less is an error of the unit.
const SLOWEST: f64 = 0.1;

/// The own memory of a node that MLC measures moves more, in GB/s: a mark between thousands that was read as a decimal point leaves less.
const SLOWEST_OF_OWN: f64 = 1.0;

/// Experiments in which arrays are to be larger than caches.
const OF_ARRAYS: [ExperimentName; 3] = [kinds::STREAM, kinds::STREAM_BY_THREADS, kinds::KERNEL_BANDWIDTH];

/// Caches of one thread and its share of what it shares with others, at least, in server processors since 2009.
const CACHE_OF_A_THREAD: u64 = 1 << 20;

/// Caches of a whole processor.
const CACHE: u64 = 16 << 20;

/// Fewer equal values than this are a coincidence.
const MANY: usize = 4;

/// Marks cells of an experiment whose values cannot be true.
///
/// `peak` is the theoretical bandwidth of the machine's memory, where it is known.
pub(crate) fn mark(experiment: &ExperimentName, cells: &mut [Cell], peak: Option<GigabytesPerSecond>) {
    let caches = OF_CACHES.contains(experiment);
    let fastest = if caches { FASTEST } else { FASTEST_MEMORY };
    let shortest = if *experiment == kinds::LOAD_LATENCY { SHORTEST_DEPENDENT } else { SHORTEST };
    let idle = OF_IDLE_MEMORY.contains(experiment);
    let mut equal: BTreeMap<Measure, (f64, usize, bool)> = BTreeMap::new();
    for cell in cells.iter() {
        let value = cell.estimate.median;
        let entry = equal.entry(cell.measure).or_insert((value, 0, true));
        entry.1 += 1;
        entry.2 &= entry.0 == value;
    }
    let table = outliers::Table::of(experiment, cells);
    let of_sweeps = sweep::of_sweeps(cells);
    for (rank, cell) in cells.iter_mut().enumerate() {
        let value = cell.estimate.median;
        let mut reasons = Vec::new();
        let (what, unit, shown) = (cell.measure.words(), cell.measure.unit(), shown(value));
        if value < 0.0 {
            reasons.push(format!("a {what} cannot be negative, but this is {shown} {unit}"));
        } else if value == 0.0 && *experiment != kinds::MEMORY_TRAFFIC {
            reasons.push(format!("a {what} is not 0"));
        } else if cell.measure == Measure::Latency && !(shortest..=LONGEST).contains(&value) {
            reasons.push(format!("no memory has a {what} of {shown} {unit}"));
        } else if cell.measure == Measure::Latency
            && idle
            && cell.at.get(Axis::Footprint).is_none()
            && !(IDLE.0..=IDLE.1).contains(&value)
        {
            reasons.push(format!("no idle memory has a {what} of {shown} {unit}: the unit may be wrong"));
        } else if cell.measure == Measure::Latency
            && *experiment == kinds::LOADED_LATENCY
            && value > LONGEST_LOADED
        {
            reasons.push(format!("no load causes a {what} of {shown} {unit}: it may be a bandwidth"));
        } else if cell.measure == Measure::Bandwidth && value > fastest {
            reasons.push(format!("no machine has a {what} of {shown} {unit}: the unit may be wrong"));
        } else if cell.measure == Measure::Bandwidth && value > FASTEST_TRANSFER && is_transfer(cell) {
            reasons.push(format!("no link has a {what} of {shown} {unit}: probably no data was moved"));
        } else if cell.measure == Measure::Bandwidth && value < SLOWEST && OF_MEMORY.contains(experiment) {
            reasons.push(format!("no memory has a {what} of {shown} {unit}: the unit may be wrong"));
        } else if cell.measure == Measure::Bandwidth && value < SLOWEST_OF_OWN && is_own(experiment, cell) {
            reasons.push(format!("no local memory has a {what} of {shown} {unit}: the unit may be wrong"));
        } else if let Some(peak) = peak.filter(|_| cell.measure == Measure::Bandwidth && !caches)
            && value > peak.get()
        {
            reasons.push(format!("{shown} {unit} is more than the {peak:.1} that the memory can deliver"));
        }
        if let Some(strange) =
            table.as_ref().filter(|_| reasons.is_empty()).and_then(|table| table.reason(cell))
        {
            reasons.push(format!("{shown} {unit}: {strange}"));
        }
        // A single digit is equal to others by rounding.
        if let Some((_, count, true)) = equal.get(&cell.measure)
            && *count >= MANY
            && !(value < 1.0 && shown.len() <= "0.1".len())
        {
            reasons.push(format!("all {count} values are {shown} {unit}"));
        }
        if OF_ARRAYS.contains(experiment)
            && !of_sweeps.contains(&rank)
            && let Some(buffer) = may_fit_caches(cell)
        {
            cell.warnings.push(Warning::CachesUnknown { buffer });
        }
        cell.warnings.extend(reasons.into_iter().map(|reason| Warning::Implausible { reason }));
    }
}

/// Whether a value is of a node's own memory, or of all memory, as MLC measures it.
fn is_own(experiment: &ExperimentName, cell: &Cell) -> bool {
    let of_matrix = *experiment == kinds::BANDWIDTH_MATRIX
        && cell.at.number(Axis::Initiator).is_some_and(|node| cell.at.number(Axis::Target) == Some(node));
    of_matrix || *experiment == kinds::MIXES || *experiment == kinds::MAXIMUM_BANDWIDTH
}

/// The buffers of a value, if the caches of those who used them may hold them.
fn may_fit_caches(cell: &Cell) -> Option<Bytes> {
    let buffers = cell.evidence.buffers;
    let caches = CACHE.max(CACHE_OF_A_THREAD * u64::from(cell.evidence.workers));
    (1..=caches).contains(&buffers.get()).then_some(buffers)
}

/// A value with the digits that tell it from others.
fn shown(value: f64) -> String {
    let rounded = format!("{value:.4}");
    match rounded.parse::<f64>() {
        Ok(0.0) | Err(_) => format!("{value:e}"),
        Ok(rounded) => rounded.to_string(),
    }
}

/// Whether a value is of a transfer between the host and a device.
fn is_transfer(cell: &Cell) -> bool {
    matches!(cell.at.get(Axis::Case), Some(Coordinate::Word(case)) if case.to_ascii_lowercase().contains("transfer"))
}

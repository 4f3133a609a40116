//! What results say about pairs of nodes, about mixes, and about few threads.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_result::{Axis, Catalogue, Cell, Coordinate, Estimate, Glance, Measure, Query, ResultFile};
use zerohop_workload::{Kernel, Warning, Weight};

/// Which end of an interval, or its middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Low,
    Median,
    High,
}

/// A measured value with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Value {
    low: f64,
    median: f64,
    high: f64,
}

/// What was measured of a machine.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measured {
    /// GB/s of all cores of a node with a node's memory, of the kernel that is meant.
    pub(super) bandwidth: BTreeMap<(NodeId, NodeId), Value>,
    /// GB/s of all remote accesses while all nodes work at once.
    pub(super) all_ways: Option<Value>,
    /// GB/s of all cores while each uses memory interleaved over all nodes.
    pub(super) spread: Option<Value>,
    /// ns of a load.
    pub(super) latency: BTreeMap<(NodeId, NodeId), Value>,
    /// How the bandwidth of a node's cores rises with their number: numbers of cores, ascending, and the share of the highest that
    /// they achieve; empty if it was not measured.
    pub(super) ramp: Vec<(f64, f64)>,
    /// Where bandwidth collapses as more and more threads of other nodes use one node's memory: numbers of threads, ascending from the peak on,
    /// and the share of the peak that they achieve; empty if it does not collapse, or that was not measured.
    pub(super) crowd: Vec<(f64, f64)>,
    /// Whether bandwidths are those of the kernel that is meant.
    pub(super) knows_mix: bool,
    /// Why values of the matrices may be wrong.
    pub(super) doubts: Doubts,
}

/// Why values of a matrix may be wrong, if they may.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Doubts {
    pub(super) bandwidth: Option<String>,
    pub(super) latency: Option<String>,
}

impl Value {
    fn of(estimate: &Estimate) -> Self {
        Self { low: estimate.low, median: estimate.median, high: estimate.high }
    }

    fn scaled(self, factor: f64) -> Self {
        Self { low: self.low * factor, median: self.median * factor, high: self.high * factor }
    }

    pub(super) fn at(&self, end: End) -> f64 {
        match end {
            End::Low => self.low,
            End::Median => self.median,
            End::High => self.high,
        }
    }
}

impl Measured {
    pub(super) fn of(results: &[&ResultFile], experiments: Catalogue, kernel: Kernel) -> Self {
        let own = matrix(results, experiments, Measure::Bandwidth, Some(kernel));
        let latency = matrix(results, experiments, Measure::Latency, None);
        let ramp = ramp(results);
        let crowd = crowd(results);
        let scale = factor(results, None, kernel).unwrap_or(1.0);
        let all_ways = all_ways(results).map(|all| all.scaled(scale));
        let spread = spread(results).map(|all| all.scaled(scale));
        let doubts = Doubts {
            bandwidth: doubt(results, experiments, Measure::Bandwidth),
            latency: doubt(results, experiments, Measure::Latency),
        };
        if !own.is_empty() {
            return Self { bandwidth: own, all_ways, spread, latency, ramp, crowd, knows_mix: true, doubts };
        }
        let mut bandwidth = matrix(results, experiments, Measure::Bandwidth, Some(Kernel::Read));
        let mut knows_mix = true;
        for ((initiator, _), value) in &mut bandwidth {
            let factor = factor(results, Some(*initiator), kernel);
            knows_mix &= factor.is_some();
            *value = value.scaled(factor.unwrap_or(1.0));
        }
        Self { bandwidth, all_ways, spread, latency, ramp, crowd, knows_mix, doubts }
    }
}

/// The cells of the experiment that measures this from every node to every node, with that kernel.
fn matrix(
    results: &[&ResultFile],
    experiments: Catalogue,
    measure: Measure,
    kernel: Option<Kernel>,
) -> BTreeMap<(NodeId, NodeId), Value> {
    let query = Query::of(measure);
    let of_kernel = |cell: &&Cell| match (kernel, cell.at.get(Axis::Kernel)) {
        // Reads do not name the kernel.
        (Some(kernel), None) => kernel == Kernel::Read,
        (Some(kernel), Some(named)) => *named == Coordinate::from(kernel.name()),
        (None, _) => true,
    };
    let mut matrix = BTreeMap::new();
    for cell in
        of_matrices(results, experiments, measure).filter(|cell| query.selects(cell)).filter(of_kernel)
    {
        let node = |axis| Some(NodeId(u32::try_from(cell.at.number(axis)?).ok()?));
        if let (Some(initiator), Some(target)) = (node(Axis::Initiator), node(Axis::Target))
            && cell.estimate.median > 0.0
        {
            matrix.entry((initiator, target)).or_insert(Value::of(&cell.estimate));
        }
    }
    matrix
}

/// The cells of the experiments that measure this from every node to every node.
fn of_matrices<'a>(
    results: &'a [&ResultFile],
    experiments: Catalogue,
    measure: Measure,
) -> impl Iterator<Item = &'a Cell> {
    let is_meant = move |name: &str| {
        let known = experiments.all().find(|known| known.name == name);
        known.is_some_and(|known| known.glance == Some(Glance::NearAndFar(measure)))
    };
    let all = results.iter().flat_map(|result| &result.experiments);
    all.filter(move |result| is_meant(result.experiment.as_str())).flat_map(|result| &result.cells)
}

/// How many values of the matrices may be wrong, and why the first of them.
fn doubt(results: &[&ResultFile], experiments: Catalogue, measure: Measure) -> Option<String> {
    let cells: Vec<&Cell> = of_matrices(results, experiments, measure).collect();
    let doubtful: Vec<&Cell> = cells.iter().copied().filter(|cell| cell.is_doubtful()).collect();
    let casts_doubt =
        |warning: &&Warning| Warning::worst_weight(std::slice::from_ref(*warning)) == Some(Weight::Doubt);
    let why = doubtful.first()?.warnings.iter().find(casts_doubt)?;
    Some(format!(
        "{} of {} values of {} from every node to every node are in doubt, and so is this advice: {why}",
        doubtful.len(),
        cells.len(),
        measure.words()
    ))
}

/// How many times a node's reads, or all nodes', another kernel achieves on local memory: of that node, else of the whole machine.
fn factor(results: &[&ResultFile], node: Option<NodeId>, kernel: Kernel) -> Option<f64> {
    if kernel == Kernel::Read {
        return Some(1.0);
    }
    let of = |wanted: Kernel, initiator: &Coordinate| {
        let words = words(wanted);
        let is_meant = |cell: &&Cell| {
            cell.measure == Measure::Bandwidth
                && cell.at.get(Axis::Initiator) == Some(initiator)
                && cell
                    .at
                    .get(Axis::Mix)
                    .is_some_and(|mix| words.iter().any(|word| *mix == Coordinate::from(word.as_str())))
        };
        let cells =
            results.iter().flat_map(|result| &result.experiments).flat_map(|result| result.cells.iter());
        cells
            .filter(is_meant)
            .map(|cell| cell.estimate.median)
            .fold(None, |best: Option<f64>, value| Some(best.map_or(value, |best| best.max(value))))
    };
    let ratio = |initiator: Coordinate| Some(of(kernel, &initiator)? / of(Kernel::Read, &initiator)?);
    let of_node = node.and_then(|node| ratio(node.0.into()));
    of_node.or_else(|| ratio("all".into())).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
}

/// The words for a kernel where mixes are measured.
fn words(kernel: Kernel) -> Vec<String> {
    let traffic = kernel.traffic();
    let ratio = format!("{}:{}", traffic.loads, traffic.stores);
    match kernel {
        Kernel::Read => vec!["all_reads".to_owned()],
        Kernel::Write => vec!["all_writes".to_owned()],
        Kernel::WriteNt => vec!["all_writes_nt".to_owned()],
        Kernel::TriadNt => vec!["stream_triad_like".to_owned()],
        _ if kernel.arrays() == 1 => vec![ratio],
        _ => Vec::new(),
    }
}

/// What all nodes achieved together with memory interleaved over all nodes.
fn spread(results: &[&ResultFile]) -> Option<Value> {
    everyone(results)
        .filter(|cell| cell.at.is(Axis::Target, INTERLEAVED))
        .map(|cell| Value::of(&cell.estimate))
        .max_by(|one, other| one.median.total_cmp(&other.median))
}

/// Reads by all nodes at once.
fn everyone<'a>(results: &'a [&ResultFile]) -> impl Iterator<Item = &'a Cell> {
    let cells = results.iter().flat_map(|result| result.experiments.iter());
    cells.flat_map(|experiment| experiment.cells.iter()).filter(|cell| {
        let plain = cell.at.get(Axis::Load).is_none() && cell.at.get(Axis::Kernel).is_none();
        plain && cell.measure == Measure::Bandwidth && cell.at.is(Axis::Initiator, "all")
    })
}

/// The word for memory interleaved over all nodes.
const INTERLEAVED: &str = "interleaved";

/// What all remote accesses achieved together while all nodes read memory of other nodes, or memory interleaved over all nodes.
fn all_ways(results: &[&ResultFile]) -> Option<Value> {
    let targets = results.first().map_or(1, |result| result.machine.targets().count().max(1)) as f64;
    let remote = everyone(results).filter_map(|cell| {
        let share = match cell.at.get(Axis::Target)? {
            target if *target == Coordinate::from("remote") => 1.0,
            target if *target == Coordinate::from(INTERLEAVED) => 1.0 - 1.0 / targets,
            _ => return None,
        };
        Some(Value::of(&cell.estimate).scaled(share))
    });
    remote.max_by(|one, other| one.median.total_cmp(&other.median))
}

/// The ramp of one node's cores that has most points.
fn ramp(results: &[&ResultFile]) -> Vec<(f64, f64)> {
    let mut ramps: BTreeMap<(Coordinate, Coordinate), Vec<(f64, f64)>> = BTreeMap::new();
    let cells = results.iter().flat_map(|result| &result.experiments).flat_map(|result| result.cells.iter());
    for cell in cells.filter(|cell| cell.measure == Measure::Bandwidth) {
        let at = |axis| cell.at.get(axis).cloned();
        if let (Some(cores), Some(initiator), Some(target)) =
            (cell.at.number(Axis::CoresPerNode), at(Axis::Initiator), at(Axis::Target))
            && matches!(initiator, Coordinate::Number(_))
        {
            ramps.entry((initiator, target)).or_default().push((cores as f64, cell.estimate.median));
        }
    }
    // Of ramps with as many points, that of local memory says most of one thread.
    let best = ramps.into_iter().max_by_key(|((from, to), points)| (points.len(), from == to));
    let mut points = best.map_or_else(Vec::new, |(_, points)| points);
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let peak = points.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    if points.len() < 2 || peak <= 0.0 {
        return Vec::new();
    }
    points.into_iter().map(|(cores, value)| (cores, value / peak)).collect()
}

/// A fall to less than this share of the peak is a collapse and no decline, as in the rule `collapse` of the diagnosis.
const COLLAPSE: f64 = 0.6;

/// Initiator, target and kernel of a ramp.
type Way = (Coordinate, Coordinate, Option<Coordinate>);

/// The ramp of other nodes' cores that collapses most, from its peak on.
fn crowd(results: &[&ResultFile]) -> Vec<(f64, f64)> {
    let cells = results.iter().flat_map(|result| &result.experiments).flat_map(|result| result.cells.iter());
    let mut ramps: BTreeMap<Way, Vec<(f64, f64)>> = BTreeMap::new();
    for cell in
        cells.filter(|cell| cell.measure == Measure::Bandwidth && cell.at.get(Axis::Statistic).is_none())
    {
        let at = |axis| cell.at.get(axis).cloned();
        if at(Axis::CoresPerNode).is_some()
            && let (Some(initiator), Some(target @ Coordinate::Number(_))) = (at(Axis::Initiator), at(Axis::Target))
            && initiator != target
            // Of several initiators, together.
            && (initiator == Coordinate::from("all") || u64::from(cell.evidence.workers) == cell.at.number(Axis::CoresPerNode).unwrap_or(0))
        {
            let curve = ramps.entry((initiator, target, at(Axis::Kernel))).or_default();
            curve.push((f64::from(cell.evidence.workers), cell.estimate.median));
        }
    }
    let falls = ramps.into_values().filter_map(|mut points| {
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let peak = points.iter().map(|(_, value)| *value).fold(0.0, f64::max);
        let from = points.iter().position(|(_, value)| *value == peak)?;
        let fall: Vec<(f64, f64)> =
            points[from..].iter().map(|(threads, value)| (*threads, value / peak)).collect();
        let end = fall.last()?.1;
        (end < COLLAPSE).then_some((end, fall))
    });
    falls.min_by(|one, other| one.0.total_cmp(&other.0)).map_or_else(Vec::new, |(_, fall)| fall)
}

/// The value between the points of a curve, in proportion; that of the last one beyond it, and `None` without points.
fn between(points: &[(f64, f64)], first: (f64, f64), at: f64) -> Option<f64> {
    let above = points.iter().position(|(known, _)| *known >= at);
    let (low, high) = match above {
        Some(0) => (first, points[0]),
        Some(rank) => (points[rank - 1], points[rank]),
        None => return points.last().map(|(_, value)| *value),
    };
    Some(low.1 + (high.1 - low.1) * (at - low.0) / (high.0 - low.0))
}

impl Measured {
    /// The share of the highest bandwidth that so many cores of a node achieve together; `None` without a ramp.
    pub(super) fn share_of_cores(&self, cores: f64) -> Option<f64> {
        between(&self.ramp, (0.0, 0.0), cores)
    }

    /// The share of a memory's bandwidth that is left where so many threads of other nodes use it at a time.
    pub(super) fn share_of_crowd(&self, threads: f64) -> f64 {
        between(&self.crowd, (0.0, 1.0), threads).unwrap_or(1.0)
    }
}

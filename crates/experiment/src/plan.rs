//! A plan: what an experiment will measure, as data. The runner carries it out.

use std::collections::BTreeSet;
use std::ops::Range;

use zerohop_machine::NodeId;
use zerohop_units::{Bytes, Nanoseconds};
use zerohop_workload::{Demand, Role, Sample, Warning, Workload};

use crate::protocol::Pace;
use crate::requested_cells::RequestedCells;
use zerohop_result::{Axis, Coordinate, Coordinates, Measure};

/// Measurements of an experiment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Plan {
    /// The measurements, in the order of the result.
    pub(crate) measurements: Vec<Measurement>,
    /// The order in which they run, as ranks among the measurements: an engine can reuse the memory of the previous
    /// measurement.
    pub(crate) order: Vec<usize>,
    /// Summaries of other cells.
    pub(crate) summaries: Vec<Summary>,
    /// Times relative to a base.
    pub(crate) ratios: Vec<Ratio>,
    /// Curves to summarize in a few values.
    pub(crate) curves: Vec<Curve>,
    /// A cache whose size is to be checked.
    pub(crate) claim: Option<CacheClaim>,
    /// Warnings about the whole experiment.
    pub(crate) warnings: Vec<Warning>,
}

/// A cache that a virtual machine advertises, and the measurements that show how large it really is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CacheClaim {
    pub(crate) advertised: Bytes,
    /// Chases through buffers that should fit: rank and size, ascending by size.
    pub(crate) within: Vec<(usize, Bytes)>,
    /// The chase through memory, by rank.
    pub(crate) memory: usize,
}

/// One workload, and the cells that its samples fill.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measurement {
    /// The coordinates of its cells.
    pub(crate) at: Coordinates,
    /// A second set of coordinates for the same cells, if its workload has two names. Threads have the same names in
    /// both.
    pub(crate) twin: Option<Coordinates>,
    /// Description in words.
    pub(crate) label: String,
    pub(crate) workload: Workload,
    /// The values read from each sample: one cell each. Not empty.
    pub(crate) readings: Vec<Reading>,
    /// Whether the mean time of a line fill is also a cell, where the engine sees it.
    pub(crate) fill_time: bool,
    /// Determines the length of its samples.
    pub(crate) pace: Pace,
    /// Warnings known before it runs.
    pub(crate) warnings: Vec<Warning>,
}

/// A value read from a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Time of one step of the first worker's chase.
    Latency,
    /// The time of one load of the first worker's chase that this share of its batches does not exceed. A histogram of all of them
    /// is in further cells.
    Quantile(Quantile),
    /// Half the round-trip time of the first worker's cache lines. Where the engine sees it, the spread over the lines is also a
    /// cell.
    LineTransfer,
    /// Aggregate bandwidth of the workers with that role.
    Bandwidth(Role),
    /// Aggregate bus traffic of the workers with that role.
    BusTraffic(Role),
    /// Aggregate bandwidth of the workers on one node.
    BandwidthOf { workers: Range<usize>, initiator: NodeId },
    /// Time per line of one worker.
    TimePerLine { worker: usize, thread: String },
    /// Sum of the times per line of all foreground workers.
    TotalTimePerLine,
}

/// A share of all loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantile {
    P50,
    /// All but one in a hundred.
    P99,
    /// All but one in a thousand.
    P999,
}

impl Quantile {
    /// Name in results.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::P50 => "p50",
            Self::P99 => "p99",
            Self::P999 => "p99.9",
        }
    }

    const fn share(self) -> f64 {
        match self {
            Self::P50 => 0.5,
            Self::P99 => 0.99,
            Self::P999 => 0.999,
        }
    }
}

/// Ratio of the total time per line of two measurements.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ratio {
    /// Rank of the numerator.
    pub(crate) of: usize,
    /// Rank of the base.
    pub(crate) base: usize,
}

/// A curve of bandwidth that rises, bends and may fall, summarized by its `peak`, its `knee` and its `fall`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Curve {
    /// Ranks of its points among the plan's measurements, in order. Not empty.
    pub(crate) over: Vec<usize>,
}

/// Bytes of a line.
const LINE: f64 = 64.0;

/// Cells that summarize others: `min`, `mean`, `max` and `standard_deviation` of their medians.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Summary {
    /// Their coordinates, except for the statistic.
    pub(crate) at: Coordinates,
    /// The cells to summarize: the first reading of each of these measurements, by rank.
    pub(crate) over: Vec<usize>,
}

impl Plan {
    /// A plan that runs its measurements in the order of the result.
    pub(crate) fn in_order(measurements: Vec<Measurement>) -> Self {
        let order = (0..measurements.len()).collect();
        Self { measurements, order, ..Self::default() }
    }

    /// Measurements that fill cells at one of these places, and the ones that other cells are computed from.
    #[must_use]
    pub(crate) fn at(mut self, places: &[Coordinates]) -> Self {
        let summarized = self.summaries.iter().flat_map(|summary| &summary.over);
        let related = self.ratios.iter().flat_map(|ratio| [&ratio.of, &ratio.base]);
        let on_curves = self.curves.iter().flat_map(|curve| &curve.over);
        let claimed = self.claim.iter().flat_map(|claim| {
            claim.within.iter().map(|(rank, _)| rank).chain(std::iter::once(&claim.memory))
        });
        let needed: BTreeSet<usize> =
            summarized.chain(related).chain(on_curves).chain(claimed).copied().collect();
        let mut wanted = RequestedCells::at(places);
        let mut is_kept = |rank: usize, measurement: &Measurement| {
            needed.contains(&rank) || measurement.places().any(|own| wanted.has(own))
        };
        let kept: Vec<usize> =
            (0..self.measurements.len()).filter(|&rank| is_kept(rank, &self.measurements[rank])).collect();
        // Ranks among those that are kept: whatever another cell is computed from is.
        let now = |rank: usize| kept.binary_search(&rank).unwrap_or_default();
        let all = |ranks: &mut Vec<usize>| ranks.iter_mut().for_each(|rank| *rank = now(*rank));
        self.order = self.order.into_iter().filter_map(|rank| kept.binary_search(&rank).ok()).collect();
        self.summaries.iter_mut().for_each(|summary| all(&mut summary.over));
        self.curves.iter_mut().for_each(|curve| all(&mut curve.over));
        for ratio in &mut self.ratios {
            (ratio.of, ratio.base) = (now(ratio.of), now(ratio.base));
        }
        if let Some(claim) = &mut self.claim {
            claim.within.iter_mut().for_each(|(rank, _)| *rank = now(*rank));
            claim.memory = now(claim.memory);
        }
        let mut rank = 0..;
        self.measurements.retain(|_| rank.next().is_some_and(|rank| kept.binary_search(&rank).is_ok()));
        self
    }

    /// Measurements in the order in which they run.
    pub(crate) fn in_running_order(&self) -> impl Iterator<Item = &Measurement> {
        self.order.iter().map(|&which| &self.measurements[which])
    }

    /// The number of cells it will fill, without derived cells and cells about the machine's inside.
    pub(crate) fn cells(&self) -> usize {
        let cells = |measurement: &Measurement| measurement.readings.len() * measurement.places().count();
        self.measurements.iter().map(cells).sum()
    }
}

impl Measurement {
    /// Whether cells are computed from the engine's observations besides the workers' progress.
    pub(crate) fn looks_inside(&self) -> bool {
        let sees = |reading: &Reading| matches!(reading, Reading::LineTransfer | Reading::Quantile(_));
        self.looks_at_parts() || self.readings.iter().any(sees)
    }

    /// Whether that is what parts of the machine do, and not only what workers see themselves.
    pub(crate) const fn looks_at_parts(&self) -> bool {
        self.fill_time
    }

    /// The total size of its buffers.
    pub(crate) fn buffers(&self) -> Bytes {
        self.workload.workers.iter().map(|worker| worker.buffer).sum()
    }

    /// Whether both do the same work and read the same values from it, though these count in different places.
    pub(crate) fn does_the_same_as(&self, other: &Self) -> bool {
        let kind = |of: &Self| (of.pace, of.fill_time);
        kind(self) == kind(other) && self.readings == other.readings && self.workload == other.workload
    }

    /// All coordinates of its cells.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Coordinates> {
        std::iter::once(&self.at).chain(&self.twin)
    }
}

impl Reading {
    pub(crate) const fn measure(&self) -> Measure {
        match self {
            Self::Latency | Self::Quantile(_) | Self::LineTransfer => Measure::Latency,
            Self::Bandwidth(_) | Self::BandwidthOf { .. } => Measure::Bandwidth,
            Self::BusTraffic(_) => Measure::BusTraffic,
            Self::TimePerLine { .. } | Self::TotalTimePerLine => Measure::TimePerLine,
        }
    }

    /// Coordinate that distinguishes the cell from the measurement's others of the same measure.
    pub(crate) fn place(&self) -> Option<(Axis, Coordinate)> {
        match self {
            Self::BandwidthOf { initiator, .. } => Some((Axis::Initiator, initiator.0.into())),
            Self::TimePerLine { thread, .. } => Some((Axis::Thread, thread.as_str().into())),
            Self::Quantile(quantile) => Some((Axis::Statistic, quantile.name().into())),
            _ => None,
        }
    }

    /// The ranks of the workers whose progress it is about.
    fn workers(&self, workload: &Workload) -> Vec<usize> {
        let with = |role| {
            let workers = workload.workers.iter().enumerate();
            workers.filter(|(_, worker)| worker.role == role).map(|(rank, _)| rank).collect()
        };
        match self {
            Self::Latency | Self::Quantile(_) | Self::LineTransfer => vec![0],
            Self::Bandwidth(role) | Self::BusTraffic(role) => with(*role),
            Self::BandwidthOf { workers, .. } => workers.clone().collect(),
            Self::TimePerLine { worker, .. } => vec![*worker],
            Self::TotalTimePerLine => with(Role::Foreground),
        }
    }

    /// The number of lines in a sample that its value rests on.
    pub(crate) fn lines(&self, workload: &Workload, sample: &Sample) -> f64 {
        let workers = self.workers(workload).into_iter().filter_map(|rank| sample.workers.get(rank));
        workers.map(|worker| worker.in_window.bytes.get() as f64 / LINE + worker.in_window.steps).sum()
    }

    /// Value in the unit of the measure; `None` if no work was done in the window.
    pub(crate) fn value(&self, workload: &Workload, sample: &Sample) -> Option<f64> {
        let workers = self.workers(workload).into_iter();
        let time_per_line = |rank: usize| {
            let lines = sample.workers.get(rank)?.in_window.bytes.get() as f64 / LINE;
            (lines > 0.0).then(|| sample.window.per_step(lines).get())
        };
        let value = match self {
            Self::Latency => sample.step_time(0).map(Nanoseconds::get)?,
            Self::Quantile(quantile) => {
                sample.workers.first()?.loads.as_ref()?.quantile(quantile.share())?.get()
            }
            Self::LineTransfer => sample.step_time(0).map(|round_trip| (round_trip / 2.0).get())?,
            Self::Bandwidth(_) | Self::BandwidthOf { .. } => sample.bandwidth(workers).get(),
            Self::BusTraffic(_) => sample.bus_traffic(workers).get(),
            Self::TimePerLine { .. } | Self::TotalTimePerLine => {
                workers.map(time_per_line).sum::<Option<f64>>()?
            }
        };
        (value.is_finite() && value > 0.0).then_some(value)
    }

    /// For a latency, its value in the quietest tenth of the sample, where that is known.
    pub(crate) fn quiet(&self, sample: &Sample) -> Option<f64> {
        let step = sample.quiet_step_time(0);
        match self {
            Self::Latency => step.map(Nanoseconds::get),
            Self::LineTransfer => step.map(|round_trip| (round_trip / 2.0).get()),
            _ => None,
        }
    }
}

/// The lowest share of its demanded rate that any paced worker reached; `None` if none was paced.
pub(crate) fn demand_reached(workload: &Workload, sample: &Sample) -> Option<f64> {
    let paced =
        workload.workers.iter().zip(&sample.workers).filter_map(|(worker, done)| match worker.demand {
            Demand::Rate(rate) => Some(done.in_window.bytes.per(sample.window) / rate),
            Demand::Unlimited | Demand::Delay(_) => None,
        });
    paced.min_by(f64::total_cmp)
}

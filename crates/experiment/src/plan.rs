//! A plan: what an experiment will measure, as data. The runner carries it out.

use std::ops::Range;

use zerohop_machine::NodeId;
use zerohop_units::{Bytes, Nanoseconds};
use zerohop_workload::{Demand, Role, Sample, Warning, Workload};

use crate::protocol::Pace;
use zerohop_result::{Axis, Coordinate, Coordinates, Measure};

/// What an experiment will measure.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Plan {
    /// In the order in which they stand in the result.
    pub(crate) measurements: Vec<Measurement>,
    /// The order in which they run, as ranks among the measurements: neighbours that use the same memory let an engine
    /// use it again.
    pub(crate) order: Vec<usize>,
    /// Cells to be made from other cells.
    pub(crate) summaries: Vec<Summary>,
    /// Times to be set beside a base.
    pub(crate) ratios: Vec<Ratio>,
    /// Curves to be told in a few numbers.
    pub(crate) curves: Vec<Curve>,
    /// What concerns the whole experiment.
    pub(crate) warnings: Vec<Warning>,
}

/// One workload, and the cells that its samples fill.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measurement {
    /// Where its cells stand.
    pub(crate) at: Coordinates,
    /// Where the same cells stand a second time, if its workload has two names; the threads that readings are of are named
    /// alike in both.
    pub(crate) twin: Option<Coordinates>,
    /// What it is, in words.
    pub(crate) label: String,
    /// What workers do.
    pub(crate) workload: Workload,
    /// What is read from each sample: one cell each. Not empty.
    pub(crate) readings: Vec<Reading>,
    /// Whether the mean time of a line fill is a cell as well, where the engine sees it.
    pub(crate) fill_time: bool,
    /// What decides the length of its samples.
    pub(crate) pace: Pace,
    /// What is known beforehand to make it doubtful.
    pub(crate) warnings: Vec<Warning>,
}

/// A number to be read from a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Time of one step of the first worker's chase.
    Latency,
    /// Half the time of a round trip of the first worker's handoff.
    Handoff,
    /// Bandwidth of the workers of that role together.
    Bandwidth(Role),
    /// Bus traffic of the workers of that role together.
    BusTraffic(Role),
    /// Bandwidth of these workers together, which run on that node.
    BandwidthOf {
        /// By rank.
        workers: Range<usize>,
        /// Where they run.
        initiator: NodeId,
    },
    /// Time that one worker takes for a line.
    TimePerLine {
        /// Its rank.
        worker: usize,
        /// Its name.
        thread: String,
    },
    /// Time for a line of each foreground worker, added up.
    TotalTimePerLine,
}

/// Total time per line of one measurement over that of another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ratio {
    /// Rank of what is compared.
    pub(crate) of: usize,
    /// Rank of what it is compared to.
    pub(crate) base: usize,
}

/// Bandwidth that rises, bends and may fall, told by its `peak`, its `knee` and its `fall`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Curve {
    /// Ranks of its points among the plan's measurements, in order. Not empty.
    pub(crate) over: Vec<usize>,
}

/// Bytes of a line.
const LINE: f64 = 64.0;

/// Cells that sum up others: `min`, `mean`, `max` and `standard_deviation` of their medians.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Summary {
    /// Where they stand, beside the statistic.
    pub(crate) at: Coordinates,
    /// What is summed up: ranks among the plan's measurements, of which the first reading counts.
    pub(crate) over: Vec<usize>,
}

impl Plan {
    /// A plan that runs its measurements in the order in which they stand.
    pub(crate) fn in_order(measurements: Vec<Measurement>) -> Self {
        let order = (0..measurements.len()).collect();
        Self { measurements, order, ..Self::default() }
    }

    /// How many cells it will fill, leaving aside those made from others and what is seen inside.
    pub(crate) fn cells(&self) -> usize {
        let cells = |measurement: &Measurement| measurement.readings.len() * measurement.places().count();
        self.measurements.iter().map(cells).sum()
    }
}

impl Measurement {
    /// Memory that all its buffers take.
    pub(crate) fn buffers(&self) -> Bytes {
        self.workload.workers.iter().map(|worker| worker.buffer).sum()
    }

    /// Everywhere its cells stand.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Coordinates> {
        std::iter::once(&self.at).chain(&self.twin)
    }
}

impl Reading {
    /// What it measures.
    pub(crate) const fn measure(&self) -> Measure {
        match self {
            Self::Latency | Self::Handoff => Measure::Latency,
            Self::Bandwidth(_) | Self::BandwidthOf { .. } => Measure::Bandwidth,
            Self::BusTraffic(_) => Measure::BusTraffic,
            Self::TimePerLine { .. } | Self::TotalTimePerLine => Measure::TimePerLine,
        }
    }

    /// What tells its cell from the measurement's others of the same measure.
    pub(crate) fn place(&self) -> Option<(Axis, Coordinate)> {
        match self {
            Self::BandwidthOf { initiator, .. } => Some((Axis::Initiator, initiator.0.into())),
            Self::TimePerLine { thread, .. } => Some((Axis::Thread, thread.as_str().into())),
            _ => None,
        }
    }

    /// Its number, in the measure's unit; `None` if nothing was done in the window.
    pub(crate) fn value(&self, workload: &Workload, sample: &Sample) -> Option<f64> {
        let ranks = |role| {
            let workers = workload.workers.iter().enumerate();
            workers.filter(move |(_, worker)| worker.role == role).map(|(rank, _)| rank)
        };
        let time_per_line = |rank: usize| {
            let lines = sample.workers.get(rank)?.in_window.bytes.get() as f64 / LINE;
            (lines > 0.0).then(|| sample.window.per_step(lines).get())
        };
        let value = match self {
            Self::Latency => sample.step_time(0).map(Nanoseconds::get)?,
            Self::Handoff => sample.step_time(0).map(|round_trip| (round_trip / 2.0).get())?,
            Self::Bandwidth(role) => sample.bandwidth(ranks(*role)).get(),
            Self::BusTraffic(role) => sample.bus_traffic(ranks(*role)).get(),
            Self::BandwidthOf { workers, .. } => sample.bandwidth(workers.clone()).get(),
            Self::TimePerLine { worker, .. } => time_per_line(*worker)?,
            Self::TotalTimePerLine => ranks(Role::Foreground).map(time_per_line).sum::<Option<f64>>()?,
        };
        (value.is_finite() && value > 0.0).then_some(value)
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

//! Which axis of which experiment goes down, which goes across, and what may be compared with what.

use zerohop_result::{Axis, Cell, Coordinate, ExperimentResult, Measure};

/// How a sheet is laid out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// What it shows.
    pub(crate) title: &'static str,
    /// The axis that goes down.
    pub(crate) rows: Axis,
    /// A second axis that goes down: a row for each place along both.
    pub(crate) rows_by: Option<Axis>,
    /// What goes across.
    pub(crate) columns: Columns,
    /// What is measured.
    pub(crate) measures: &'static [Measure],
    /// If given, only cells that stand at this word along this axis belong here.
    only: Option<(Axis, &'static str)>,
    /// What may be compared with what.
    pub(crate) ranking: Ranking,
    /// Who wants to see it.
    pub(crate) purpose: Purpose,
}

/// What goes across.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Columns {
    /// Places along an axis.
    Along(Axis),
    /// The measures.
    Measures,
    /// The measures; one that has a cell at each place along an axis, a column for each.
    MeasuresBy(Axis),
    /// The measures of a case, and of each of its threads.
    MeasuresAndThreads,
}

/// Among which cells of a sheet there is a best and a worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ranking {
    /// Among none.
    None,
    /// Among all.
    Whole,
    /// Among those of a row that stand under a number (nodes, but not the machine as a whole).
    EachRow,
    /// Among those of a column.
    EachColumn,
}

/// Who wants to see a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Everybody: it is on the survey's page.
    Overview,
    /// Whoever looks at this experiment.
    Detail,
}

/// Where a cell stands in a layout.
type Place<'a> = (RowPlace<'a>, Option<&'a Coordinate>, Measure);

/// Where a row stands: along the axis that goes down, and along the second.
pub(crate) type RowPlace<'a> = (Option<&'a Coordinate>, Option<&'a Coordinate>);

impl Columns {
    /// The axis along which its columns lie: one for each place.
    pub(crate) const fn axis(self) -> Option<Axis> {
        match self {
            Self::Along(axis) => Some(axis),
            Self::Measures | Self::MeasuresBy(_) | Self::MeasuresAndThreads => None,
        }
    }
}

impl Columns {
    /// The axis along which places make columns, of all measures or of some.
    pub(crate) const fn any_axis(self) -> Option<Axis> {
        match self {
            Self::Along(axis) | Self::MeasuresBy(axis) => Some(axis),
            Self::MeasuresAndThreads => Some(Axis::Thread),
            Self::Measures => None,
        }
    }
}

impl Layout {
    /// Whether a cell belongs here.
    pub(crate) fn takes(&self, cell: &Cell) -> bool {
        let own = [Some(self.rows), self.columns.any_axis()];
        let part = cell.at.0.keys().any(|axis| axis.is_part() && !own.contains(&Some(*axis)));
        let whose = self.columns.any_axis() != Some(Axis::Thread)
            || cell.at.get(Axis::Thread).is_none()
            || rank_of_thread(cell).is_some();
        !part
            && whose
            && self.measures.contains(&cell.measure)
            && cell.at.get(self.rows).is_some()
            && self.columns.axis().is_none_or(|axis| cell.at.get(axis).is_some())
            && self.only.is_none_or(|(axis, word)| cell.at.is(axis, word))
    }

    /// Where a cell stands here.
    pub(crate) fn place<'a>(&self, cell: &'a Cell) -> Place<'a> {
        let across = self.columns.any_axis().and_then(|axis| cell.at.get(axis));
        (self.row(cell), across, cell.measure)
    }

    /// The row in which a cell stands here.
    pub(crate) fn row<'a>(&self, cell: &'a Cell) -> RowPlace<'a> {
        (cell.at.get(self.rows), self.rows_by.and_then(|axis| cell.at.get(axis)))
    }

    const fn overview(
        title: &'static str,
        rows: Axis,
        columns: Columns,
        measures: &'static [Measure],
    ) -> Self {
        Self {
            title,
            rows,
            rows_by: None,
            columns,
            measures,
            only: None,
            ranking: Ranking::None,
            purpose: Purpose::Overview,
        }
    }

    const fn only(self, axis: Axis, word: &'static str) -> Self {
        Self { only: Some((axis, word)), ..self }
    }

    const fn ranked(self, ranking: Ranking) -> Self {
        Self { ranking, ..self }
    }

    const fn by(self, axis: Axis) -> Self {
        Self { rows_by: Some(axis), ..self }
    }

    const fn in_detail(self) -> Self {
        Self { purpose: Purpose::Detail, ..self }
    }
}

/// Which of its case's threads a cell is of.
pub(crate) fn rank_of_thread(cell: &Cell) -> Option<usize> {
    let (Coordinate::Word(case), Coordinate::Word(thread)) =
        (cell.at.get(Axis::Case)?, cell.at.get(Axis::Thread)?)
    else {
        return None;
    };
    case.split_whitespace().position(|label| label == thread)
}

const LATENCY: &[Measure] = &[Measure::Latency];
const BANDWIDTH: &[Measure] = &[Measure::Bandwidth];
const BUS_TRAFFIC: &[Measure] = &[Measure::BusTraffic];
const TRAFFIC: &[Measure] = &[Measure::Bandwidth, Measure::BusTraffic];
const TIME_PER_LINE: &[Measure] = &[Measure::TimePerLine];
const RELATIVE_TIME: &[Measure] = &[Measure::RelativeTime];
const CASE_TIMES: &[Measure] = &[Measure::RelativeTime, Measure::TimePerLine, Measure::Bandwidth];
const RAMP: &[Measure] = &[Measure::Bandwidth, Measure::Latency];
const TURNS: &[Measure] = &[Measure::Bandwidth, Measure::RelativeBandwidth];
const LINKS: &[Measure] =
    &[Measure::LinkTraffic, Measure::LinkData, Measure::Utilization, Measure::QueueLength];
const CHANNELS: &[Measure] = &[Measure::BusTraffic, Measure::Utilization, Measure::QueueLength];
const HOMES: &[Measure] = &[Measure::Occupancy, Measure::QueueLength, Measure::Rejections];
const LOAD: &[Measure] = &[Measure::Latency, Measure::Bandwidth, Measure::BusTraffic];

/// The layouts of an experiment, then those of what happened inside the machine. A cell goes to the first that takes it.
pub(crate) fn layouts(experiment: &ExperimentResult) -> Vec<Layout> {
    [own_layouts(experiment), inside()].concat()
}

fn inside() -> Vec<Layout> {
    use Columns::{Measures, MeasuresBy};
    vec![
        Layout::overview("where the time of a line goes", Axis::Stage, Measures, LATENCY).in_detail(),
        Layout::overview("links", Axis::Link, Measures, LINKS).by(Axis::Direction).in_detail(),
        Layout::overview("memory channels", Axis::Channel, MeasuresBy(Axis::Direction), CHANNELS).in_detail(),
        Layout::overview("home agents", Axis::Home, Measures, HOMES).in_detail(),
    ]
}

fn own_layouts(experiment: &ExperimentResult) -> Vec<Layout> {
    use Columns::{Along, Measures, MeasuresAndThreads};
    match experiment.experiment.as_str() {
        "latency-matrix" => vec![
            Layout::overview("idle latency", Axis::Initiator, Along(Axis::Target), LATENCY)
                .ranked(Ranking::Whole),
        ],
        "bandwidth-matrix" => vec![
            Layout::overview(bandwidth_title(experiment), Axis::Initiator, Along(Axis::Target), BANDWIDTH)
                .ranked(Ranking::Whole),
            Layout::overview("bus traffic", Axis::Initiator, Along(Axis::Target), BUS_TRAFFIC).in_detail(),
        ],
        "stream" => by_node(experiment, "STREAM", "STREAM, bus traffic", Axis::Kernel),
        "mixes" => by_node(experiment, "reads and writes", "reads and writes, bus traffic", Axis::Mix),
        "loaded-latency" => {
            vec![Layout::overview("latency under load", Axis::Delay, Measures, LOAD)]
        }
        "cache-latency" => vec![
            Layout::overview("latency by level", Axis::Level, Measures, LATENCY),
            Layout::overview("latency by footprint", Axis::Footprint, Measures, LATENCY).in_detail(),
        ],
        "core-to-core" => vec![
            Layout::overview(
                "handing a line over, one way, by what two cores share",
                Axis::Level,
                Along(Axis::Statistic),
                LATENCY,
            ),
            Layout::overview("handing a line over, one way", Axis::From, Along(Axis::To), LATENCY)
                .ranked(Ranking::Whole)
                .in_detail(),
        ],
        "core-latency" => vec![
            Layout::overview("idle latency over cores", Axis::Target, Along(Axis::Statistic), LATENCY),
            Layout::overview("idle latency by core", Axis::Cpu, Along(Axis::Target), LATENCY)
                .ranked(Ranking::EachColumn)
                .in_detail(),
        ],
        "global-bandwidth" => vec![
            Layout::overview("bandwidth of the machine", Axis::Width, Along(Axis::Placement), BANDWIDTH)
                .ranked(Ranking::Whole),
        ],
        "hops" => vec![
            Layout::overview("time per line", Axis::Kernel, Along(Axis::Target), TIME_PER_LINE),
            Layout::overview("relative time", Axis::Kernel, Along(Axis::Target), RELATIVE_TIME),
        ],
        "crossfire" => {
            vec![Layout::overview("time per line", Axis::Case, MeasuresAndThreads, CASE_TIMES)]
        }
        "ramp" => {
            let whole = Layout::overview("ramp", Axis::CoresPerNode, Measures, RAMP);
            let turns = Layout::overview("turns", Axis::Statistic, Measures, TURNS).in_detail();
            if experiment.places(Axis::Initiator).len() < 2 {
                return vec![whole, turns];
            }
            let nodes =
                Layout::overview("share of each node", Axis::CoresPerNode, Along(Axis::Initiator), BANDWIDTH);
            vec![whole.only(Axis::Initiator, "all"), turns, nodes.in_detail()]
        }
        "memory-suite" => vec![
            Layout::overview(
                "each node by itself, on its own memory",
                Axis::CoresPerNode,
                Along(Axis::Initiator),
                BANDWIDTH,
            )
            .only(Axis::Scenario, "alone"),
            Layout::overview("all placements", Axis::CoresPerNode, Along(Axis::Scenario), BANDWIDTH),
        ],
        _ => Vec::new(),
    }
}

/// Reads go without a kernel's name; any other kernel is named beside the title.
fn bandwidth_title(experiment: &ExperimentResult) -> &'static str {
    if experiment.places(Axis::Kernel).is_empty() { "read bandwidth" } else { "bandwidth" }
}

/// What is measured of every node and of the machine; of a single node, bandwidth and bus traffic stand side by side.
fn by_node(
    experiment: &ExperimentResult,
    title: &'static str,
    bus_title: &'static str,
    rows: Axis,
) -> Vec<Layout> {
    if experiment.places(Axis::Initiator).len() < 2 {
        return vec![Layout::overview(title, rows, Columns::Measures, TRAFFIC)];
    }
    let across = Columns::Along(Axis::Initiator);
    vec![
        Layout::overview(title, rows, across, BANDWIDTH).ranked(Ranking::EachRow),
        Layout::overview(bus_title, rows, across, BUS_TRAFFIC).in_detail(),
    ]
}

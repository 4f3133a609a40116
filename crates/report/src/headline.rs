//! The few values that summarize a survey.

use zerohop_result::{
    Axis, Catalogue, Cell, Certain, Completion, Coordinates, ExperimentName, ExperimentResult, Glance,
    Measure, Query, ResultFile, Wanted,
};

use crate::number::{bound, percent_at_least, significant};
use crate::place::place_in_full;
use zerohop_statistics::median;

/// A measure near and far.
pub(crate) struct Contrast {
    /// Measured quantity, in words.
    pub(crate) title: &'static str,
    pub(crate) measure: Measure,
    /// The medians over nodes and their own memory, and over all other pairs.
    pub(crate) local: Option<f64>,
    pub(crate) remote: Option<f64>,
    /// The worst remote pair: initiator, target, value.
    pub(crate) worst: Option<(u64, u64, f64)>,
    /// One-sided bounds of both medians, if intervals are too wide to state values.
    pub(crate) certain: [Option<Certain>; 2],
    /// Whether any of the cells carries a warning.
    pub(crate) is_doubtful: bool,
}

/// The highest bandwidth of the whole machine.
pub(crate) struct Fastest<'a> {
    /// The experiment that has it.
    pub(crate) experiment: &'a ExperimentName,
    pub(crate) at: &'a Coordinates,
    pub(crate) value: f64,
    /// One-sided bound of the value, if its interval is too wide to state one.
    pub(crate) certain: Option<Certain>,
    /// The kernel or mix that reached it, in words, with the number of threads per core where several were tried.
    pub(crate) what: Option<String>,
    /// The theoretical peak, once every experiment has run: a share is only fair then.
    pub(crate) theoretical: Option<f64>,
    pub(crate) is_doubtful: bool,
}

/// Label and text of each headline that the file has values for.
pub fn headlines(file: &ResultFile, experiments: Catalogue) -> Vec<(&'static str, String)> {
    let contrasts = contrasts(file, experiments).into_iter();
    let near_and_far = contrasts.map(|contrast| (contrast.title, contrast.words()));
    near_and_far
        .chain(fastest(file, experiments).map(|fastest| ("best bandwidth", fastest.words())))
        .collect()
}

/// Appended to a value that carries a warning.
const DOUBTFUL: &str = ", in doubt: see warnings";

/// The experiment of that name, if it has any cells.
pub(crate) fn find<'a>(file: &'a ResultFile, name: &str) -> Option<&'a ExperimentResult> {
    file.experiments.iter().find(|experiment| experiment.experiment == *name && !experiment.cells.is_empty())
}

/// Local and remote values measured in the file.
pub(crate) fn contrasts(file: &ResultFile, experiments: Catalogue) -> Vec<Contrast> {
    let glances = experiments.all().filter_map(|known| Some((known, known.glance?, find(file, known.name)?)));
    let contrasts = glances.filter_map(|(known, glance, result)| match glance {
        Glance::NearAndFar(measure) => {
            let title = known.layouts_of(result).next().map_or(known.name, |layout| layout.title);
            contrast(title, result, measure)
        }
        Glance::BestBandwidth(_) => None,
    });
    contrasts.collect()
}

fn contrast(title: &'static str, experiment: &ExperimentResult, measure: Measure) -> Option<Contrast> {
    let query = Query::of(measure).at(Axis::Initiator, Wanted::Any).at(Axis::Target, Wanted::Any);
    // Only pairs of nodes: `all` and `interleaved` are neither near nor far.
    let pairs = experiment
        .cells
        .iter()
        .filter(|cell| query.selects(cell))
        .filter_map(|cell| Some((cell.at.number(Axis::Initiator)?, cell.at.number(Axis::Target)?, cell)));
    let (local, remote): (Vec<_>, Vec<_>) = pairs.partition(|(initiator, target, _)| initiator == target);
    let is_doubtful = local.iter().chain(&remote).any(|(_, _, cell)| cell.is_doubtful());
    let middle = |pairs: &[(u64, u64, &Cell)]| median(pairs.iter().map(|pair| pair.2.estimate.median));
    let certain = [&local, &remote].map(|pairs| certain(pairs.iter().map(|pair| pair.2)));
    let worst = worst(&remote, measure);
    let contrast = Contrast {
        title,
        measure,
        local: middle(&local),
        remote: middle(&remote),
        worst,
        certain,
        is_doubtful,
    };
    (contrast.local.is_some() || contrast.remote.is_some()).then_some(contrast)
}

/// What is certain of the median of these, if the intervals of at least half of them are too wide to say what they are.
fn certain<'a>(cells: impl Iterator<Item = &'a Cell>) -> Option<Certain> {
    let cells: Vec<&Cell> = cells.collect();
    let known: Vec<Certain> = cells.iter().filter_map(|cell| cell.certain()).collect();
    let kind = *known.first().filter(|_| known.len() * 2 >= cells.len())?;
    let end = |cell: &Cell| match (cell.certain(), kind) {
        (Some(certain), _) => certain.bound(),
        (None, Certain::AtLeast(_)) => cell.estimate.low,
        (None, Certain::AtMost(_)) => cell.estimate.high,
    };
    median(cells.into_iter().map(end)).map(|bound| kind.with_bound(bound))
}

impl Contrast {
    /// The local or the remote median, or its one-sided bound.
    pub(crate) fn shown(&self, value: f64, certain: Option<Certain>) -> String {
        certain.map_or_else(|| significant(value), |certain| bound(certain, self.measure))
    }

    /// Whether both medians are known well enough for a ratio.
    pub(crate) fn has_values(&self) -> bool {
        self.certain.iter().all(Option::is_none)
    }

    /// The median local value, the median and the worst remote one, and their ratio.
    fn words(&self) -> String {
        let unit = self.measure.unit();
        let doubt = if self.is_doubtful { DOUBTFUL } else { "" };
        let text = match (self.local, self.remote) {
            (Some(local), Some(middle)) if !self.has_values() => {
                let (local, middle) =
                    (self.shown(local, self.certain[0]), self.shown(middle, self.certain[1]));
                format!("{local} {unit} local, {middle} {unit} remote")
            }
            (Some(local), Some(middle)) => {
                let worst = self
                    .worst
                    .filter(|(_, _, worst)| significant(*worst) != significant(middle))
                    .map(|(initiator, target, worst)| {
                        format!(", {} {unit} at worst (node {initiator} → node {target})", significant(worst))
                    });
                let ratio = middle / local;
                let (local, middle) = (significant(local), significant(middle));
                format!(
                    "{local} {unit} local, {middle} {unit} remote ({ratio:.2}×){}",
                    worst.unwrap_or_default()
                )
            }
            (Some(only), None) => format!("{} {unit} local", self.shown(only, self.certain[0])),
            (None, Some(only)) => format!("{} {unit} remote", self.shown(only, self.certain[1])),
            (None, None) => String::new(),
        };
        format!("{text}{doubt}")
    }
}

impl Fastest<'_> {
    /// Value in GB/s, or its one-sided bound.
    pub(crate) fn shown(&self) -> String {
        let certain = self.certain.map(|certain| bound(certain, Measure::Bandwidth));
        certain.unwrap_or_else(|| significant(self.value))
    }

    fn words(&self) -> String {
        let what = self.what.as_ref().map_or(String::new(), |what| format!(" ({what})"));
        let share = self.theoretical.map(|peak| {
            format!(", {} of the theoretical {} GB/s", percent_at_least(self.value / peak), significant(peak))
        });
        let doubt = if self.is_doubtful { DOUBTFUL } else { "" };
        format!("{} GB/s{what}{}{doubt}", self.shown(), share.unwrap_or_default())
    }
}

/// The worst of these pairs.
fn worst(pairs: &[(u64, u64, &Cell)], measure: Measure) -> Option<(u64, u64, f64)> {
    let pairs = pairs.iter().map(|(initiator, target, cell)| (*initiator, *target, cell.estimate.median));
    pairs.reduce(|one, other| if (one.2 > other.2) == measure.larger_is_better() { other } else { one })
}

/// The highest bandwidth of the whole machine.
pub(crate) fn fastest(file: &ResultFile, experiments: Catalogue) -> Option<Fastest<'_>> {
    // Among equals, this takes the last: the experiment that is listed first.
    let named = experiments.all().rev().filter_map(|known| match known.glance? {
        Glance::BestBandwidth(axis) => Some((find(file, known.name)?, axis)),
        Glance::NearAndFar(_) => None,
    });
    let query = of_machine(Measure::Bandwidth, file);
    let cells = named.flat_map(|(experiment, axis)| {
        let selected = experiment.cells.iter().filter(|cell| query.selects(cell));
        selected.map(move |cell| (cell, axis, &experiment.experiment))
    });
    let (cell, axis, experiment) =
        cells.max_by(|one, other| one.0.estimate.median.total_cmp(&other.0.estimate.median))?;
    let peak = file.machine.theoretical_bandwidth().ok().filter(|_| file.completion == Completion::Complete);
    Some(Fastest {
        experiment,
        at: &cell.at,
        value: cell.estimate.median,
        certain: cell.certain(),
        what: cell.at.get(axis).map(|place| {
            let threads = cell.at.get(Axis::ThreadsPerCore);
            let threads = threads.map(|threads| place_in_full(Axis::ThreadsPerCore, threads));
            std::iter::once(place_in_full(axis, place)).chain(threads).collect::<Vec<_>>().join(", ")
        }),
        // Nor is a share of a value that is not known.
        theoretical: peak.map(|peak| peak.total.get()).filter(|peak| *peak > 0.0 && cell.certain().is_none()),
        is_doubtful: cell.is_doubtful(),
    })
}

/// Selects cells of the whole machine: of all nodes, or of the only one.
fn of_machine(measure: Measure, file: &ResultFile) -> Query {
    let query = Query::of(measure);
    if file.machine.initiators().count() <= 1 { query } else { query.at(Axis::Initiator, "all") }
}

//! The few values that summarize a survey.

use zerohop_result::{Axis, Catalogue, Cell, Completion, ExperimentResult, Glance, Measure, ResultFile};

use crate::number::{median, percent_at_least, significant};
use crate::place::place_in_full;

/// Label and text of each headline that the file has values for.
pub(crate) fn headlines(file: &ResultFile, experiments: Catalogue) -> Vec<(&'static str, String)> {
    let glances = experiments.all().filter_map(|known| Some((known, known.glance?, find(file, known.name)?)));
    let near_and_far = glances.filter_map(|(known, glance, result)| match glance {
        Glance::NearAndFar(measure) => {
            let title = known.layouts_of(result).next().map_or(known.name, |layout| layout.title);
            Some((title, near_and_far(result, measure)?))
        }
        Glance::BestBandwidth(_) => None,
    });
    near_and_far.chain(fastest(file, experiments).map(|text| ("best bandwidth", text))).collect()
}

/// Appended to a value that carries a warning.
const DOUBTFUL: &str = ", doubtful: see warnings";

/// The experiment of that name, if it has any cells.
fn find<'a>(file: &'a ResultFile, name: &str) -> Option<&'a ExperimentResult> {
    file.experiments.iter().find(|experiment| experiment.experiment == *name && !experiment.cells.is_empty())
}

/// The median local value, the median and the worst remote one, and their ratio.
fn near_and_far(experiment: &ExperimentResult, measure: Measure) -> Option<String> {
    let pairs = experiment
        .cells
        .iter()
        .filter(|cell| cell.measure == measure)
        .filter_map(|cell| Some((cell.at.number(Axis::Initiator)?, cell.at.number(Axis::Target)?, cell)));
    let (local, remote): (Vec<_>, Vec<_>) = pairs.partition(|(initiator, target, _)| initiator == target);
    let doubt = local.iter().chain(&remote).any(|(_, _, cell)| !cell.warnings.is_empty());
    let doubt = if doubt { DOUBTFUL } else { "" };
    let unit = measure.unit();
    let middle = |pairs: &[(u64, u64, &Cell)]| median(pairs.iter().map(|pair| pair.2.estimate.median));
    let text = match (middle(&local), middle(&remote)) {
        (Some(local), Some(middle)) => {
            let worst = worst(&remote, measure)
                .filter(|(_, _, worst)| significant(*worst) != significant(middle))
                .map(|(initiator, target, worst)| {
                    format!(", {} {unit} at worst (node {initiator} → node {target})", significant(worst))
                });
            let ratio = middle / local;
            let (local, middle) = (significant(local), significant(middle));
            format!("{local} {unit} local, {middle} {unit} remote ({ratio:.2}×){}", worst.unwrap_or_default())
        }
        (Some(only), None) => format!("{} {unit} local", significant(only)),
        (None, Some(only)) => format!("{} {unit} remote", significant(only)),
        (None, None) => return None,
    };
    Some(format!("{text}{doubt}"))
}

/// The worst of these pairs.
fn worst(pairs: &[(u64, u64, &Cell)], measure: Measure) -> Option<(u64, u64, f64)> {
    let pairs = pairs.iter().map(|(initiator, target, cell)| (*initiator, *target, cell.estimate.median));
    pairs.reduce(|one, other| if (one.2 > other.2) == measure.larger_is_better() { other } else { one })
}

/// The highest bandwidth of the whole machine, the kernel that reached it, and its share of the theoretical peak.
fn fastest(file: &ResultFile, experiments: Catalogue) -> Option<String> {
    // Among equals, this takes the last: the experiment that is listed first.
    let named = experiments.all().rev().filter_map(|known| match known.glance? {
        Glance::BestBandwidth(axis) => Some((find(file, known.name)?, axis)),
        Glance::NearAndFar(_) => None,
    });
    let cells = named.flat_map(|(experiment, axis)| {
        let bandwidths = experiment.cells.iter().filter(|cell| cell.measure == Measure::Bandwidth);
        bandwidths.map(move |cell| (cell, axis))
    });
    let (cell, axis) = cells
        .filter(|(cell, _)| of_machine(file, cell))
        .max_by(|one, other| one.0.estimate.median.total_cmp(&other.0.estimate.median))?;
    let best = cell.estimate.median;
    let what = cell.at.get(axis).map_or(String::new(), |place| format!(" ({})", place_in_full(axis, place)));
    // A share of the peak is only fair once every experiment has run.
    let peak = file.machine.theoretical_bandwidth().ok().filter(|_| file.completion == Completion::Complete);
    let share = peak.filter(|peak| peak.total.get() > 0.0).map(|peak| {
        format!(
            ", {} of the theoretical {} GB/s",
            percent_at_least(best / peak.total.get()),
            significant(peak.total.get())
        )
    });
    let doubt = if cell.warnings.is_empty() { "" } else { DOUBTFUL };
    Some(format!("{} GB/s{what}{}{doubt}", significant(best), share.unwrap_or_default()))
}

/// Whether a cell is of the whole machine: of all nodes, or of the only one.
fn of_machine(file: &ResultFile, cell: &Cell) -> bool {
    cell.at.is(Axis::Initiator, "all") || file.machine.initiators().count() <= 1
}

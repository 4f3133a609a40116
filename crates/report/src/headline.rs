//! The few numbers that sum a survey up.

use zerohop_experiment::{Axis, Cell, Completion, ExperimentName, ExperimentResult, Measure, ResultFile};

use crate::number::{median, percent_at_least, significant};
use crate::place::place_in_full;

/// Label and text of each headline that the file has numbers for.
pub(crate) fn headlines(file: &ResultFile) -> Vec<(&'static str, String)> {
    let lines = [
        ("idle latency", near_and_far(file, ExperimentName::LatencyMatrix, Measure::Latency)),
        ("read bandwidth", near_and_far(file, ExperimentName::BandwidthMatrix, Measure::Bandwidth)),
        ("best bandwidth", fastest(file)),
    ];
    lines.into_iter().filter_map(|(label, text)| text.map(|text| (label, text))).collect()
}

/// The experiment of that name, if anything of it is there.
pub(crate) fn find(file: &ResultFile, name: ExperimentName) -> Option<&ExperimentResult> {
    file.experiments.iter().find(|experiment| experiment.experiment == name && !experiment.cells.is_empty())
}

/// The middle local number, the middle and the worst remote one, and their ratio.
fn near_and_far(file: &ResultFile, name: ExperimentName, measure: Measure) -> Option<String> {
    let experiment = find(file, name)?;
    let pairs = experiment.cells.iter().filter(|cell| cell.measure == measure).filter_map(|cell| {
        let initiator = cell.at.number(Axis::Initiator)?;
        let target = cell.at.number(Axis::Target)?;
        Some((initiator, target, cell.estimate.median))
    });
    let (local, remote): (Vec<_>, Vec<_>) = pairs.partition(|(initiator, target, _)| initiator == target);
    let unit = measure.unit();
    let middle = median(remote.iter().map(|pair| pair.2));
    let worst = remote
        .into_iter()
        .reduce(|one, other| if (one.2 > other.2) == measure.larger_is_better() { other } else { one });
    match (median(local.into_iter().map(|pair| pair.2)), middle) {
        (Some(local), Some(middle)) => {
            let times = middle / local;
            let worst = worst.filter(|worst| significant(worst.2) != significant(middle));
            let worst = worst.map_or(String::new(), |(initiator, target, worst)| {
                format!(", {} {unit} at worst (node {initiator} → node {target})", significant(worst))
            });
            Some(format!(
                "{} {unit} local, {} {unit} remote ({times:.2}×){worst}",
                significant(local),
                significant(middle)
            ))
        }
        (Some(only), None) => Some(format!("{} {unit} local", significant(only))),
        (None, Some(only)) => Some(format!("{} {unit} remote", significant(only))),
        (None, None) => None,
    }
}

/// The highest bandwidth of the whole machine, by what, and its share of the theoretical.
fn fastest(file: &ResultFile) -> Option<String> {
    let named = [(ExperimentName::Mixes, Axis::Mix), (ExperimentName::Stream, Axis::Kernel)];
    let cells = named.into_iter().filter_map(|(name, axis)| Some((find(file, name)?, axis))).flat_map(
        |(experiment, axis)| {
            experiment
                .cells
                .iter()
                .filter(|cell| cell.measure == Measure::Bandwidth)
                .map(move |cell| (cell, axis))
        },
    );
    let (cell, axis) = cells
        .filter(|(cell, _)| of_machine(file, cell))
        .max_by(|one, other| one.0.estimate.median.total_cmp(&other.0.estimate.median))?;
    let best = cell.estimate.median;
    let what = cell.at.get(axis).map_or(String::new(), |place| format!(" ({})", place_in_full(axis, place)));
    // A share of the peak is only fair once everything was tried.
    let peak = file.machine.theoretical_bandwidth().ok().filter(|_| file.completion == Completion::Complete);
    let share = peak.filter(|peak| peak.total.get() > 0.0).map(|peak| {
        format!(
            ", {} of the theoretical {} GB/s",
            percent_at_least(best / peak.total.get()),
            significant(peak.total.get())
        )
    });
    Some(format!("{} GB/s{what}{}", significant(best), share.unwrap_or_default()))
}

/// Whether a cell is of the whole machine: of all nodes, or of the only one.
fn of_machine(file: &ResultFile, cell: &Cell) -> bool {
    cell.at.is(Axis::Initiator, "all") || file.machine.initiators().count() <= 1
}

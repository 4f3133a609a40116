//! The first screen of a survey: what stands out, near and far, the matrices, and how far to trust them, in about 24 lines.

use std::collections::HashMap;

use zerohop_diagnosis::Diagnosis;
use zerohop_expectation::{Deviation, deviations};
use zerohop_expectation::{Expectations, Knowledge};
use zerohop_result::{
    Axis, Catalogue, Cell, Certain, Coordinate, Coordinates, ExperimentResult, Measure, ResultFile,
};

use crate::description::in_short;
use crate::expected_words::{Ends, range};
use crate::headline::{Fastest, contrasts, fastest};
use crate::number::{counted, percent_at_least, significant, value_of};
use crate::page::Page;
use crate::pages::expected::{near_and_far, write_basis, write_deviations};
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::hardware::write_prediction;
use crate::pages::node_matrix::{Odd, write_matrices};
use crate::pages::standing::{NAMED, write_alarms, write_soundness};
use crate::pages::style::Style;
use crate::pages::survey::write_head;
use crate::pages::trust::write_trust_in_short;
use crate::place::place_in_full;

/// Findings, local and remote values, the matrices, and the trustworthiness.
pub(crate) fn first_screen(
    file: &ResultFile,
    experiments: Catalogue,
    expectations: Option<&Expectations>,
    diagnosis: Option<&Diagnosis>,
    style: &Style,
) -> Page {
    let mut page = Page::new(style);
    write_head(&mut page, file);
    let odd = deviations(file);
    let is_alarming = diagnosis.is_some_and(|diagnosis| diagnosis.alarms().next().is_some());
    if let Some(diagnosis) = diagnosis {
        write_alarms(&mut page, diagnosis);
    }
    // What no rule explains is still worth a look.
    for deviation in odd.iter().filter(|_| !is_alarming).take(NAMED) {
        page.alert(&words(deviation, experiments), "");
    }
    if !is_alarming && odd.len() > NAMED {
        page.remark(&format!("and {} more, marked ! below", odd.len() - NAMED));
    }
    if let Some(expectations) = expectations {
        write_deviations(&mut page, expectations, NAMED.saturating_sub(odd.len()).max(1));
    }
    page.blank();
    page.paragraph(&machine_in_short(file));
    page.blank();
    if file.experiments.iter().all(|experiment| experiment.cells.is_empty()) {
        page.remark("no values: no experiment in this result has a cell");
    } else {
        write_figures(&mut page, file, experiments, expectations);
    }
    write_matrices(&mut page, file, experiments, Odd { sisters: &odd, expectations });
    page.blank();
    page.line("caches", &caches(file));
    page.line("under load", &under_load(file));
    page.line("core to core", &core_to_core(file));
    // Without another machine beside it, a model's values say nothing new of themselves.
    let says_more =
        |one: &&Expectations| !one.origin.is_model() || !matches!(one.knowledge, Knowledge::Nothing { .. });
    if let Some(expectations) = expectations.filter(says_more) {
        write_basis(&mut page, expectations);
    }
    write_prediction(&mut page, &file.machine);
    if let Some(diagnosis) = diagnosis {
        write_soundness(&mut page, diagnosis);
    }
    write_trust_in_short(&mut page, file);
    page
}

/// What no finding explains, for a web page: values that deviate from comparable or from expected ones.
pub(crate) fn unexplained(
    file: &ResultFile,
    experiments: Catalogue,
    expectations: Option<&Expectations>,
    is_alarming: bool,
    style: &Style,
) -> Page {
    let mut page = Page::new(style);
    let odd = deviations(file);
    for deviation in odd.iter().filter(|_| !is_alarming).take(NAMED) {
        page.alert(&words(deviation, experiments), "");
    }
    if let Some(expectations) = expectations {
        write_deviations(&mut page, expectations, NAMED.saturating_sub(odd.len()).max(1));
    }
    page
}

/// The matrices from node to node, for a web page.
pub(crate) fn matrices(
    file: &ResultFile,
    experiments: Catalogue,
    expectations: Option<&Expectations>,
    style: &Style,
) -> Page {
    let mut page = Page::new(style);
    let odd = deviations(file);
    write_matrices(&mut page, file, experiments, Odd { sisters: &odd, expectations });
    page
}

/// The machine, as far as it is known: the text of another tool may show no more than a processor's name.
pub(crate) fn machine_in_short(file: &ResultFile) -> String {
    let machine = &file.machine;
    match machine.processor.model.trim() {
        _ if !machine.pus.is_empty() => in_short(machine),
        "" => file.origin.to_string(),
        model => format!("{model}, {}", file.origin),
    }
}

/// What deviates, from what, and by how much.
fn words(deviation: &Deviation, experiments: Catalogue) -> String {
    let Deviation { experiment, measure, initiator, target, others, value, usual, sisters } = deviation;
    let known = experiments.get(experiment);
    let title = known.and_then(|known| known.layouts.first()).map_or(measure.words(), |layout| layout.title);
    let memory = if initiator == target { "its own memory".to_owned() } else { format!("node {target}") };
    let aside: Vec<String> =
        others.0.iter().map(|(axis, place)| format!(", {} {place}", axis.name().replace('_', " "))).collect();
    let sisters = counted(*sisters, "comparable pair");
    let sign = if value > usual { '+' } else { '-' };
    format!(
        "{title}, node {initiator} → {memory}{}: {} {}; {sisters}: {} ({sign}{:.0} %)",
        aside.concat(),
        significant(*value),
        measure.unit(),
        significant(*usual),
        deviation.loss() * 100.0
    )
}

/// Local, remote, their ratio, the worst, what they should be, and the whole machine beside its theoretical peak.
fn write_figures(
    page: &mut Page,
    file: &ResultFile,
    experiments: Catalogue,
    expectations: Option<&Expectations>,
) {
    let contrasts = contrasts(file, experiments);
    let fastest = fastest(file, experiments);
    let is_far = contrasts.iter().any(|contrast| contrast.remote.is_some());
    let mut heads = vec![("", Side::Left), ("local", Side::Right)];
    if is_far {
        heads.extend([
            ("remote", Side::Right),
            ("ratio", Side::Right),
            ("worst", Side::Right),
            ("", Side::Left),
        ]);
    }
    let ranges: Vec<[Option<String>; 2]> = contrasts
        .iter()
        .map(|contrast| expectations.map_or([None, None], |known| near_and_far(known, contrast.measure)))
        .collect();
    let is_expected = ranges.iter().flatten().any(Option::is_some);
    if is_expected {
        heads.push(("expected", Side::Left));
    }
    let mut grid = Grid::new(heads.into_iter().map(|(head, side)| (head.to_owned(), side)));
    let number = |value: Option<f64>| value.map_or(Entry::BLANK, |value| Entry::number(&significant(value)));
    for (contrast, [near, far]) in contrasts.iter().zip(ranges) {
        let both = contrast.local.zip(contrast.remote).filter(|_| contrast.has_values());
        let ratio = both.map(|(local, remote)| format!("{:.2}", remote / local));
        let doubt = if contrast.is_doubtful { " ?" } else { "" };
        let label = format!("{} ({}){doubt}", contrast.title, contrast.measure.unit());
        let middle = |value: Option<f64>, certain: Option<Certain>| {
            value.map_or(Entry::BLANK, |value| Entry::number(&contrast.shown(value, certain)))
        };
        let worst = contrast.worst.filter(|_| contrast.certain[1].is_none());
        let mut row = vec![Entry::text(label), middle(contrast.local, contrast.certain[0])];
        if is_far {
            row.extend([
                middle(contrast.remote, contrast.certain[1]),
                ratio.map_or(Entry::BLANK, |ratio| Entry::number(&ratio)),
            ]);
            row.push(number(worst.map(|worst| worst.2)));
            row.push(Entry::text(worst.map_or(String::new(), |(from, to, _)| format!("{from} → {to}"))));
        }
        if is_expected {
            let unknown = || "?".to_owned();
            row.push(Entry::text(match (near, far) {
                (None, None) => String::new(),
                (near, None) if contrast.remote.is_none() => near.unwrap_or_else(unknown),
                (near, far) => format!("{} / {}", near.unwrap_or_else(unknown), far.unwrap_or_else(unknown)),
            }));
        }
        grid.push(row);
    }
    page.grid(grid);
    if let Some(fastest) = fastest {
        let what = fastest.what.as_ref().map_or(String::new(), |what| format!(" ({what})"));
        let share = fastest.theoretical.map(|peak| {
            format!(", {} of the theoretical {}", percent_at_least(fastest.value / peak), significant(peak))
        });
        let doubt = if fastest.is_doubtful { " ?" } else { "" };
        let expected = expectations.and_then(|known| whole_machine(known, &fastest));
        let expected = expected.map_or(String::new(), |range| format!("; expected {range}"));
        let share = share.unwrap_or_default();
        let text = format!("{} GB/s{what}{share}{doubt}{expected}", fastest.shown());
        page.line("whole machine", &text);
    }
}

/// What the highest bandwidth of the whole machine should be.
fn whole_machine(expectations: &Expectations, fastest: &Fastest<'_>) -> Option<String> {
    let cell = expectations.at(fastest.experiment, Measure::Bandwidth, fastest.at)?;
    range(std::iter::once(Ends::of(expectations).around(cell)))
}

/// The first experiment that has latencies along these axes.
fn with<'a>(file: &'a ResultFile, axes: &[Axis]) -> Option<&'a ExperimentResult> {
    let has = |cell: &Cell| {
        cell.measure == Measure::Latency && axes.iter().all(|&axis| cell.at.get(axis).is_some())
    };
    file.experiments.iter().find(|result| result.cells.iter().any(has))
}

/// Latency of each cache, and of memory.
fn caches(file: &ResultFile) -> String {
    let Some(result) = with(file, &[Axis::Level, Axis::Footprint]) else { return String::new() };
    let cells = result.cells.iter().filter(|cell| cell.measure == Measure::Latency);
    let words = |cell: &Cell| Some(place_in_full(Axis::Level, cell.at.get(Axis::Level)?));
    let level = |cell: &Cell| Some(format!("{} {}", words(cell)?, latency(cell)));
    with_unit(&cells.filter_map(level).collect::<Vec<_>>())
}

/// A latency, marked if it may be wrong.
fn latency(cell: &Cell) -> String {
    let doubt = if cell.is_doubtful() { "?" } else { "" };
    format!("{}{doubt}", value_of(cell))
}

fn with_unit(parts: &[String]) -> String {
    if parts.is_empty() { String::new() } else { format!("{} ns", parts.join(", ")) }
}

/// Latency at half of the highest load, and at the highest.
fn under_load(file: &ResultFile) -> String {
    let Some(result) = with(file, &[Axis::Delay]) else { return String::new() };
    let Some(first) = result.cells.first().and_then(|cell| cell.at.get(Axis::Initiator)) else {
        return String::new();
    };
    let bandwidths = result
        .cells
        .iter()
        .filter(|cell| cell.measure == Measure::Bandwidth && cell.at.get(Axis::Initiator) == Some(first));
    let latencies = result.cells.iter().filter(|cell| cell.measure == Measure::Latency);
    let latencies: HashMap<&Coordinates, &Cell> = latencies.map(|cell| (&cell.at, cell)).collect();
    let points =
        bandwidths.filter_map(|bandwidth| Some((bandwidth.estimate.median, *latencies.get(&bandwidth.at)?)));
    let points: Vec<(f64, &Cell)> = points.collect();
    let Some(&(most, full)) = points.iter().max_by(|one, other| one.0.total_cmp(&other.0)) else {
        return String::new();
    };
    let from_half = |point: &&(f64, &Cell)| (point.0 / most - 0.5).abs();
    let half = points.iter().min_by(|one, other| from_half(one).total_cmp(&from_half(other)));
    let half = half.filter(|(bandwidth, _)| *bandwidth < most).map_or(String::new(), |(bandwidth, cell)| {
        format!("{} ns at {} GB/s, ", latency(cell), significant(*bandwidth))
    });
    format!("{half}{} ns at {} GB/s", latency(full), significant(most))
}

/// Mean latency by what two cores share.
fn core_to_core(file: &ResultFile) -> String {
    let Some(result) = with(file, &[Axis::From, Axis::To]) else { return String::new() };
    let means = result.cells.iter().filter(|cell| cell.at.is(Axis::Statistic, "mean"));
    let mut means: Vec<&Cell> = means.collect();
    means.sort_by(|one, other| one.estimate.median.total_cmp(&other.estimate.median));
    let level = |cell: &Cell| {
        let level = match cell.at.get(Axis::Level)? {
            Coordinate::Word(level) if level.starts_with('L') => format!("same {level}"),
            Coordinate::Word(level) if level == "machine" => "other package".to_owned(),
            level => format!("same {level}"),
        };
        Some(format!("{level} {}", latency(cell)))
    };
    with_unit(&means.into_iter().filter_map(level).collect::<Vec<_>>())
}

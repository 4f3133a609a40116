//! Results next to the first of them: overall ratio of each, maps of ratios for matrices, and rows of ratios for other changes.

use std::collections::BTreeMap;

use zerohop_compare::{CellScore, ComparedCell, ComparedNumber, ComparisonFile, Ratio, Tendency};
use zerohop_result::{Axis, ExperimentName, Measure};
use zerohop_workload::Origin;

use crate::number::{counted, significant};
use crate::place::{axis_words, place_in_full};
use crate::printable::plain_line;
use crate::svg::canvas::{Canvas, Type, at};
use crate::svg::palette::FAINT;
use crate::svg::panel::{GAP, PAGE, Panel, stack};
use crate::svg::ratio_dots::{RatioRow, ratio_dots, words};
use crate::svg::ratio_map::ratio_map;
use crate::wrap::wrap;

/// Results that are drawn besides the base; tables have all.
const MOST_RESULTS: usize = 4;
/// Rows of an experiment.
const MOST_ROWS: usize = 12;
/// The smallest matrix that is drawn as one.
const LEAST_CELLS: usize = 4;
/// A larger matrix is drawn only if something in it changed: the means have those that are the same.
const MOST_SAME: usize = 64;
/// Characters of a line of the head.
const LINE: usize = 180;

/// Axes of matrices: rows and columns.
const MATRICES: [[Axis; 2]; 2] = [[Axis::Initiator, Axis::Target], [Axis::From, Axis::To]];

/// A picture of a comparison.
pub(crate) fn comparison_picture(file: &ComparisonFile) -> String {
    let others: Vec<&str> = names(file).take(MOST_RESULTS).collect();
    let all = names(file).count();
    let title = match others.as_slice() {
        [only] if all == 1 => format!("{only} beside {}", file.base),
        _ => format!("{} beside {}", counted(all, "result"), file.base),
    };
    let mut page = Canvas::default();
    page.text(at(GAP, 42.0), Type::new(24.0).bold(), &plain_line(&title));
    let mut y = 64.0;
    let reading = "ratios: bandwidth over the base's, or the base's latency over the result's; above 1 is better (blue, ▲), below 1 is worse (brown, ▼), \
                   grey is the same, ? is in doubt and ignored";
    let more = (all > others.len()).then(|| format!("the first {}; the tables have all {all}", others.len()));
    let origins = file.origins.iter().map(|one| {
        let origin = match &one.origin {
            Origin::Host(_) => format!("{} on {}", one.origin, one.machine),
            Origin::Model(_) | Origin::Imported(_) => one.origin.to_string(),
        };
        format!("{}: {origin}", one.name)
    });
    for line in std::iter::once(reading.to_owned())
        .chain(more)
        .chain(origins)
        .flat_map(|line| wrap(&plain_line(&line), LINE))
    {
        page.text(at(GAP, y), Type::new(12.0).fill(FAINT), &line);
        y += 17.0;
    }
    let panels: Vec<Panel> = std::iter::once(whole(file, &others))
        .chain(experiments(file).into_iter().flat_map(|experiment| {
            others.iter().flat_map(move |name| of_experiment(file, &experiment, name))
        }))
        .collect();
    let end = stack(&mut page, &panels, y);
    let description = others.iter().filter_map(|name| {
        let ranked = file.ranking.iter().find(|ranked| ranked.name == *name)?;
        Some(format!("{name}: {:.3} in the geometric mean", ranked.overall.mean.value))
    });
    page.finish(PAGE, end + GAP, &title, &description.collect::<Vec<_>>().join("; "))
}

/// The results besides the base, in the order in which they were given.
fn names(file: &ComparisonFile) -> impl Iterator<Item = &str> {
    file.origins.iter().map(|one| one.name.as_str()).filter(|name| *name != file.base)
}

fn experiments(file: &ComparisonFile) -> Vec<ExperimentName> {
    let mut all: Vec<ExperimentName> = Vec::new();
    for cell in &file.cells {
        if !all.contains(&cell.experiment) {
            all.push(cell.experiment.clone());
        }
    }
    all
}

/// The mean of each result, over all cells and over those of each experiment.
fn whole(file: &ComparisonFile, others: &[&str]) -> Panel {
    let ranked = |name: &str| file.ranking.iter().find(|ranked| ranked.name == name);
    let everything = std::iter::once("everything");
    let experiments =
        others.first().and_then(|name| ranked(name)).map_or(&[][..], |first| &first.experiments);
    let mut rows = Vec::new();
    // The results beside each other in each experiment.
    for what in everything.chain(experiments.iter().map(|one| one.experiment.as_str())) {
        for name in others {
            let Some(ranked) = ranked(name) else { continue };
            let own = ranked.experiments.iter().find(|one| one.experiment.as_str() == what);
            let score = own.map_or(ranked.overall, |own| own.score);
            let is_open = score.cells == 0;
            let mean = CellScore { ratio: score.mean, tendency: tendency(score.mean), doubtful: is_open };
            let name = if others.len() > 1 { format!("{what}: {name}") } else { what.to_owned() };
            let counts = format!("▲ {}, ▼ {} of {}", score.better, score.worse, counted(score.cells, "cell"));
            let digits = format!("{:.3}", score.mean.value);
            let words = if is_open { "? doubtful".to_owned() } else { format!("{digits} · {counts}") };
            rows.push(RatioRow { name: plain_line(&name), score: mean, words });
        }
    }
    let aside = format!("geometric mean of the ratios to {}, with its interval", file.base);
    ratio_dots("as a whole, and by experiment".to_owned(), plain_line(&aside), &rows)
}

/// A mean whose interval has 1 in it is the same.
fn tendency(mean: Ratio) -> Tendency {
    if mean.low > 1.0 {
        Tendency::Better
    } else if mean.high < 1.0 {
        Tendency::Worse
    } else {
        Tendency::Same
    }
}

/// A map for each matrix of an experiment, and rows for other cells that changed or that decide nothing.
fn of_experiment(file: &ComparisonFile, experiment: &ExperimentName, name: &str) -> Vec<Panel> {
    let mut maps: BTreeMap<(Measure, usize), BTreeMap<(u64, u64), CellScore>> = BTreeMap::new();
    let mut rest: Vec<(&ComparedCell, &ComparedNumber)> = Vec::new();
    for cell in file.cells.iter().filter(|cell| cell.experiment == *experiment) {
        let Some(other) = cell.others.iter().find(|other| other.name == name) else { continue };
        match matrix_of(cell) {
            Some((rank, place)) => {
                maps.entry((cell.measure, rank)).or_default().insert(place, other.score());
            }
            None => rest.push((cell, other)),
        }
    }
    let head = |measure: Option<Measure>| {
        let measure = measure.map_or(String::new(), |measure| format!(", {}", measure.words()));
        plain_line(&format!("{experiment}{measure}: {name} beside {}", file.base))
    };
    let mut panels: Vec<Panel> = Vec::new();
    for ((measure, rank), cells) in maps {
        let is_told = |score: &CellScore| score.doubtful || score.tendency != Tendency::Same;
        if cells.len() < LEAST_CELLS || (cells.len() > MOST_SAME && !cells.values().any(is_told)) {
            continue;
        }
        let [rows, columns] = MATRICES[rank].map(axis_words);
        let aside = format!("ratio · rows: {rows}, columns: {columns} · grey: the same");
        panels.push(ratio_map(head(Some(measure)), aside, &cells));
    }
    let is_told = |other: &ComparedNumber| other.doubtful || other.tendency != Tendency::Same;
    let all = rest.len();
    rest.retain(|(_, other)| is_told(other));
    let far = |other: &ComparedNumber| libm::log(other.ratio.value).abs();
    // What decides first, and the largest changes first.
    rest.sort_by(|(_, one), (_, another)| {
        one.doubtful.cmp(&another.doubtful).then(far(another).total_cmp(&far(one)))
    });
    if rest.is_empty() {
        return panels;
    }
    let same = all - rest.len();
    let more = rest.len().saturating_sub(MOST_ROWS);
    let more = if more > 0 { format!(", and {more} more that changed") } else { String::new() };
    let aside =
        format!("the largest changes, with intervals{more}; {} the same", counted(same, "other cell"));
    let rows: Vec<RatioRow> = rest.iter().take(MOST_ROWS).map(|(cell, other)| row(cell, other)).collect();
    panels.push(ratio_dots(head(None), aside, &rows));
    panels
}

/// Which matrix a cell is part of, and where.
fn matrix_of(cell: &ComparedCell) -> Option<(usize, (u64, u64))> {
    if cell.at.0.len() != 2 {
        return None;
    }
    MATRICES
        .iter()
        .enumerate()
        .find_map(|(rank, [row, column])| Some((rank, (cell.at.number(*row)?, cell.at.number(*column)?))))
}

fn row(cell: &ComparedCell, other: &ComparedNumber) -> RatioRow {
    let places: Vec<String> = cell.at.0.iter().map(|(axis, place)| place_in_full(*axis, place)).collect();
    let places = if places.is_empty() { "everything".to_owned() } else { places.join(", ") };
    let unit = cell.measure.unit();
    let values = format!("{} → {} {unit}", significant(cell.base), significant(other.value));
    RatioRow {
        name: plain_line(&places),
        score: other.score(),
        words: format!("{}, {values}", words(other.score())),
    }
}

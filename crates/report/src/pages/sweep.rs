//! A sweep: the points that stand out on top, then the others.

use std::cmp::Reverse;

use zerohop_study::{Column, Merit, PointOutcome, Points, SweepResult, SweepRow};

use crate::number::{counted, significant};
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;

/// Most rows of a table.
const ROWS: usize = 40;

/// Most refused and failed points that are named.
const NAMED: usize = 8;

/// Most notes that are shown.
const NOTES: usize = 3;

/// Values that differ by no more than this, as a share of the highest, count as equal.
const ALIKE: f64 = 0.001;

/// The question; a table of points, with the best and the Pareto front on top; and points that could not be computed.
pub(crate) fn sweep_page(result: &SweepResult, style: &Style) -> Page {
    let mut page = Page::new(style);
    let sweep = &result.question.sweep;
    let asked = sweep.points.count();
    let faults: String = sweep.faults.iter().map(|fault| format!(" --fault {fault}")).collect();
    page.banner(&format!("sweep {}{faults}", sweep.machine), &counted(asked, "point"));
    page.blank();
    write_question(&mut page, result);
    let done: Vec<&SweepRow> = result.rows.iter().filter(|row| row.outcome == PointOutcome::Done).collect();
    page.section("points");
    if done.is_empty() {
        page.remark("no point was computed");
    } else {
        write_objectives(&mut page, result);
        write_table(&mut page, result, &done);
    }
    write_others(&mut page, result, PointOutcome::Refused, "rejected by the machine file");
    write_others(&mut page, result, PointOutcome::Failed, "failed");
    let left = asked - result.rows.len();
    if left > 0 {
        page.section("not done");
        page.remark(&format!("{} of {asked}", counted(left, "point")));
    }
    page
}

fn write_question(page: &mut Page, result: &SweepResult) {
    let sweep = &result.question.sweep;
    match &sweep.points {
        Points::Grid(dimensions) => {
            for dimension in dimensions {
                page.line("set", &format!("{} = {}", dimension.name, dimension.values.join(", ")));
            }
        }
        Points::List(points) => {
            page.line(
                "set",
                &format!(
                    "{}, {} one by one",
                    sweep.points.names().join(", "),
                    counted(points.len(), "point")
                ),
            );
        }
    }
    for run in &sweep.runs {
        let name = if run.has_own_name() { format!("{}: ", run.name) } else { String::new() };
        page.line("run", &format!("{name}{}", run.command));
    }
    page.line("solver", &result.question.solver);
}

fn write_objectives(page: &mut Page, result: &SweepResult) {
    let column = |name: &String| result.columns.iter().find(|column| column.name == *name);
    let objectives: Vec<&Column> = result.objectives.iter().filter_map(column).collect();
    let wish = |column: &&Column| {
        let direction = if column.measure.larger_is_better() { "highest" } else { "lowest" };
        format!("{direction} {}", column.name)
    };
    let wishes: Vec<String> = objectives.iter().map(wish).collect();
    match wishes.as_slice() {
        [one, two] => page.remark(&format!("best: {one}; front: {one} against {two}")),
        [one] => page.remark(&format!("best: {one}")),
        _ => {}
    }
}

fn write_table(page: &mut Page, result: &SweepResult, done: &[&SweepRow]) {
    let names = varied(result);
    let (front, back): (Vec<&Column>, Vec<&Column>) =
        result.columns.iter().partition(|column| result.objectives.contains(&column.name));
    let columns = [front, back].concat();
    let rows = &done[..done.len().min(ROWS)];
    let mut shown = columns.len();
    let mut table = grid(&names, &columns, rows);
    while table.width() > page.style().columns() && shown > result.objectives.len() {
        shown -= 1;
        table = grid(&names, &columns[..shown], rows);
    }
    page.grid(table);
    if rows.len() < done.len() {
        page.remark(&format!("and {} more", counted(done.len() - rows.len(), "point")));
    }
    if shown < columns.len() {
        let names: Vec<&str> = columns[shown..].iter().map(|column| column.name.as_str()).collect();
        page.remark(&format!("columns omitted for lack of space: {}", names.join(", ")));
    }
    let differ = done.len() > 1 && largest_spread(&columns, done) >= ALIKE;
    if done.len() > 1 && !differ {
        page.remark("no value differs by 0.1 % or more between these points");
    }
    if differ && result.all_tie() {
        page.remark("no point is best: none differs from the others by more than their intervals");
    }
    write_notes(page, done);
}

/// The spread of a column's values, as a share of the highest.
fn largest_spread(columns: &[&Column], rows: &[&SweepRow]) -> f64 {
    let spread = |column: &&Column| {
        let values: Vec<f64> = rows.iter().filter_map(|row| row.values.get(&column.name).copied()).collect();
        // A value that only some points have distinguishes them.
        if values.len() < rows.len() {
            return f64::INFINITY;
        }
        let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if highest > lowest { (highest - lowest) / highest.abs() } else { 0.0 }
    };
    columns.iter().map(spread).fold(0.0, f64::max)
}

/// Notes on doubtful values, each with its number of points, the most frequent first.
fn write_notes(page: &mut Page, done: &[&SweepRow]) {
    let mut notes: Vec<(&str, usize)> = Vec::new();
    for note in done.iter().flat_map(|row| &row.notes) {
        match notes.iter_mut().find(|(known, _)| known == note) {
            Some((_, points)) => *points += 1,
            None => notes.push((note, 1)),
        }
    }
    if notes.is_empty() {
        return;
    }
    notes.sort_by_key(|(_, points)| Reverse(*points));
    page.section("notes");
    for (note, points) in notes.iter().take(NOTES) {
        page.item(&format!("{}: {note}", counted(*points, "point")));
    }
    if notes.len() > NOTES {
        let doubtful = done.iter().filter(|row| !row.notes.is_empty()).count();
        page.remark(&format!("{} with notes in all: --format csv lists them", counted(doubtful, "point")));
    }
}

/// Settings that differ between points.
fn varied(result: &SweepResult) -> Vec<&str> {
    let points = &result.question.sweep.points;
    match points {
        Points::Grid(dimensions) => {
            let several = dimensions.iter().filter(|dimension| dimension.values.len() > 1);
            several.map(|dimension| dimension.name.as_str()).collect()
        }
        Points::List(_) => points.names(),
    }
}

/// Heads have three lines: the run, the measure's coordinates, and the unit.
fn grid(names: &[&str], columns: &[&Column], rows: &[&SweepRow]) -> Grid {
    let words = |text: &str| text.replace('_', " ");
    let settings = names.iter().map(|name| ((*name).to_owned(), Side::Left));
    let heads = columns.iter().map(|column| (column.run.clone(), Side::Right));
    let mut grid = Grid::new(settings.chain(heads).chain(std::iter::once((String::new(), Side::Left))));
    let blanks = || names.iter().map(|_| Entry::BLANK);
    let whats = columns.iter().map(|column| Entry::text(words(&column.what)));
    grid.push(blanks().chain(whats).collect());
    let unit = |column: &&Column| match column.measure.unit() {
        "" => column.measure.words(),
        unit => unit,
    };
    grid.push(blanks().chain(columns.iter().map(|column| Entry::text(unit(column)))).collect());
    for row in rows {
        let settings =
            names.iter().map(|name| Entry::text(row.settings.get(*name).map_or("", String::as_str)));
        let values = columns.iter().map(|column| match row.values.get(&column.name) {
            Some(value) => Entry::number(&significant(*value)),
            None => Entry::text("–"),
        });
        let merit = match row.merit {
            Some(Merit::Best) => "best",
            Some(Merit::Pareto) => "front",
            None => "",
        };
        grid.push(settings.chain(values).chain([Entry::text(merit)]).collect());
    }
    grid
}

fn write_others(page: &mut Page, result: &SweepResult, outcome: PointOutcome, words: &str) {
    let rows: Vec<&SweepRow> = result.rows.iter().filter(|row| row.outcome == outcome).collect();
    if rows.is_empty() {
        return;
    }
    page.section(words);
    // One reason may apply to many points.
    let mut reasons: Vec<(String, Vec<&SweepRow>)> = Vec::new();
    for row in &rows {
        let reason = row.notes_in_words();
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, rows)) => rows.push(row),
            None => reasons.push((reason, vec![row])),
        }
    }
    for (reason, rows) in reasons.iter().take(NAMED) {
        page.item(&format!("{}: {reason}", counted(rows.len(), "point")));
        // To find a bug, the user needs every failed point; refusals by the machine file are intended.
        let named = match rows.as_slice() {
            [one] => std::slice::from_ref(one),
            several if outcome == PointOutcome::Failed => &several[..several.len().min(NAMED)],
            _ => &[],
        };
        for row in named {
            page.remark(&format!("with {}", result.question.sweep.points.settings(row.point)));
        }
        if !named.is_empty() && named.len() < rows.len() {
            page.remark(&format!("and {} more", counted(rows.len() - named.len(), "point")));
        }
    }
    if reasons.len() > NAMED {
        page.remark(&format!("and {} more", counted(reasons.len() - NAMED, "reason")));
    }
}

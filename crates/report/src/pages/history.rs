//! Values of a machine over time, and the changes of the machine.

use zerohop_compare::trait_changes;
use zerohop_result::{Course, History, Reading};
use zerohop_statistics::median;

use crate::measure::with_unit;
use crate::number::{counted, significant};
use crate::page::Page;
use crate::pages::archive::{day_and_minute, wrong_clocks};
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;

/// Steps of a course in a row; several values share one where there are more.
const STEPS: usize = 24;

/// From low to high.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A value above or below the least by less than this share is no course: it would look like one.
const LEAST_SPAN: f64 = 0.02;

/// Writes the course of each value, and what changed in the machine.
pub(crate) fn history_page(history: &History, style: &Style) -> Page {
    let mut page = Page::new(style);
    let runs = &history.runs;
    let first = runs.first().and_then(|run| run.listed.began_at);
    let last = runs.last().and_then(|run| run.listed.began_at);
    let span = format!("{} to {}", day_and_minute(first), day_and_minute(last));
    page.banner(
        &format!("history of {}", history.machine),
        &format!("{}, {span}", counted(runs.len(), "result")),
    );
    for of_experiment in
        history.courses.chunk_by(|one, other| one.series.experiment == other.series.experiment)
    {
        page.section(of_experiment[0].series.experiment.as_str());
        page.grid(grid(of_experiment));
    }
    if history.courses.is_empty() {
        page.blank();
        page.paragraph("no usable values");
    }
    let changes = trait_changes(runs);
    page.section("what changed in the machine");
    if changes.is_empty() {
        page.paragraph("no change in its recorded hardware and settings");
    }
    for change in &changes {
        let when = day_and_minute(runs[change.run].listed.began_at);
        page.item(&format!("{when}: {}: {} → {}", change.what, change.from, change.to));
    }
    let odd: Vec<_> = runs.iter().filter(|run| run.listed.unusable.is_some()).collect();
    if !odd.is_empty() {
        page.section("not counted");
        for run in odd {
            let reason = run.listed.unusable.as_deref().unwrap_or_default();
            page.item(&format!("{}: {reason}", day_and_minute(run.listed.began_at)));
        }
    }
    wrong_clocks(&mut page, runs.iter().map(|run| &run.listed));
    page
}

fn grid(courses: &[Course]) -> Grid {
    let heads = [
        ("", Side::Left),
        ("first", Side::Right),
        ("latest", Side::Right),
        ("lowest", Side::Right),
        ("highest", Side::Right),
        ("course", Side::Left),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for Course { series, readings } in courses {
        let values: Vec<f64> = readings
            .iter()
            .map(|(_, Reading { value, .. })| series.measure.dimension().shown(*value))
            .collect();
        let (Some(first), Some(last)) = (values.first(), values.last()) else { continue };
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let name = format!("{}, {}", with_unit(series.measure.words(), series.measure), series.place);
        let number = |value: f64| Entry::number(&significant(value));
        grid.push(vec![
            Entry::text(name),
            number(*first),
            number(*last),
            number(least),
            number(most),
            Entry::text(bars(&values, least, most)),
        ]);
    }
    grid
}

/// The course as bars. Bars tell apart what differs by [`LEAST_SPAN`] at least.
fn bars(values: &[f64], least: f64, most: f64) -> String {
    let span = (most - least).max(LEAST_SPAN * most.abs());
    let steps = values.len().min(STEPS);
    let step = |rank: usize| {
        let of = &values[rank * values.len() / steps..(rank + 1) * values.len() / steps];
        let height = (median(of.iter().copied()).unwrap_or(least) - least) / span;
        let top = (BARS.len() - 1) as f64;
        if span > 0.0 { BARS[(height * top).round().clamp(0.0, top) as usize] } else { BARS[0] }
    };
    (0..steps).map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_differences_look_small() {
        assert_eq!(bars(&[100.0, 100.1, 100.0], 100.0, 100.1), "▁▁▁");
        assert_eq!(bars(&[100.0, 80.0, 90.0], 80.0, 100.0), "█▁▅");
        assert_eq!(bars(&[0.0], 0.0, 0.0), "▁");
        let long: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(bars(&long, 0.0, 99.0).chars().count(), STEPS);
    }
}

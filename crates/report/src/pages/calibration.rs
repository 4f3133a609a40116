//! Fit of a machine's model: the parameters, and checks of the fitted model.

use zerohop_result::Coordinates;
use zerohop_study::{CalibratedValue, CalibrationFile, Fitted, Outlier, Role, Unfitted, Why};

use crate::number::{counted, significant};
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;
use crate::place::place_in_full;

/// Number of values that are listed as the worst, and of those that do not fit.
const WORST: usize = 6;

/// Writes the fitted parameters, the ones that were not fitted, and the errors of the model.
pub(crate) fn calibration_page(file: &CalibrationFile, style: &Style) -> Page {
    let mut page = Page::new(style);
    let fitted = file.fitted.iter().map(|one| one.paths.len()).sum();
    page.banner(&format!("calibration of {}", file.machine), &counted(fitted, "parameter"));
    page.line("fitted to", &file.origin.to_string());
    for doubt in &file.doubts {
        page.alert(
            doubt,
            "the model does not match this machine: describe it with --machine TEMPLATE,sockets=…,nodes=…,cores=…",
        );
    }
    if !file.fitted.is_empty() {
        page.section("fitted parameters");
        write_fitted(&mut page, file);
    }
    write_outliers(&mut page, &file.outliers);
    if !file.unfitted.is_empty() {
        page.section("parameters not fitted");
        for one in &file.unfitted {
            page.line(one.stage.words(), &unfitted(one));
        }
    }
    page.section("errors of the model");
    write_checks(&mut page, file);
    write_worst(&mut page, file);
    page
}

fn write_fitted(page: &mut Page, file: &CalibrationFile) {
    let heads = [
        ("parameter", Side::Left),
        ("before", Side::Right),
        ("now", Side::Right),
        ("fitted to", Side::Left),
        ("", Side::Left),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for one in &file.fitted {
        for ((path, before), after) in one.paths.iter().zip(&one.before).zip(&one.after) {
            grid.push(vec![
                Entry::text(path.as_str()),
                Entry::text(before.as_str()),
                Entry::text(after.as_str()),
                Entry::text(one.stage.words()),
                Entry::text(if one.at_bound { "at its limit".to_owned() } else { precision(one) }),
            ]);
        }
    }
    page.grid(grid);
    if file.fitted.iter().any(|one| one.at_bound) {
        page.alert(
            "a parameter is at the limit of its range: the machine differs from the model in something else",
            "check populated channels, wired links and modes, and give them with --machine TEMPLATE,channels=…,links=…",
        );
    }
}

/// The values that do not fit, the farthest first.
fn write_outliers(page: &mut Page, outliers: &[Outlier]) {
    let mut outliers: Vec<&Outlier> = outliers.iter().collect();
    outliers.sort_by(|one, other| other.excess().abs().total_cmp(&one.excess().abs()));
    let more = outliers.len().saturating_sub(WORST);
    for (rank, one) in outliers.iter().take(WORST).enumerate() {
        let words = format!(
            "does not fit: {}, {}: {} {}, {:+.0} %",
            one.experiment,
            places(&one.at),
            significant(one.measured),
            one.measure.unit(),
            100.0 * one.excess(),
        );
        let is_last = rank + 1 == outliers.len().min(WORST);
        let advice = match more {
            0 if is_last => {
                "values that contradict others of their kind have little weight in the fit: measure them again"
            }
            _ => "",
        };
        page.alert(&words, advice);
    }
    if more > 0 {
        page.alert(
            &format!("{} more do not fit; --format json lists all", counted(more, "value")),
            "values that contradict others of their kind have little weight in the fit: measure them again",
        );
    }
}

/// A cell's place in words.
fn places(at: &Coordinates) -> String {
    at.0.iter().map(|(axis, place)| place_in_full(*axis, place)).collect::<Vec<_>>().join(", ")
}

fn precision(one: &Fitted) -> String {
    format!("±{:.1} %", 100.0 * one.error)
}

fn unfitted(one: &Unfitted) -> String {
    let why = match one.why {
        Why::NoValues => {
            format!("the result has no such values; `run {}` measures them", one.stage.experiment())
        }
        Why::NoEffect => "the values do not depend on it: something else limits them".to_owned(),
        Why::WeakEffect => {
            "the values depend on it too little, or other parameters are too uncertain: it cannot be determined".to_owned()
        }
        Why::Confounded => {
            "a parameter fitted before has the same effect: the two cannot be separated".to_owned()
        }
        Why::NoParameter => "the machine file has no parameter for it".to_owned(),
    };
    if one.paths.is_empty() { why } else { format!("{}: {why}", one.paths.join(", ")) }
}

fn write_checks(page: &mut Page, file: &CalibrationFile) {
    let heads = [
        ("", Side::Left),
        ("", Side::Left),
        ("values", Side::Right),
        ("typically (%)", Side::Right),
        ("at most (%)", Side::Right),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for check in &file.checks {
        grid.push(vec![
            Entry::text(check.experiment.as_str()),
            Entry::text(role(check.role)),
            Entry::number(&check.values),
            Entry::number(&format!("{:.1}", check.median * 100.0)),
            Entry::number(&format!("{:.1}", check.worst * 100.0)),
        ]);
    }
    page.grid(grid);
    page.remark("errors of a model fitted to every second value: those of held-out values and other kinds show how far to trust it");
    page.remark("the parameters above, and the values below, are of the model fitted to all values");
}

/// The values that the model misses most.
fn write_worst(page: &mut Page, file: &CalibrationFile) {
    let mut values: Vec<&CalibratedValue> = file.values.iter().collect();
    values.sort_by(|one, other| other.error().abs().total_cmp(&one.error().abs()));
    page.section("the worst values");
    let heads = [
        ("", Side::Left),
        ("", Side::Left),
        ("measured", Side::Right),
        ("model", Side::Right),
        ("unit", Side::Left),
        ("error (%)", Side::Right),
        ("", Side::Left),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for value in values.into_iter().take(WORST) {
        grid.push(vec![
            Entry::text(value.experiment.as_str()),
            Entry::text(places(&value.at)),
            Entry::number(&significant(value.measured)),
            Entry::number(&significant(value.model)),
            Entry::text(value.measure.unit()),
            Entry::number(&format!("{:+.1}", value.error() * 100.0)),
            Entry::text(role(value.role)),
        ]);
    }
    page.grid(grid);
}

const fn role(role: Role) -> &'static str {
    match role {
        Role::Used => "fitted",
        Role::HeldOut => "held out",
        Role::Other => "of another kind",
    }
}

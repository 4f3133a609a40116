//! The first screen of a survey.

use insta::assert_snapshot;
use zerohop_report::terminal::Style;
use zerohop_result::{Axis, Cell, Estimate, Measure, ResultFile};
use zerohop_workload::{Origin, SolverName, Warning};

use crate::examples::*;
use crate::shown::*;

fn shown(file: &ResultFile) -> String {
    first_screen(file, &Style::default())
}

/// The same survey, with a value of one pair multiplied by `factor`.
fn with_odd_pair(mut file: ResultFile, measure: Measure, (from, to): (u64, u64), factor: f64) -> ResultFile {
    let is_matrix = |name: &str| name.ends_with("-matrix");
    for result in file.experiments.iter_mut().filter(|result| is_matrix(result.experiment.as_str())) {
        result
            .cells
            .change(|cells| {
                let is_it = |at: &zerohop_result::Coordinates| {
                    at.is(Axis::Initiator, from) && at.is(Axis::Target, to)
                };
                for cell in cells.iter_mut().filter(|cell| cell.measure == measure && is_it(&cell.at)) {
                    let Estimate { median, low, high, .. } = cell.estimate;
                    let (median, low, high) = (median * factor, low * factor, high * factor);
                    cell.estimate = Estimate { median, low, high, ..cell.estimate };
                }
            })
            .unwrap();
    }
    file
}

#[test]
fn two_nodes_one_of_which_reads_less() {
    let file = with_odd_pair(survey(with_dimms(machine(2, 1, 4))), Measure::Bandwidth, (1, 1), 0.8);
    let text = shown(&file);
    assert!(text.lines().count() <= 24, "{text}");
    assert_snapshot!(text);
}

#[test]
fn eight_nodes_fit_eighty_columns() {
    let text = shown(&with_odd_pair(survey(machine(2, 4, 4)), Measure::Latency, (2, 3), 1.5));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_snapshot!(text);
}

#[test]
fn twenty_four_nodes_are_grouped_by_distance() {
    let text = shown(&survey(machine(4, 6, 4)));
    assert!(text.lines().count() <= 24, "{text}");
    assert_snapshot!(text);
}

#[test]
fn an_interval_wider_than_asked_names_its_experiment() {
    let mut file = survey(machine(2, 1, 4));
    let unwrapped = |file: &ResultFile| shown(file).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(unwrapped(&file).contains("±0.2 % at most"));
    assert!(!unwrapped(&file).contains("at most (in"), "all are as narrow as asked for");
    let wide = file.experiments.iter_mut().find(|result| result.experiment.as_str() == "mixes").unwrap();
    wide.cells.change(|cells| cells[0].estimate.low *= 0.5).unwrap();
    assert!(unwrapped(&file).contains("±50.1 % at most (in mixes)"), "{}", shown(&file));
}

#[test]
fn one_node_has_no_matrix() {
    assert_snapshot!(shown(&survey(machine(1, 1, 2))));
}

#[test]
fn what_is_doubtful_is_marked_and_nothing_is_concluded_from_it() {
    assert_snapshot!(shown(&doubtful()));
}

#[test]
fn an_interrupted_survey_says_so_first() {
    let text = shown(&interrupted());
    assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("  ! interrupted")), "{text}");
}

/// Notes about how a model was solved took two lines of the screen, as if something were wrong.
#[test]
fn notes_are_counted_on_one_line() {
    let mut file = survey(machine(2, 1, 4));
    file.origin = Origin::model(&file.machine, SolverName::Auto, None);
    let reason = "requests are retried".to_owned();
    let note = Warning::SimulatedInstead { reason };
    for result in &mut file.experiments {
        let noted =
            |cells: &mut Vec<Cell>| cells.iter_mut().for_each(|cell| cell.warnings.push(note.clone()));
        result.cells.change(|cells| noted(cells)).unwrap();
    }
    let text = shown(&file);
    assert!(!text.contains("requests are retried"), "{text}");
    assert!(text.contains("1 note: `--all` prints them"), "{text}");
}

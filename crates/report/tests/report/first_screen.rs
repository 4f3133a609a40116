//! The first screen of a survey.

use insta::assert_snapshot;
use zerohop_diagnosis::{Given, Untold, diagnose};
use zerohop_report::pages::Style;
use zerohop_report::{Form, Survey};
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

/// Matrices were preformatted text, whose columns a screen reader does not name.
#[test]
fn in_a_browser_each_value_is_a_cell_of_a_table_under_its_heads() {
    let page = |packages, nodes| {
        let file = survey(machine(packages, nodes, 1));
        let html = text(&document_of(&file), Form::Html, &Style::default()).unwrap();
        let end = html.find("<nav").unwrap();
        html[..end].to_owned()
    };
    for (packages, nodes) in [(2, 1), (2, 4), (4, 6), (8, 8)] {
        let (count, html) = (packages * nodes, page(packages, nodes));
        let (_, matrices) = html.split_once("<div class=\"matrices\">").unwrap();
        let matrices = matrices.split("<details").next().unwrap();
        assert_eq!(matrices.matches("<table class=\"heat").count(), 2, "{count} nodes");
        assert_eq!(matrices.matches("<span class=\"unseen\">from node ").count() as u32, 2 * count);
        assert_eq!(matrices.matches("<span class=\"unseen\">to node ").count() as u32, 2 * count);
        let values = matrices.matches("<td class=\"number warm-").count() as u32;
        assert_eq!(values, count * count, "latencies of {count} nodes");
        assert!(!html.contains("<pre"), "{count} nodes");
    }
    let html = page(8, 9);
    assert!(!html.contains("<table class=\"heat") && html.contains("by distance"), "72 nodes");
}

#[test]
fn percent_of_comparable_pairs_has_its_own_tables() {
    let file = with_odd_pair(survey(with_dimms(machine(2, 4, 4))), Measure::Bandwidth, (1, 1), 0.5);
    let html = text(&document_of(&file), Form::Html, &Style::default()).unwrap();
    assert!(html.contains("<summary>percent of comparable pairs: 50 % to "), "{}", &html[..9000]);
    let odd = regex::Regex::new(r#"<td class="number warm-\d">50</td>"#).unwrap();
    assert_eq!(odd.find_iter(&html).count(), 1, "worse is brown, and only one is");
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
    assert!(text.contains("1 note: `zerohop show RESULT --all` prints them"), "{text}");
}

/// Gives every latency of the matrix a value, and an interval that reaches this factor either way.
fn with_latencies(mut file: ResultFile, of: impl Fn(u64, u64) -> f64, factor: f64) -> ResultFile {
    for result in file.experiments.iter_mut().filter(|one| one.experiment.as_str() == "latency-matrix") {
        let change = |cells: &mut Vec<Cell>| {
            for cell in cells.iter_mut().filter(|cell| cell.measure == Measure::Latency) {
                let ends = cell.at.number(Axis::Initiator).zip(cell.at.number(Axis::Target));
                let Some((from, to)) = ends else { continue };
                let median = of(from, to);
                cell.estimate =
                    Estimate { median, low: median / factor, high: median * factor, ..cell.estimate };
            }
        };
        result.cells.change(change).unwrap();
    }
    file
}

/// The page said 4.29 where the rule `far-latency`, whose threshold is 4.2, saw less. The same figures are a test of the rules.
#[test]
fn the_ratio_of_own_memory_after_98_and_107_ns_to_440_is_that_of_the_rules() {
    let of = |from, to| {
        if from != to {
            440.0
        } else if from == 0 {
            98.0
        } else {
            107.0
        }
    };
    let text = shown(&with_latencies(survey(machine(2, 1, 4)), of, 1.005));
    assert!(text.contains("4.29"), "{text}");
}

/// "366 ns (31 to 4,276)" stood where nothing but an upper bound was known.
#[test]
fn a_wide_interval_shows_what_is_certain_and_no_ratio() {
    let of = |from, to| if from == to { 366.0 } else { 440.0 };
    let file = with_latencies(survey(machine(2, 1, 4)), of, 11.7);
    let text = shown(&file);
    let row = text.lines().find(|line| line.contains("latency (ns)")).unwrap();
    // A normal one-sided bound: 11.7 to the power of 1.645 over 1.96.
    assert!(row.contains("≤ 2884"), "{text}");
    assert!(!text.contains("1.20"), "no ratio of values that are not known: {text}");
    for page in [text, survey_page(&file, &Style::default())] {
        assert!(!page.contains(" to 4276") && !page.contains("(31"), "{page}");
    }
    let csv = result_csv(&file);
    let column = csv.lines().next().unwrap().split(',').position(|name| name == "at_most").unwrap();
    assert!(
        csv.lines()
            .skip(1)
            .any(|line| line.split(',').nth(column).is_some_and(|bound| bound.starts_with("288")))
    );
    // A bandwidth that varies by as much is at least so much.
    let mut file = survey(machine(2, 1, 4));
    for result in file.experiments.iter_mut().filter(|one| one.experiment.as_str() == "bandwidth-matrix") {
        let widen = |cells: &mut Vec<Cell>| {
            for cell in cells {
                let median = cell.estimate.median;
                cell.estimate = Estimate { low: median / 1.5, high: median * 1.5, ..cell.estimate };
            }
        };
        result.cells.change(widen).unwrap();
    }
    assert!(shown(&file).contains("≥ "), "{}", shown(&file));
}

/// A sound machine had no line that said so, and a link that was down on all machines alike was no word.
#[test]
fn a_page_on_which_nothing_was_found_says_so_and_what_was_not_looked_at() {
    let file = survey(machine(2, 1, 4));
    let mut diagnosis = diagnose(&[], "a result", &file, Given::default());
    let page = |diagnosis: &zerohop_diagnosis::Diagnosis| {
        let survey = Survey { whole: false, diagnosis: Some(diagnosis), ..document_of(&file) };
        let page = text(&survey, Form::Page, &Style::default()).unwrap();
        page.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(page(&diagnosis).contains("diagnosis cannot tell: no rule can use this result"));
    diagnosis.passed = vec!["far-bandwidth".to_owned(), "flat-nodes".to_owned()];
    assert!(page(&diagnosis).contains("diagnosis nothing found; 2 rules could tell, 0 could not "));
    let missing = "knowledge of the machine: --machine names it".to_owned();
    diagnosis.untold = vec![Untold { rule: "links-missing".to_owned(), missing, not_tested: None }];
    let told = page(&diagnosis);
    assert!(told.contains("; channels or links could be missing everywhere"), "{told}");
}

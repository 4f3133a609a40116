//! Pictures of comparisons.

use roxmltree::Document;
use zerohop_compare::{ComparisonFile, Configuration, Numbering, compare};
use zerohop_report::Form;
use zerohop_report::pages::Style;
use zerohop_result::{Axis, Cell, Coordinates, Estimate, ExperimentResult, Measure, ResultFile};
use zerohop_workload::Warning;

use crate::examples::*;
use crate::shown::*;

/// A survey in which what a node reads of its own memory is this many times as much.
fn with_reads_of(file: &ResultFile, node: u64, factor: f64) -> ResultFile {
    let mut file = file.clone();
    let is_it = |cell: &Cell| cell.at.is(Axis::Initiator, node) && cell.at.is(Axis::Target, node);
    for result in file.experiments.iter_mut().filter(|one| one.experiment.as_str() == "bandwidth-matrix") {
        let change = |cells: &mut Vec<Cell>| {
            for cell in cells.iter_mut().filter(|cell| cell.measure == Measure::Bandwidth && is_it(cell)) {
                let Estimate { median, low, high, .. } = cell.estimate;
                cell.estimate = Estimate {
                    median: median * factor,
                    low: low * factor,
                    high: high * factor,
                    ..cell.estimate
                };
            }
        };
        result.cells.change(change).unwrap();
    }
    file
}

fn compared(results: &[(&str, &ResultFile)]) -> ComparisonFile {
    let named: Vec<Configuration<'_>> =
        results.iter().map(|&(name, result)| Configuration { name, result, repeats: &[] }).collect();
    compare(&named, Numbering::AsGiven).unwrap()
}

fn texts(picture: &str) -> Vec<String> {
    let document = Document::parse(picture).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text().map(str::to_owned)).collect()
}

fn drawn(comparison: &ComparisonFile) -> String {
    text(comparison, Form::Svg, &Style::default()).unwrap()
}

/// Of a machine at 60 % with a node at 80 %, that node was called better, and nothing said that all had become worse.
#[test]
fn the_change_of_a_place_is_said_beside_that_of_the_whole() {
    let base = survey(machine(4, 1, 4));
    let mut slower = with_reads_of(&base, 1, 0.8 / 0.6);
    for result in &mut slower.experiments {
        let scale = |cells: &mut Vec<Cell>| {
            for cell in cells.iter_mut().filter(|cell| cell.measure == Measure::Bandwidth) {
                let Estimate { median, low, high, .. } = cell.estimate;
                cell.estimate =
                    Estimate { median: median * 0.6, low: low * 0.6, high: high * 0.6, ..cell.estimate };
            }
        };
        result.cells.change(scale).unwrap();
    }
    let page = text(&compared(&[("before", &base), ("after", &slower)]), Form::Page, &Style::default());
    let page = page.unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, sentence) = page.split_once("after: ").unwrap();
    let (sentence, _) = sentence.split_once(" ratios: ").unwrap();
    assert!(sentence.starts_with("bandwidths are ") && sentence.contains(" % worse"), "{sentence}");
    let before_places = sentence.split("against the rest, ").next().unwrap();
    assert!(!before_places.contains("better"), "{sentence}");
}

#[test]
fn a_matrix_is_a_map_of_ratios_with_a_sign_where_it_changed() {
    let base = survey(machine(2, 2, 4));
    let comparison = compared(&[("before", &base), ("after", &with_reads_of(&base, 1, 0.5))]);
    let picture = drawn(&comparison);
    let texts = texts(&picture);
    let pairs = [[Axis::Initiator, Axis::Target], [Axis::From, Axis::To]];
    let is_pair = |at: &Coordinates| {
        at.0.len() == 2 && pairs.iter().any(|axes| axes.iter().all(|&axis| at.number(axis).is_some()))
    };
    let in_maps = comparison.cells.iter().filter(|cell| is_pair(&cell.at)).count();
    assert!(in_maps > 31);
    assert!(texts.iter().any(|text| text == "after beside before"), "{texts:?}");
    assert_eq!(texts.iter().filter(|text| *text == "▼0.50").count(), 1);
    assert_eq!(texts.iter().filter(|text| *text == "1.00").count(), in_maps - 1, "the rest is the same");
    let better = drawn(&compared(&[("before", &base), ("after", &with_reads_of(&base, 1, 2.0))]));
    assert!(better.contains("▲2.00") && !better.contains("▼0"));
}

#[test]
fn several_results_have_a_map_each_and_the_rest_is_counted() {
    let base = survey(machine(2, 1, 4));
    let others: Vec<ResultFile> =
        [0.9, 0.8, 0.7, 0.6, 0.5].iter().map(|factor| with_reads_of(&base, 0, *factor)).collect();
    let names = ["a", "b", "c", "d", "e"];
    let all: Vec<(&str, &ResultFile)> =
        std::iter::once(("base", &base)).chain(names.into_iter().zip(&others)).collect();
    let texts = texts(&drawn(&compared(&all)));
    for name in &names[..4] {
        assert!(texts.contains(&format!("bandwidth-matrix, bandwidth: {name} beside base")), "{name}");
        assert!(texts.contains(&format!("everything: {name}")), "{name}");
    }
    assert!(!texts.iter().any(|text| text.starts_with("bandwidth-matrix, bandwidth: e ")));
    assert!(texts.iter().any(|text| text == "the first 4; the tables have all 5"), "{texts:?}");
}

#[test]
fn what_is_doubtful_is_marked_and_not_coloured() {
    let base = survey(machine(2, 1, 4));
    let mut other = with_reads_of(&base, 1, 0.5);
    let is_matrix = |one: &&mut ExperimentResult| one.experiment.as_str() == "bandwidth-matrix";
    for result in other.experiments.iter_mut().filter(is_matrix) {
        let doubt = |cells: &mut Vec<Cell>| {
            cells.iter_mut().for_each(|cell| cell.warnings.push(Warning::Throttled {}));
        };
        result.cells.change(doubt).unwrap();
    }
    let picture = drawn(&compared(&[("before", &base), ("after", &other)]));
    assert!(texts(&picture).iter().any(|text| text == "?0.50"));
    assert!(!texts(&picture).iter().any(|text| text.contains("▼0")), "{picture}");
}

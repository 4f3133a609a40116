//! What is expected without a model, and how far predictions are known to be off.

use zerohop_expectation::{Basis, Knowledge, KnownErrors, Standing, expect};
use zerohop_machine::{Machine, NodeId, NumaNode, PuSet};
use zerohop_result::{
    Axis, Cell, Cells, Completion, Coordinates, Estimate, Evidence, ExperimentName, ExperimentResult,
    Measure, MeasuringSettings, ResultFile, SCHEMA_VERSION,
};
use zerohop_units::{Bytes, Seconds};
use zerohop_workload::{EngineDescription, Origin};

/// The file that is written together with it.
const ERRORS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../validation/errors.toml"));
const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/validation.md"));

/// A bandwidth matrix of four nodes, whose values are `of(from, to)`.
fn matrix(of: impl Fn(u32, u32) -> f64) -> ResultFile {
    let nodes = (0..4).map(|id| NumaNode {
        id: NodeId(id),
        pus: PuSet::default(),
        memory: Bytes(1 << 30),
        free: Bytes(1 << 30),
        huge_pages: Vec::new(),
        memory_side_caches: Vec::new(),
        allowed: true,
    });
    let cells = (0..4).flat_map(|from| (0..4).map(move |to| (from, to))).map(|(from, to)| {
        let value = of(from, to);
        Cell {
            at: Coordinates::new().with(Axis::Initiator, from).with(Axis::Target, to),
            measure: Measure::Bandwidth,
            estimate: Estimate {
                median: value,
                low: 0.99 * value,
                high: 1.01 * value,
                min: value,
                max: value,
                mean: value,
                standard_deviation: 0.0,
            },
            evidence: Evidence::default(),
            samples: vec![value],
            warnings: Vec::new(),
        }
    });
    let result = ExperimentResult {
        experiment: ExperimentName::known("bandwidth-matrix"),
        completion: Completion::Complete,
        elapsed: Seconds(0.0),
        cells: Cells::new(cells.collect()).unwrap(),
        warnings: Vec::new(),
    };
    ResultFile {
        schema_version: SCHEMA_VERSION,
        produced_by: String::new(),
        started_at: None,
        finished_at: None,
        run: None,
        completion: Completion::Complete,
        origin: Origin::HOST,
        engine: EngineDescription::new(&Origin::HOST, "", Vec::new()),
        machine: Machine { nodes: nodes.collect(), ..Machine::default() },
        settings: MeasuringSettings::default(),
        experiments: vec![result],
        warnings: Vec::new(),
        unknown: Vec::new(),
    }
}

fn healthy(from: u32, to: u32) -> f64 {
    if from == to { 100.0 } else { 40.0 }
}

/// The page of the validation and the file of known errors are written together. Values of a machine that is not among them are farther
/// off than those that are.
#[test]
fn intervals_are_at_least_as_wide_as_the_errors_of_the_page() {
    let table = PAGE.split("## By measure").nth(1).unwrap().split("## By machine").next().unwrap();
    let rows = table.lines().filter_map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [kind, _, _, nine_of_ten, ..] = cells[..] else { return None };
        let percent: f64 = nine_of_ten.strip_suffix(" %")?.parse().ok()?;
        Some((kind.to_owned(), percent.ceil()))
    });
    let phrases = KnownErrors::read(ERRORS).unwrap().phrases();
    assert!(phrases.len() >= 4, "{phrases:?}");
    let read = |phrase: &String| {
        let (kind, percent) = phrase.strip_suffix(" %").unwrap().split_once(" ±").unwrap();
        (kind.to_owned(), percent.parse::<f64>().unwrap())
    };
    for ((kind, known), (row, least)) in phrases.iter().map(read).zip(rows) {
        assert_eq!(kind, row);
        assert!((least..2.5 * least).contains(&known), "{kind}: {known} %, on the page {least} %");
    }
}

#[test]
fn where_nothing_is_known_comparable_cells_say_what_to_expect() {
    let slow = |from: u32, to: u32| if (from, to) == (1, 2) { 20.0 } else { healthy(from, to) };
    let expectations = expect(&matrix(slow), Err("nothing is known"), &KnownErrors::default());
    assert_eq!(expectations.knowledge, Knowledge::Nothing { reason: "nothing is known".to_owned() });
    assert_eq!(expectations.cells.len(), 16);
    assert!(expectations.cells.iter().all(|cell| cell.expected.basis == Basis::Sisters));
    let deviating = expectations.deviating();
    let [odd] = deviating[..] else { panic!("{deviating:?}") };
    assert!(odd.at.is(Axis::Initiator, 1u32) && odd.at.is(Axis::Target, 2u32), "{odd:?}");
    assert_eq!((odd.standing, odd.expected.value), (Standing::Worse, 40.0));
    assert!((odd.deviation() + 0.5).abs() < 1e-9);
    assert_eq!(odd.expected.reason, "10 comparable pairs: 40.0 to 40.0 GB/s");
}

/// Each direction of a slow link was as expected, because the other one is as slow.
#[test]
fn a_link_that_is_slow_in_both_directions_is_not_as_expected() {
    let slow =
        |from: u32, to: u32| if [(1, 2), (2, 1)].contains(&(from, to)) { 20.0 } else { healthy(from, to) };
    let expectations = expect(&matrix(slow), Err("nothing is known"), &KnownErrors::default());
    assert_eq!(expectations.deviating().len(), 2);
}

#[test]
fn doubtful_cells_are_not_judged() {
    let mut file = matrix(|from, to| if (from, to) == (1, 2) { 20.0 } else { healthy(from, to) });
    let doubt = |cells: &mut Vec<Cell>| {
        for cell in cells.iter_mut().filter(|cell| cell.estimate.median < 30.0) {
            cell.warnings.push(zerohop_workload::Warning::Throttled {});
        }
    };
    file.experiments[0].cells.change(doubt).unwrap();
    let expectations = expect(&file, Err("nothing is known"), &KnownErrors::default());
    assert!(expectations.deviating().is_empty());
    assert!(expectations.cells.iter().any(|cell| cell.standing == Standing::Open));
}

#[test]
fn a_cell_without_sisters_is_listed_with_the_reason() {
    let mut file = matrix(healthy);
    file.experiments[0].cells.change(|cells| cells.truncate(1)).unwrap();
    let expectations = expect(&file, Err("nothing is known"), &KnownErrors::default());
    assert!(expectations.is_empty());
    let [none] = &expectations.without[..] else { panic!("{:?}", expectations.without) };
    assert_eq!((none.cells, none.reason.as_str()), (1, "nothing is known"));
}

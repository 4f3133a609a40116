//! Studies and results made up for a test.

use zerohop_document::{FittedTo, Grade, Parameter};
use zerohop_machine::Machine;
use zerohop_machine_file::{Coherence, Hardware, Routes};
use zerohop_result::{
    Axis, Cell, Cells, Completion, Coordinates, Estimate, Evidence, ExperimentName, ExperimentResult, Measure,
};
use zerohop_study::{ReproduceError, Reproduction, Row, Study, reproduce};
use zerohop_units::{Nanoseconds, Seconds};

/// What every study has: two runs and places for two threads and a channel.
const HEAD: &str = r#"
name = "notes"
title = "Two threads"
machine = "square"
document = { title = "Notes", publisher = "Someone", number = "1", date = "2006" }

[run]
calm = "crossfire --case local"
busy = "crossfire --case local --background high"

[place]
near = { at = { case = "near" } }
far = { at = { case = "far" } }
farther = { at = { case = "farther" } }
memory = { at = { channel = "0" }, sum = "direction" }
"#;

/// A study with these passages.
pub(crate) fn study_text(passages: &str) -> String {
    format!("{HEAD}{passages}")
}

/// A study that claims something of every run and place, so that what is tested stands alone in `passages`.
pub(crate) fn study(passages: &str) -> Study {
    let rest = r#"
[[passage]]
id = "rest"
label = "rest"
pages = "0"
about = "names what the test does not"
grade = "fitted"
reason = "the test is about something else"
run = "calm"
value = [
    { at = "near", published = "1 %" }, { at = "far", published = "1 %", run = "busy" }, { at = "farther", published = "1 %" },
    { at = "memory", published = "1 GB/s", measure = "bus_traffic_gbps" },
]
"#;
    Study::parse("study.toml", &study_text(&format!("{passages}{rest}")))
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Ratios of the three cases in the runs `busy` and `calm`, which is their order in the study, and memory traffic in both.
pub(crate) fn results(busy: [f64; 3], calm: [f64; 3]) -> Vec<Vec<ExperimentResult>> {
    [busy, calm].map(|ratios| vec![result(ratios)]).into()
}

/// The same results, whose intervals reach this share of the value to both sides.
pub(crate) fn noisy(mut results: Vec<Vec<ExperimentResult>>, half: f64) -> Vec<Vec<ExperimentResult>> {
    let widen = |cells: &mut Vec<Cell>| {
        for cell in cells {
            let value = cell.estimate.median;
            (cell.estimate.low, cell.estimate.high) = (value * (1.0 - half), value * (1.0 + half));
        }
    };
    results.iter_mut().flatten().for_each(|result| result.cells.change(widen).unwrap());
    results
}

fn result(ratios: [f64; 3]) -> ExperimentResult {
    let case = |name: &str| Coordinates::new().with(Axis::Case, name).with(Axis::Background, "x");
    let mut cells = Vec::new();
    for (name, ratio) in ["near", "far", "farther"].into_iter().zip(ratios) {
        cells.push(cell(case(name), Measure::RelativeTime, ratio));
        // Each thread's own ratio, and another measure: neither is meant.
        cells.push(cell(case(name).with(Axis::Thread, "0.0.w.0"), Measure::RelativeTime, 9.0));
        cells.push(cell(case(name), Measure::TimePerLine, 50.0));
    }
    for (direction, rate) in [("read", 1.5), ("written", 1.25)] {
        let at = Coordinates::new().with(Axis::Channel, "0").with(Axis::Direction, direction);
        cells.push(cell(at, Measure::BusTraffic, rate));
    }
    ExperimentResult {
        experiment: ExperimentName::known("crossfire"),
        completion: Completion::Complete,
        elapsed: Seconds(1.0),
        cells: Cells::new(cells).unwrap(),
        warnings: Vec::new(),
    }
}

fn cell(at: Coordinates, measure: Measure, value: f64) -> Cell {
    let estimate = Estimate::exact(value);
    Cell { at, measure, estimate, evidence: Evidence::default(), samples: vec![value], warnings: Vec::new() }
}

/// A machine with one parameter fitted to each of these figures.
pub(crate) fn hardware(fitted_to: &[&str]) -> Hardware {
    let parameter = |fitted: Option<FittedTo>| Parameter {
        path: "core.k8.in_flight.strided".to_owned(),
        value: "3".to_owned(),
        source: "a guess".to_owned(),
        grade: if fitted.is_some() { Grade::Fitted } else { Grade::Assumed },
        fitted,
    };
    let to = |figure: &str| FittedTo { figures: vec![figure.parse().unwrap()], elsewhere: None };
    let fitted = fitted_to.iter().map(|&figure| parameter(Some(to(figure))));
    Hardware {
        title: "A square".to_owned(),
        machine: Machine { name: "square".to_owned(), ..Machine::default() },
        routers: Vec::new(),
        links: Vec::new(),
        routes: Routes::new(0, Vec::new()),
        core_kinds: Vec::new(),
        cores: Vec::new(),
        homes: Vec::new(),
        channels: Vec::new(),
        coherence: Coherence::Directory { lookup: Nanoseconds(0.0) },
        memories: Vec::new(),
        keys: [].into(),
        parameters: fitted.chain([parameter(None)]).collect(),
        options: Vec::new(),
    }
}

/// What becomes of the study.
pub(crate) fn outcome(
    passages: &str,
    busy: [f64; 3],
    calm: [f64; 3],
) -> Result<Reproduction, ReproduceError> {
    reproduce(&study(passages), &results(busy, calm), &[&hardware(&[])])
}

/// The only row of the study's first passage.
pub(crate) fn row(passages: &str, busy: [f64; 3], calm: [f64; 3]) -> Row {
    outcome(passages, busy, calm).unwrap().passages[0].rows[0].clone()
}

//! What is printed in another tool's form comes back equal when it is imported.

use proptest::prelude::*;
use zerohop_experiment::catalogue;
use zerohop_importers::{KINDS, import};
use zerohop_machine::Machine;
use zerohop_report::pages::Style;
use zerohop_report::{Experiment, Form, ImportedResult, Rendered, render};
use zerohop_result::{Axis, Cell, ExperimentResult, Measure, ResultFile};

use crate::examples::*;

/// The MLC form of a whole result.
fn printed(file: &ResultFile) -> String {
    let document =
        ImportedResult { result: file, experiments: catalogue().with_imported(KINDS), expectations: None };
    match render(&document, Form::Mlc, &Style::default()) {
        Ok(Rendered::Text(text)) => text,
        other => panic!("{other:?}"),
    }
}

fn read_back(text: &str) -> ResultFile {
    let mut all = import("printed.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(all.len(), 1, "{text}");
    assert!(all[0].unread.is_empty(), "{:?}\n{text}", all[0].unread);
    all.remove(0).result
}

fn of<'a>(file: &'a ResultFile, name: &str) -> &'a ExperimentResult {
    file.experiments.iter().find(|one| one.experiment == *name).unwrap_or_else(|| panic!("no {name}"))
}

/// A result whose values are scaled, so that they have any digits.
fn scaled(mut file: ResultFile, factor: f64) -> ResultFile {
    for experiment in &mut file.experiments {
        let scale = |cells: &mut Vec<Cell>| {
            for cell in cells {
                cell.estimate.median *= factor;
                cell.estimate.low = cell.estimate.median;
                cell.estimate.high = cell.estimate.median;
            }
        };
        experiment.cells.change(scale).unwrap();
    }
    file
}

/// What MLC prints has one decimal, or two for a latency under load.
fn is_rounded(value: f64, printed: f64, measure: Measure) -> bool {
    let step = if measure == Measure::Bandwidth { 1e-4 } else { 0.1 };
    (value - printed).abs() <= 0.5001 * step
}

fn compare(before: &ResultFile, after: &ResultFile, names: &[&str]) {
    for name in names {
        let again = of(after, name);
        assert!(!again.cells.is_empty(), "{name}");
        for cell in &again.cells {
            // Where the load is on the node's own memory, its number goes without saying.
            let place = |cell: &Cell| {
                let mut at = cell.at.clone();
                if *name == "loaded-latency" {
                    at.0.remove(&Axis::Target);
                }
                (cell.measure, at)
            };
            let original = of(before, name).cells.iter().find(|known| place(known) == place(cell));
            let original = original.unwrap_or_else(|| panic!("{name}: nothing was printed at {}", cell.at));
            let (value, printed) = (original.estimate.median, cell.estimate.median);
            assert!(is_rounded(value, printed, cell.measure), "{name}, {}: {value} {printed}", cell.at);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn what_we_print_in_mlc_s_form_comes_back_equal(packages in 1u32..4, nodes in 1u32..3, factor in 0.1..9.0f64) {
        let file = scaled(survey(machine(packages, nodes, 2)), factor);
        let text = printed(&file);
        let again = read_back(&text);
        let names = ["latency-matrix", "bandwidth-matrix", "loaded-latency"];
        compare(&file, &again, &names);
        for name in names {
            let is_value = |cell: &&Cell| cell.measure == Measure::Latency || cell.measure == Measure::Bandwidth;
            let whole = |file: &ResultFile| of(file, name).cells.iter().filter(is_value).count();
            prop_assert_eq!(whole(&again), whole(&file), "{}", name);
        }
        // Printed and read once more, nothing changes.
        let twice = read_back(&printed(&again));
        for name in names {
            prop_assert_eq!(&of(&again, name).cells, &of(&twice, name).cells, "{}", name);
        }
    }
}

#[test]
fn the_mixes_of_the_whole_machine_come_back() {
    let file = survey(machine(2, 1, 4));
    let again = read_back(&printed(&file));
    let mixes = of(&again, "mixes");
    assert_eq!(mixes.cells.len(), 5);
    for cell in &mixes.cells {
        let is_same = |known: &&Cell| {
            known.at.get(Axis::Mix) == cell.at.get(Axis::Mix) && known.at.is(Axis::Initiator, "all")
        };
        let originals = of(&file, "mixes")
            .cells
            .iter()
            .filter(is_same)
            .filter(|known| known.measure == Measure::Bandwidth);
        let best = originals.map(|known| known.estimate.median).fold(0.0, f64::max);
        assert!(is_rounded(best, cell.estimate.median, Measure::Bandwidth), "{}", cell.at);
    }
}

#[test]
fn curves_of_mess_come_back() {
    let machine: Machine = machine(1, 1, 4);
    let at = |delay: u32, percent: u32| {
        zerohop_result::Coordinates::new()
            .with(Axis::Initiator, 0u32)
            .with(Axis::Target, "local")
            .with(Axis::Delay, delay)
            .with(Axis::ReadPercent, percent)
    };
    let mut cells = Vec::new();
    for (delay, percent, latency) in [(0, 100, 300.5), (500, 100, 90.25), (0, 50, 400.125)] {
        cells.push(cell(at(delay, percent), Measure::Latency, latency));
        cells.push(cell(at(delay, percent), Measure::Bandwidth, 2.0 * latency));
    }
    let name = catalogue().all().find(|known| known.name == "load-curves").unwrap().name();
    let result = experiment(name, cells);
    let file = file(machine, vec![result]);
    let document = Experiment { file: &file, result: &file.experiments[0], experiments: catalogue() };
    let Ok(Rendered::Text(text)) = render(&document, Form::Mess, &Style::default()) else { panic!() };
    let again = read_back(&text);
    let values = |file: &ResultFile| {
        let mut values: Vec<(String, f64)> = file.experiments[0]
            .cells
            .iter()
            .map(|cell| (format!("{} {}", cell.measure.name(), cell.at), cell.estimate.median))
            .collect();
        values.sort_by(|one, other| one.0.cmp(&other.0));
        values
    };
    assert_eq!(values(&again), values(&file));
}

//! Whatever is in a result file, every form of it can be written.

use std::collections::BTreeSet;

use proptest::prelude::*;
use zerohop_experiment::catalogue;
use zerohop_machine::{Machine, NodeId};
use zerohop_report::json;
use zerohop_report::pages::Style;
use zerohop_result::{
    Axis, Cell, Completion, Coordinate, Coordinates, Descriptor, Estimate, ExperimentName, ExperimentResult,
    Measure, ResultFile,
};
use zerohop_units::Seconds;
use zerohop_workload::Warning;

use crate::examples::*;
use crate::shown::*;

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => 0.1..1e4f64,
        1 => any::<f64>(),
        1 => prop_oneof![Just(0.0), Just(-1.0), Just(f64::NAN), Just(f64::INFINITY)],
        1 => extreme(),
    ]
}

/// Finite values that no machine has, and a file may hold.
fn extreme() -> impl Strategy<Value = f64> {
    let values = [0.0, 5e-324, 1e-300, 1e-12, 1.0, 1.0 + f64::EPSILON, 1e18, 1.7e308, -1.0, -1.7e308];
    proptest::sample::select(values.to_vec())
}

/// A result of each experiment whose pictures have axes, with cells at places of theirs.
fn extreme_file() -> impl Strategy<Value = ResultFile> {
    let estimate = (extreme(), extreme(), extreme());
    proptest::collection::vec(estimate, 48).prop_map(|numbers| {
        let mut numbers = numbers.into_iter().cycle();
        let mut of = |at: Coordinates, measure: Measure| {
            let (median, low, high) = numbers.next().unwrap_or_default();
            let mut cell = cell(at, measure, median);
            cell.estimate = Estimate { low, high, ..cell.estimate };
            cell
        };
        let both = [Measure::Latency, Measure::Bandwidth];
        let at = |axis: Axis, number: u64| Coordinates::new().with(axis, number);
        let mut experiments = Vec::new();
        for (name, axis) in [
            ("cache-latency", Axis::Footprint),
            ("loaded-latency", Axis::Delay),
            ("ramp", Axis::CoresPerNode),
            ("bandwidth-matrix", Axis::Target),
            ("latency-matrix", Axis::Target),
            ("mixes", Axis::Mix),
        ] {
            let places = (1..4u64).map(|number| at(axis, number * 4096).with(Axis::Initiator, number % 2));
            let cells = places.flat_map(|place| both.map(|measure| of(place.clone(), measure)));
            experiments.push(experiment(ExperimentName::known(name), distinct(cells.collect())));
        }
        file(machine(1, 2, 2), experiments)
    })
}

fn coordinate() -> impl Strategy<Value = Coordinate> {
    prop_oneof![
        6 => (0u64..6).prop_map(Coordinate::Number),
        1 => any::<u64>().prop_map(Coordinate::Number),
        2 => prop_oneof![Just("all"), Just("local"), Just("min"), Just("copy_nt")].prop_map(Coordinate::from),
        1 => "\\PC{0,12}".prop_map(Coordinate::Word),
    ]
}

fn any_cell() -> impl Strategy<Value = Cell> {
    let places =
        proptest::collection::btree_map(proptest::sample::select(&Axis::ALL[..]), coordinate(), 0..5);
    let measure = prop_oneof![Just(Measure::Latency), Just(Measure::Bandwidth), Just(Measure::BusTraffic)];
    let warned = prop_oneof![3 => Just(None), 1 => (number(), number()).prop_map(Some)];
    (places, measure, [number(), number(), number()], warned).prop_map(
        |(places, measure, numbers, warned)| {
            let [median, low, high] = numbers;
            let mut cell = cell(Coordinates(places), measure, median);
            cell.estimate = Estimate { low, high, ..cell.estimate };
            cell.warnings.extend(warned.map(|(low, high)| Warning::TwoPeaks { low, high, share: None }));
            cell
        },
    )
}

/// The first of cells that cannot be told apart.
fn distinct(mut cells: Vec<Cell>) -> Vec<Cell> {
    let mut known = BTreeSet::new();
    cells.retain(|cell| known.insert((cell.measure, cell.at.clone())));
    cells
}

fn any_experiment() -> impl Strategy<Value = ExperimentResult> {
    let name = proptest::sample::select(catalogue().all().map(Descriptor::name).collect::<Vec<_>>());
    let completion =
        prop_oneof![Just(Completion::Complete), Just(Completion::Interrupted), Just(Completion::Running)];
    (name, completion, proptest::collection::vec(any_cell(), 0..20), number()).prop_map(
        |(name, completion, cells, elapsed)| ExperimentResult {
            completion,
            elapsed: Seconds(elapsed),
            ..experiment(name, distinct(cells))
        },
    )
}

fn any_machine() -> impl Strategy<Value = Machine> {
    (0u32..3, 1u32..4, 1u32..4, any::<bool>(), "\\PC{0,40}").prop_map(
        |(packages, nodes, cores, more, name)| {
            let mut machine = machine(packages, nodes, cores);
            if more {
                machine = with_dimms(with_memory_node(machine, 45));
            }
            machine.name.clone_from(&name);
            machine.gaps.push(name);
            machine.nodes.retain(|node| node.id != NodeId(1));
            machine
        },
    )
}

fn any_file() -> impl Strategy<Value = ResultFile> {
    (any_machine(), proptest::collection::vec(any_experiment(), 0..4))
        .prop_map(|(machine, experiments)| file(machine, experiments))
}

fn check_forms(file: &ResultFile, style: Style) -> Result<(), TestCaseError> {
    for text in [survey_page(file, &style), first_screen(file, &style), machine_page(&file.machine, &style)] {
        let escapes = text.contains(char::from(27));
        prop_assert!(text.ends_with('\n') && (style.colour || !escapes));
    }
    for result in &file.experiments {
        prop_assert!(experiment_page(file, result, &style).ends_with('\n'));
        if let Ok(block) = block(result, &file.machine, &file.origin) {
            prop_assert!(block.ends_with("\n\n"));
        }
    }
    for picture in [survey_picture(file), machine_picture(&file.machine)] {
        prop_assert!(roxmltree::Document::parse(&picture).is_ok());
    }
    let cells: usize = file.experiments.iter().map(|result| result.cells.len()).sum();
    let text = result_csv(file);
    let mut rows = ::csv::Reader::from_reader(text.as_bytes());
    prop_assert_eq!(rows.records().filter(Result::is_ok).count(), cells);
    prop_assert!(serde_json::from_str::<serde_json::Value>(&json::result_json(file)).is_ok());
    Ok(())
}

fn check_numbers(cells: Vec<Cell>) -> Result<(), TestCaseError> {
    let mut cells = distinct(cells);
    for (rank, cell) in cells.iter_mut().enumerate() {
        // A number like no other.
        cell.estimate.median = 1234.0 + rank as f64;
    }
    let unknown = ExperimentName::known("heat-by-row");
    for name in catalogue().all().map(Descriptor::name).chain([unknown]) {
        let result = experiment(name, cells.clone());
        let file = file(machine(1, 1, 2), vec![result.clone()]);
        let page = experiment_page(&file, &result, &Style { colour: false, width: u16::MAX });
        // Of many workloads, a page shows the inside of the first few and says so.
        let left_out = page.contains(" more workload");
        for cell in &cells {
            let inside = [Axis::Link, Axis::Channel, Axis::Home, Axis::Stage];
            let inside = inside.into_iter().any(|axis| cell.at.get(axis).is_some());
            // Of a value that nobody knows, the page says what is certain.
            let is_bounded = cell.certain().is_some() && (page.contains("≥ ") || page.contains("≤ "));
            let is_shown = page.contains(&format!("{:.0}", cell.estimate.median)) || is_bounded;
            prop_assert!(is_shown || (inside && left_out), "{}\n{page}", cell.estimate.median);
        }
    }
    Ok(())
}

/// Whether each number of a picture has as many digits as a person reads.
fn has_readable_numbers(picture: &str) -> bool {
    const MOST: usize = 24;
    let runs = picture.split(|one: char| !one.is_ascii_digit());
    runs.map(str::len).max().unwrap_or(0) <= MOST && !picture.contains("NaN") && !picture.contains("inf<")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A latency of 1.7e308 ns, which is finite, ended the program.
    #[test]
    fn pictures_of_absurd_values_are_pictures(file in extreme_file()) {
        check_forms(&file, Style { colour: false, width: 100 })?;
        let picture = survey_picture(&file);
        prop_assert!(picture.len() < 300_000 && has_readable_numbers(&picture), "{picture}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn every_form_of_something_can_be_written(file in any_file(), colour in any::<bool>(), width in any::<u16>()) {
        check_forms(&file, Style { colour, width })?;
    }

    #[test]
    fn no_number_of_a_few_results_is_lost_from_a_page(cells in proptest::collection::vec(any_cell(), 1..12)) {
        check_numbers(cells)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    #[ignore = "long: writes every form of 200 drawn results"]
    fn every_form_of_anything_can_be_written(file in any_file(), colour in any::<bool>(), width in any::<u16>()) {
        check_forms(&file, Style { colour, width })?;
    }

    #[test]
    #[ignore = "long: writes thousands of pages"]
    fn no_number_is_lost_from_a_page(cells in proptest::collection::vec(any_cell(), 1..12)) {
        check_numbers(cells)?;
    }
}

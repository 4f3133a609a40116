//! The terminal's pages, as snapshots.

use insta::assert_snapshot;
use zerohop_report::pages::Style;
use zerohop_result::{Axis, Coordinates, ExperimentName, ExperimentResult, Measure};
use zerohop_units::Seconds;
use zerohop_workload::TimeSpent;

use crate::examples::*;
use crate::shown::*;

fn wide() -> Style {
    Style { colour: false, width: 100 }
}

#[test]
fn survey_of_two_nodes() {
    assert_snapshot!(survey_page(&survey(with_dimms(machine(2, 1, 4))), &wide()));
}

#[test]
fn survey_of_one_node_on_a_narrow_terminal() {
    assert_snapshot!(survey_page(&survey(machine(1, 1, 2)), &Style::default()));
}

#[test]
fn survey_with_a_node_of_memory_alone() {
    assert_snapshot!(survey_page(&survey(with_memory_node(machine(2, 1, 4), 4)), &wide()));
}

#[test]
fn survey_that_was_interrupted() {
    assert_snapshot!(survey_page(&interrupted(), &wide()));
}

#[test]
fn survey_with_much_to_warn_of() {
    assert_snapshot!(survey_page(&doubtful(), &wide()));
}

#[test]
fn survey_of_twenty_four_nodes() {
    assert_snapshot!(survey_page(&survey(machine(4, 6, 4)), &wide()));
}

/// Of twelve remote pairs at 17.0 GB/s, a few were the worst, by digits that no page shows; then all of them. Neither says anything.
#[test]
fn what_is_usual_is_not_marked_as_the_worst() {
    let at = |from: u32, to: u32| Coordinates::new().with(Axis::Initiator, from).with(Axis::Target, to);
    let pairs = (0..4u32).flat_map(|from| (0..4u32).map(move |to| (from, to)));
    let cells = pairs.map(|(from, to)| {
        let value = match (from, to) {
            (0, 1) => 15.0,
            _ if from == to => 122.0,
            _ => 17.0 + f64::from(from + to) / 1000.0,
        };
        let mut cell = cell(at(from, to), Measure::Bandwidth, value);
        (cell.estimate.low, cell.estimate.high) = (value, value);
        cell
    });
    let result = experiment(ExperimentName::known("bandwidth-matrix"), cells.collect());
    let page = experiment_page(&file(machine(4, 1, 4), vec![result.clone()]), &result, &wide());
    assert_eq!((page.matches("15.0 ▼").count(), page.matches("17.0 ▼").count()), (1, 0), "{page}");
}

#[test]
fn each_core_to_each_node_in_full() {
    let machine = machine(2, 2, 4);
    let result = core_latency(&machine);
    assert_snapshot!(experiment_page(&file(machine, vec![result.clone()]), &result, &wide()));
}

#[test]
fn sixty_four_cores_to_each_other_are_summed_up() {
    let machine = machine(2, 4, 8);
    let result = core_to_core(&machine, 64);
    assert_snapshot!(experiment_page(&file(machine, vec![result.clone()]), &result, &wide()));
}

#[test]
fn stream_with_its_bus_traffic() {
    let machine = machine(2, 1, 4);
    let result = stream(&machine);
    assert_snapshot!(experiment_page(&file(machine, vec![result.clone()]), &result, &wide()));
}

#[test]
fn bandwidth_of_the_machine_by_placement() {
    let result = global_bandwidth();
    assert_snapshot!(experiment_page(&file(machine(2, 1, 4), vec![result.clone()]), &result, &wide()));
}

#[test]
fn machine_with_a_node_of_memory_alone() {
    assert_snapshot!(machine_page(&with_memory_node(machine(2, 1, 4), 4), &wide()));
}

#[test]
fn prefetchers_that_were_off_are_named() {
    let mut file = survey(machine(1, 1, 2));
    assert!(!survey_page(&file, &wide()).contains("prefetchers"));
    file.settings.prefetchers_off = vec!["L2 stream".to_owned(), "L2 up/down".to_owned()];
    assert!(survey_page(&file, &wide()).contains("switched off: L2 stream, L2 up/down"));
}

/// Nobody could see that most of a short budget went into filling.
#[test]
fn what_the_time_went_into_is_on_the_whole_page() {
    let mut file = survey(machine(2, 1, 4));
    let spent = TimeSpent { sampling: Seconds(41.2), filling: Seconds(7.0), ..TimeSpent::default() };
    file.engine.time_spent = Some(spent.within(Seconds(58.0), Seconds(0.1)));
    let page = survey_page(&file, &wide());
    assert!(page.contains("time            of 58.0 s: 71 % sampling, 17 % other, 12 % filling\n"), "{page}");
}

/// A result of an experiment that this version does not know, initiator node by target node.
fn unknown() -> ExperimentResult {
    let machine = machine(2, 1, 4);
    let known = matrix(&machine, ExperimentName::known("latency-matrix"));
    ExperimentResult { experiment: ExperimentName::known("heat-by-row"), ..known }
}

#[test]
fn an_experiment_that_is_not_known_is_shown_as_a_table_by_its_two_axes() {
    let file = file(machine(2, 1, 4), vec![unknown()]);
    assert_snapshot!(experiment_page(&file, &unknown(), &wide()));
    assert!(survey_page(&file, &wide()).contains("latency  (ns)"));
}

//! Curves in the form of the Mess benchmark, read as its scripts read them.

use std::collections::BTreeMap;

use zerohop_experiment::catalogue;
use zerohop_report::pages::Style;
use zerohop_report::{Experiment, Form, RenderError, Rendered, render};
use zerohop_result::{Axis, Coordinates, ExperimentName, ExperimentResult, Measure};

use crate::examples::*;

fn curves() -> ExperimentResult {
    let mut cells = Vec::new();
    for (percent, slope) in [(100u32, 1.0), (50, 2.0)] {
        for (delay, bandwidth) in [(0u32, 40.0), (200, 20.0), (20_000, 1.0)] {
            let at = Coordinates::new()
                .with(Axis::Initiator, 0u32)
                .with(Axis::Target, "local")
                .with(Axis::ReadPercent, percent)
                .with(Axis::Delay, delay);
            cells.push(cell(at.clone(), Measure::Latency, 100.0 + slope * bandwidth));
            cells.push(cell(at, Measure::Bandwidth, bandwidth));
        }
    }
    experiment(ExperimentName::known("load-curves"), cells)
}

fn shown(result: ExperimentResult, form: Form) -> Result<String, RenderError> {
    let file = file(machine(1, 1, 4), vec![result]);
    let document = Experiment { file: &file, result: &file.experiments[0], experiments: catalogue() };
    match render(&document, form, &Style::default())? {
        Rendered::Text(text) => Ok(text),
        Rendered::Binary(_) => panic!("it is text"),
    }
}

/// `load_curves_from_csv` of `app_plotter.py`: the first of these columns that is there.
fn column(head: &[&str], names: [&str; 2]) -> usize {
    names.iter().find_map(|name| head.iter().position(|column| column == name)).unwrap()
}

#[test]
fn the_plotter_of_mess_finds_its_columns_and_a_curve_for_each_share_of_reads() {
    let text = shown(curves(), Form::Mess).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let ratio = column(&head, ["read_pct_rounded", "rd_percentage"]);
    let bandwidth = column(&head, ["bandwidth_smooth", "bandwidth_mean"]);
    let latency = column(&head, ["latency_smooth", "latency_mean"]);
    // `csv_to_json_compact` of `libs/parser.py` sorts by it.
    assert!(head.contains(&"pause"));
    let mut found: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    for line in lines {
        let point = (line[bandwidth].parse().unwrap(), line[latency].parse().unwrap());
        found.entry(line[ratio].parse().unwrap()).or_default().push(point);
    }
    let expected = [
        (50, vec![(1.0, 102.0), (20.0, 140.0), (40.0, 180.0)]),
        (100, vec![(1.0, 101.0), (20.0, 120.0), (40.0, 140.0)]),
    ];
    assert_eq!(found, BTreeMap::from(expected));
}

#[test]
fn a_result_without_curves_names_the_experiment_that_has_them() {
    let refused = shown(loaded_latency(), Form::Mess).unwrap_err();
    assert!(refused.to_string().contains("no curves by share of reads"), "{refused}");
    assert!(refused.hint().unwrap().contains("zerohop run load-curves"), "{refused:?}");
}

#[test]
fn all_curves_are_in_one_table_and_in_one_picture() {
    let page = shown(curves(), Form::Page).unwrap();
    assert_eq!(page.matches("latency by load and share of reads").count(), 1, "{page}");
    assert!(page.contains("reads (%)") && page.contains("delay 200"), "{page}");
    let picture = shown(curves(), Form::Svg).unwrap();
    assert_eq!(picture.matches("<polyline").count(), 2, "{picture}");
    assert!(picture.contains("100 % reads, delay 200: 120.0 ns at 20"), "{picture}");
}

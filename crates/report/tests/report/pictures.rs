//! Pictures: well-formed, self-contained, with every number in them. They are left in the tests' scratch folder, where
//! people can look at them.

use std::path::Path;

use roxmltree::Document;
use zerohop_machine::{DistanceMatrix, Machine};
use zerohop_result::{Axis, Coordinates, ExperimentName, Measure, ResultFile};

use crate::examples::*;
use crate::shown::*;

/// All text of a picture that checks out: XML, a title, no script, nothing fetched from elsewhere.
fn checked(name: &str, picture: &str) -> String {
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.svg")), picture).unwrap();
    let document = Document::parse(picture).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "svg");
    assert_eq!(root.attribute("role"), Some("img"));
    for child in ["title", "desc"] {
        let child = root.children().find(|node| node.has_tag_name(child)).unwrap();
        assert!(child.text().is_some_and(|text| !text.is_empty()));
    }
    for node in document.descendants() {
        assert!(!["script", "image", "use", "foreignObject"].contains(&node.tag_name().name()));
        assert!(
            node.attributes()
                .all(|attribute| attribute.name() != "href" && !attribute.value().contains("url("))
        );
        for name in ["x", "y", "width", "height", "x1", "x2", "y1", "y2", "cx", "cy", "r"] {
            let value = node.attribute(name).map(str::parse::<f64>);
            assert!(value.is_none_or(|value| value.is_ok_and(f64::is_finite)));
        }
    }
    let texts =
        document.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text());
    texts.collect::<Vec<_>>().join("\n")
}

fn survey_checked(name: &str, file: &ResultFile) -> String {
    checked(name, &survey_picture(file))
}

fn machine_checked(name: &str, machine: &Machine) -> String {
    checked(name, &machine_picture(machine))
}

#[test]
fn survey_of_two_nodes() {
    let mut file = survey(with_dimms(machine(2, 1, 4)));
    file.experiments.push(global_bandwidth());
    file.experiments.push(core_latency(&machine(2, 1, 4)));
    let text = survey_checked("survey-two-nodes", &file);
    for number in
        ["95.3", "167.6", "310.0", "475.3", "365.0 ns at 290.0 GB/s", "L3  13.4 ns", "24.8", "57.6", "921.6"]
    {
        assert!(text.contains(number), "{number}");
    }
}

#[test]
fn a_ramp_shows_its_peak_and_what_is_left_of_it() {
    let rates = [(1, 21.0), (2, 40.5), (4, 51.7), (8, 20.0), (12, 3.3)];
    let at = |cores: u64| Coordinates::new().with(Axis::Target, 3u32).with(Axis::CoresPerNode, cores);
    let cells = rates.map(|(cores, rate)| cell(at(cores), Measure::Bandwidth, rate));
    let result = experiment(ExperimentName::known("ramp"), cells.to_vec());
    let file = file(machine(4, 1, 12), vec![result.clone()]);
    let text = checked("ramp", &experiment_picture(&file, &result));
    let labels: Vec<&str> = text.lines().collect();
    for label in ["51.7 GB/s", "3.30 GB/s", "a collapse by 94 %"] {
        assert!(labels.contains(&label), "{label}: {labels:?}");
    }
    assert!(!labels.contains(&"40.5 GB/s"), "only where it turns");
}

#[test]
fn survey_of_odd_machines() {
    let memory_alone = survey_checked("survey-memory-node", &survey(with_memory_node(machine(2, 1, 4), 33)));
    assert!(memory_alone.contains("307.3") && memory_alone.contains("node 33"));
    assert!(survey_checked("survey-interrupted", &interrupted()).contains("interrupted"));
    let doubtful = survey_checked("survey-doubtful", &doubtful());
    assert!(doubtful.contains("only 53 % of the buffer is on huge pages"));
    survey_checked("survey-nothing", &file(Machine::default(), Vec::new()));
}

#[test]
fn survey_of_large_machines() {
    let machine = machine(4, 6, 4);
    let mut file = survey(machine.clone());
    file.experiments.push(core_to_core(&machine, 64));
    let text = survey_checked("survey-24-nodes", &file);
    // Every number of the largest matrix is printed.
    let latencies = &file.experiments[0].cells;
    assert_eq!(file.experiments[0].experiment, ExperimentName::known("latency-matrix"));
    let printed = text.lines().filter(|line| *line == "184.4").count();
    assert!(latencies.len() == 576 && printed >= 1);
    // And the map of cores says what they share.
    for shared in ["package 0", "package 1", "L3 0", "L3 5"] {
        assert!(text.lines().any(|line| line == shared), "{shared}");
    }
}

/// A map of 384 cores had 21 MB, and digits of negative size.
#[test]
fn cells_too_small_for_digits_are_bars_and_the_data_names_each() {
    let machine = machine(2, 1, 192);
    let result = core_to_core(&machine, 384);
    let file = file(machine, vec![result.clone()]);
    let picture = experiment_picture(&file, &result);
    checked("core-to-core-384", &picture);
    assert!(picture.len() < 1 << 20, "{} bytes", picture.len());
    let document = Document::parse(&picture).unwrap();
    assert!(document.descendants().filter(|node| node.has_tag_name("path")).count() <= 26);
    let sizes = document.descendants().filter_map(|node| node.attribute("font-size")?.parse::<f64>().ok());
    assert!(sizes.fold(f64::INFINITY, f64::min) >= 8.0);
    let data = document.descendants().find(|node| node.has_tag_name("metadata")).unwrap();
    let data: serde_json::Value = serde_json::from_str(data.text().unwrap()).unwrap();
    let values: Vec<&str> = data["values"].as_str().unwrap().split(',').collect();
    // Rows and columns are the first and the second cores of pairs.
    assert_eq!(values.len(), 383 * 383);
    assert_eq!(values.iter().filter(|value| !value.is_empty()).count(), 384 * 383 / 2);
    assert_eq!(data["shades"].as_str().unwrap().len(), values.len());
    let at = |axis| Coordinates::new().with(Axis::From, 0u32).with(Axis::To, axis);
    let first = result.cell(&at(383u32), Measure::Latency).unwrap().estimate.median;
    assert_eq!(values[382], format!("{first:.1}"));
    assert_eq!(data["shares"]["columns"]["packages"][1]["name"], "package 1");
}

#[test]
fn machines_with_all_their_parts() {
    let two = machine_checked("machine-two-nodes", &with_dimms(machine(2, 1, 4)));
    for part in ["package 1", "NUMA node 0", "L3 32 MiB", "3·11", "L2 1 MiB", "32", "921.6 GB/s"] {
        assert!(two.contains(part), "{part}");
    }
    let alone = machine_checked("machine-memory-node", &with_memory_node(machine(2, 2, 4), 33));
    assert!(
        alone.contains("nodes without CPUs")
            && alone.contains("firmware reports reads of 250.0 ns, 32.0 GB/s")
    );
    machine_checked("machine-24-nodes", &machine(4, 6, 8));
    machine_checked("machine-nothing", &Machine::default());
}

#[test]
fn a_node_over_two_packages_is_in_both() {
    let mut machine = machine(2, 1, 4);
    let pus = machine.nodes[1].pus.clone();
    for pu in pus.iter() {
        machine.nodes[0].pus.insert(pu);
    }
    machine.nodes.truncate(1);
    machine.distances = None;
    machine.pus[0].allowed = false;
    let text = machine_checked("machine-interleaved", &machine);
    assert_eq!(text.matches("spread over packages").count(), 2);
}

#[test]
fn ragged_distances_do_no_harm() {
    let mut machine = machine(2, 1, 1);
    let nodes = machine.nodes.iter().map(|node| node.id).collect();
    machine.distances = Some(DistanceMatrix { nodes, rows: vec![vec![10, 20, 30], Vec::new(), vec![0]] });
    machine_checked("machine-ragged", &machine);
}

//! The page about columns names each column of each document with rows, in order.

use zerohop_compare::{Configuration, Numbering, compare};
use zerohop_diagnosis::{DIAGNOSIS_VERSION, DiagnosisFile, Given, diagnose};
use zerohop_expectation::{KnownErrors, expect};
use zerohop_experiment::catalogue;
use zerohop_report::pages::Style;
use zerohop_report::{Columns, DiagnosisReport, Document, Form, MachineList, ShownResult, render_columns};
use zerohop_result::Axis;

use crate::examples::*;
use crate::shown::{machine_csv, result_csv, whole_csv};
use crate::{reproduction, sweep};

/// The columns that a section of the page lists, in order.
fn documented(section: &str) -> Vec<String> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/csv.md")).unwrap();
    let text = page.split_once(&format!("\n## {section}\n")).unwrap().1;
    let text = text.split("\n## ").next().unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| row.split(" |").next().unwrap().replace('`', "")).collect()
}

/// The head of a document's rows.
fn head(csv: &str) -> Vec<String> {
    csv.lines().next().unwrap().split(',').map(str::to_owned).collect()
}

fn csv<D: Document>(document: &D) -> String {
    let rendered = render_columns(document, Form::Csv, &Style::default(), Columns::All).unwrap();
    String::from_utf8(rendered.into_bytes()).unwrap()
}

#[test]
fn every_column_of_a_result_is_in_the_dictionary() {
    assert_eq!(documented("Results"), head(&whole_csv(&survey(machine(2, 1, 4)))));
}

/// CSV of an experiment had 47 columns, most of them empty.
#[test]
fn coordinates_that_no_row_has_are_left_out_unless_all_columns_are_wanted() {
    let mut file = survey(machine(2, 1, 4));
    file.experiments.retain(|one| one.experiment.as_str() == "latency-matrix");
    let filled = head(&result_csv(&file));
    assert_eq!(filled[..6], ["experiment", "initiator", "target", "measure", "unit", "median"]);
    assert_eq!(filled.last().unwrap(), "produced_by");
    // What says how far to trust a value is there also where it has no value.
    for column in ["low", "high", "samples", "huge_share", "warnings", "origin", "machine", "started_at"] {
        assert!(filled.iter().any(|name| name == column), "no {column} in {filled:?}");
    }
    let all = head(&whole_csv(&file));
    assert_eq!(all, documented("Results"));
    assert!(all.iter().filter(|name| filled.contains(name)).eq(&filled), "another order: {filled:?}");
    // Each row has as many fields as the head.
    let text = result_csv(&file);
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    assert!(reader.records().all(|row| row.unwrap().len() == filled.len()));
}

#[test]
fn every_column_of_a_diagnosis_is_in_the_dictionary() {
    let file =
        DiagnosisFile { schema_version: DIAGNOSIS_VERSION, diagnoses: Vec::new(), not_judged: Vec::new() };
    let report = DiagnosisReport { file: &file, rules: &[], whole: false };
    assert_eq!(documented("Diagnoses"), head(&csv(&report)));
}

#[test]
fn every_column_of_a_comparison_is_in_the_dictionary() {
    let file = survey(machine(2, 1, 4));
    let named = ["one", "other"].map(|name| Configuration { name, result: &file, repeats: &[] });
    let documented: Vec<String> = documented("Comparisons")
        .into_iter()
        .flat_map(|column| match column.as_str() {
            "experiment … statistic" => {
                std::iter::once("experiment").chain(Axis::ALL.map(Axis::name)).map(str::to_owned).collect()
            }
            _ => vec![column],
        })
        .collect();
    assert_eq!(documented, head(&csv(&compare(&named, Numbering::ByTopology).unwrap())));
}

#[test]
fn every_column_of_expectations_is_in_the_dictionary() {
    let file = survey(machine(2, 1, 4));
    let expectations = expect(&file, Err("nothing is known"), &KnownErrors::default());
    let diagnosis = diagnose(&[], "a result", &file, Given::default());
    let shown = ShownResult {
        result: &file,
        experiments: catalogue(),
        expectations: &expectations,
        whole: true,
        diagnosis: &diagnosis,
        points: &[],
    };
    let documented: Vec<String> = documented("Expectations")
        .into_iter()
        .flat_map(|column| match column.as_str() {
            "experiment … statistic" => {
                std::iter::once("experiment").chain(Axis::ALL.map(Axis::name)).map(str::to_owned).collect()
            }
            _ => vec![column],
        })
        .collect();
    assert_eq!(documented, head(&csv(&shown)));
}

#[test]
fn every_column_of_a_sweep_is_in_the_dictionary() {
    let result = sweep::result(&[], 0);
    let headline = "stream.triad.bandwidth_gbps";
    let documented: Vec<String> = documented("Sweeps")
        .into_iter()
        .flat_map(|column| match column.as_str() {
            "SETTING" => vec!["links".to_owned(), "width".to_owned()],
            column => vec![column.replace("HEADLINE", headline)],
        })
        .collect();
    assert_eq!(documented, head(&csv(&result)));
}

#[test]
fn every_column_of_a_reproduction_is_in_the_dictionary() {
    assert_eq!(documented("Reproductions"), head(&csv(&reproduction::file())));
}

#[test]
fn every_column_of_a_machine_is_in_the_dictionary() {
    let documented: Vec<String> = documented("Machines")
        .into_iter()
        .flat_map(|column| match column.as_str() {
            "distance_to_N" => vec!["distance_to_0".to_owned(), "distance_to_1".to_owned()],
            _ => vec![column],
        })
        .collect();
    assert_eq!(documented, head(&machine_csv(&machine(2, 1, 4))));
}

#[test]
fn every_column_of_a_list_of_machines_is_in_the_dictionary() {
    assert_eq!(documented("Lists of machines"), head(&csv(&MachineList(&[]))));
}

/// A column of node numbers held `all` and `local` as well, so that data frames read all of it as text.
#[test]
fn columns_of_node_numbers_hold_numbers_only() {
    let text = result_csv(&survey(machine(2, 1, 4)));
    let head = head(&text);
    let column = |name: &str| head.iter().position(|known| known == name).unwrap();
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let mut words = 0;
    for row in reader.records().map(Result::unwrap) {
        for axis in ["initiator", "target"] {
            let number = &row[column(axis)];
            let word = &row[column(&format!("{axis}_word"))];
            assert!(number.is_empty() || number.parse::<u64>().is_ok(), "{row:?}");
            assert!(number.is_empty() || word.is_empty(), "{row:?}");
            words += usize::from(!word.is_empty());
        }
    }
    assert!(words > 0);
}

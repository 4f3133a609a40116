//! Which documents have which forms.

use zerohop_compare::ComparisonFile;
use zerohop_machine::Machine;
use zerohop_machine_file::{Hardware, MachineFile};
use zerohop_report::pages::Style;
use zerohop_report::{
    Document, Experiment, Form, LinkLoad, MachineCheck, MachineList, ShownResult, Studies, Survey, forms,
    render,
};
use zerohop_study::{ReproductionFile, SweepResult};

use crate::examples::*;

fn names<D: Document>() -> Vec<&'static str> {
    // Binary forms are there or not, as the crate was built.
    forms::<D>().into_iter().filter(|form| !form.is_binary()).map(Form::name).collect()
}

#[test]
fn a_document_has_the_forms_of_its_views() {
    assert_eq!(names::<Survey<'_>>(), ["table", "json", "csv", "svg", "mlc", "html"]);
    assert_eq!(names::<Experiment<'_>>(), ["table", "json", "csv", "svg", "mlc", "mess", "html"]);
    assert_eq!(names::<Machine>(), ["table", "json", "csv", "svg", "html", "hwloc"]);
    assert_eq!(names::<Hardware>(), names::<Machine>());
    assert_eq!(names::<MachineFile>(), ["toml"]);
    assert_eq!(names::<MachineList<'_>>(), ["table", "json", "csv", "html"]);
    assert_eq!(names::<MachineCheck<'_>>(), ["table", "html"]);
    assert_eq!(names::<LinkLoad<'_>>(), ["svg"]);
    assert_eq!(names::<Studies<'_>>(), ["table", "html"]);
    assert_eq!(names::<ReproductionFile>(), ["table", "json", "csv", "markdown", "html"]);
    assert_eq!(names::<ComparisonFile>(), ["table", "json", "csv", "svg", "html"]);
    assert_eq!(names::<SweepResult>(), ["table", "json", "csv", "html"]);
    assert_eq!(names::<ShownResult<'_>>(), ["table", "json", "csv", "svg", "html"]);
}

#[test]
fn what_has_rows_has_csv_and_parquet() {
    let parquet = cfg!(feature = "parquet");
    assert_eq!(forms::<SweepResult>().contains(&Form::Parquet), parquet);
    assert_eq!(forms::<Machine>().contains(&Form::Parquet), parquet);
    assert!(!forms::<LinkLoad<'_>>().contains(&Form::Parquet));
}

#[test]
fn what_has_a_picture_has_png() {
    assert_eq!(forms::<Machine>().contains(&Form::Png), cfg!(feature = "png"));
    assert!(!forms::<SweepResult>().contains(&Form::Png));
}

#[test]
fn a_form_that_a_document_does_not_have_is_refused_with_those_it_has() {
    let error = render(&machine(1, 1, 2), Form::Mlc, &Style::default()).unwrap_err();
    assert_eq!(error.to_string(), "a machine has no format `mlc`");
    assert!(error.hint().unwrap().starts_with("it has table, json, csv"), "{error:?}");
}

#[test]
fn every_form_has_a_name_of_its_own() {
    let mut names = Form::ALL.map(Form::name).to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Form::ALL.len());
}

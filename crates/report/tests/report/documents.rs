//! Which documents have which forms.

use zerohop_compare::{Configuration, Numbering, compare};
use zerohop_diagnosis::{Given, diagnose};
use zerohop_expectation::{KnownErrors, expect};
use zerohop_experiment::catalogue;
use zerohop_machine::Machine;
use zerohop_machine_file::{Combinations, MachineFile};
use zerohop_report::pages::Style;
use zerohop_report::{
    Document, Experiment, Form, LinkLoad, MachineCheck, MachineList, ShownResult, Survey, forms, render,
};
use zerohop_study::SweepResult;

use crate::examples::*;
use crate::{reproduction, sweep};

/// Renders a document in every form of text that it has.
fn assert_shown<D: Document>(document: &D) {
    let forms: Vec<Form> = forms::<D>().into_iter().filter(|form| !form.is_binary()).collect();
    assert!(!forms.is_empty());
    for form in forms {
        match render(document, form, &Style::default()) {
            Ok(shown) => assert!(!shown.into_bytes().trim_ascii().is_empty(), "{form} is empty"),
            // Not every experiment has what that tool prints.
            Err(_) if matches!(form, Form::Mlc | Form::Mess) => {}
            Err(error) => panic!("{form}: {error}"),
        }
    }
}

#[test]
fn a_document_is_shown_in_every_form_of_text_that_it_has() {
    let result = doubtful();
    let expectations = expect(&result, Err("no machine file"), &KnownErrors::default());
    let diagnosis = diagnose(&[], "a result", &result, Given::default());
    assert_shown(&ShownResult {
        result: &result,
        experiments: catalogue(),
        expectations: &expectations,
        whole: true,
        diagnosis: &diagnosis,
        points: &[],
    });
    assert_shown(&Survey {
        result: &result,
        experiments: catalogue(),
        expectations: Some(&expectations),
        whole: true,
        diagnosis: None,
    });
    for one in &result.experiments {
        assert_shown(&Experiment { file: &result, result: one, experiments: catalogue() });
    }
    let named = ["one", "other"].map(|name| Configuration { name, result: &result, repeats: &[] });
    assert_shown(&compare(&named, Numbering::ByTopology).unwrap());
    assert_shown(&result.machine);
    assert_shown(&reproduction::file());
    assert_shown(&sweep::result(&["a warning"], 1));
    let text = include_str!("../../../machine-file/tests/files/square.toml");
    let file = MachineFile::parse("square", text, &()).unwrap();
    let hardware = file.hardware().unwrap();
    assert_shown(&file);
    assert_shown(&hardware);
    assert_shown(&MachineCheck {
        hardware: &hardware,
        combinations: Combinations { sound: 1, refused: 0, all: true },
    });
    assert_shown(&MachineList(&[hardware]));
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

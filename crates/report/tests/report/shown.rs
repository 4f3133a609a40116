//! Documents in their forms, as tests want them.

use zerohop_experiment::catalogue;
use zerohop_machine::Machine;
use zerohop_machine_file::{Combinations, Hardware};
use zerohop_report::pages::Style;
use zerohop_report::{
    Columns, Document, Experiment, Form, LinkLoad, MachineCheck, MachineList, RenderError, Rendered, Survey,
    render, render_columns,
};
use zerohop_result::{Coordinates, ExperimentResult, Measure, Query, ResultFile};
use zerohop_study::{ReproductionFile, Validation};
use zerohop_workload::Origin;

pub(crate) fn text<D: Document>(document: &D, form: Form, style: &Style) -> Result<String, RenderError> {
    match render(document, form, style)? {
        Rendered::Text(text) => Ok(text),
        Rendered::Binary(_) => panic!("{form} is no text"),
    }
}

pub(crate) fn document_of(result: &ResultFile) -> Survey<'_> {
    Survey { result, experiments: catalogue(), expectations: None, whole: true, diagnosis: None }
}

pub(crate) fn survey_page(file: &ResultFile, style: &Style) -> String {
    text(&document_of(file), Form::Page, style).unwrap()
}

pub(crate) fn first_screen(file: &ResultFile, style: &Style) -> String {
    text(&Survey { whole: false, ..document_of(file) }, Form::Page, style).unwrap()
}

pub(crate) fn survey_picture(file: &ResultFile) -> String {
    text(&document_of(file), Form::Svg, &Style::default()).unwrap()
}

pub(crate) fn result_csv(file: &ResultFile) -> String {
    text(&document_of(file), Form::Csv, &Style::default()).unwrap()
}

/// With the columns that are empty in every row.
pub(crate) fn whole_csv(file: &ResultFile) -> String {
    let rendered = render_columns(&document_of(file), Form::Csv, &Style::default(), Columns::All).unwrap();
    String::from_utf8(rendered.into_bytes()).unwrap()
}

pub(crate) fn experiment_page(file: &ResultFile, result: &ExperimentResult, style: &Style) -> String {
    text(&Experiment { file, result, experiments: catalogue() }, Form::Page, style).unwrap()
}

pub(crate) fn experiment_picture(file: &ResultFile, result: &ExperimentResult) -> String {
    text(&Experiment { file, result, experiments: catalogue() }, Form::Svg, &Style::default()).unwrap()
}

pub(crate) fn block(
    result: &ExperimentResult,
    machine: &Machine,
    origin: &Origin,
) -> Result<String, RenderError> {
    let file = crate::examples::file(machine.clone(), vec![result.clone()]);
    let file = ResultFile { origin: origin.clone(), ..file };
    text(&Experiment { file: &file, result, experiments: catalogue() }, Form::Mlc, &Style::default())
}

pub(crate) fn machine_page(machine: &Machine, style: &Style) -> String {
    text(machine, Form::Page, style).unwrap()
}

pub(crate) fn machine_picture(machine: &Machine) -> String {
    text(machine, Form::Svg, &Style::default()).unwrap()
}

pub(crate) fn machine_json(machine: &Machine) -> String {
    text(machine, Form::Json, &Style::default()).unwrap()
}

pub(crate) fn machine_csv(machine: &Machine) -> String {
    text(machine, Form::Csv, &Style::default()).unwrap()
}

pub(crate) fn hardware_page(hardware: &Hardware, style: &Style) -> String {
    text(hardware, Form::Page, style).unwrap()
}

pub(crate) fn hardware_picture(hardware: &Hardware) -> String {
    text(hardware, Form::Svg, &Style::default()).unwrap()
}

pub(crate) fn hardware_summary(hardware: &Hardware, combinations: Combinations, style: &Style) -> String {
    text(&MachineCheck { hardware, combinations }, Form::Page, style).unwrap()
}

pub(crate) fn machine_list(machines: &[Hardware], style: &Style) -> String {
    text(&MachineList(machines), Form::Page, style).unwrap()
}

pub(crate) fn load_picture(
    hardware: &Hardware,
    result: &ResultFile,
    at: &Coordinates,
) -> Result<String, RenderError> {
    let at = &Query::of(Measure::BusTraffic).at_all(at);
    let load = LinkLoad { hardware, result, at, experiments: catalogue() };
    text(&load, Form::Svg, &Style::default())
}

pub(crate) fn reproduction(file: &ReproductionFile, form: Form, style: &Style) -> String {
    text(file, form, style).unwrap()
}

pub(crate) fn validation(file: &Validation, form: Form, style: &Style) -> String {
    text(file, form, style).unwrap()
}

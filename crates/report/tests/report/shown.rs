//! Documents in their forms, as tests want them.

use zerohop_experiment::catalogue;
use zerohop_machine::{Hardware, Machine};
use zerohop_report::mlc::NotMlc;
use zerohop_report::svg::NoLoad;
use zerohop_report::terminal::Style;
use zerohop_report::{mlc, svg, terminal};
use zerohop_result::{Coordinates, ExperimentResult, ResultFile};

pub(crate) fn survey_page(file: &ResultFile, style: &Style) -> String {
    terminal::survey_page(file, catalogue(), style)
}

pub(crate) fn experiment_page(file: &ResultFile, result: &ExperimentResult, style: &Style) -> String {
    terminal::experiment_page(file, result, catalogue(), style)
}

pub(crate) fn survey_picture(file: &ResultFile) -> String {
    svg::survey_picture(file, catalogue())
}

pub(crate) fn experiment_picture(file: &ResultFile, result: &ExperimentResult) -> String {
    svg::experiment_picture(file, result, catalogue())
}

pub(crate) fn load_picture(
    hardware: &Hardware,
    file: &ResultFile,
    at: &Coordinates,
) -> Result<String, NoLoad> {
    svg::load_picture(hardware, file, at, catalogue())
}

pub(crate) fn block(result: &ExperimentResult, machine: &Machine) -> Result<String, NotMlc> {
    mlc::block(result, machine, catalogue())
}

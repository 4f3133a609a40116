//! `zerohop survey`: everything about a machine's memory, on one page.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use zerohop_experiment::catalogue;
use zerohop_report::terminal::Style;
use zerohop_report::{csv, json, svg, terminal as pages};
use zerohop_result::ResultFile;

use super::Ending;
use super::measure::{Session, conclude};
use crate::arguments::FormatArgument;
use crate::failure::Failure;
use crate::request::SurveyTask;
use crate::root::Root;
use crate::terminal;
use crate::whole_file::WholeFile;

/// Where results go that nobody named a directory for.
const RESULTS: &str = "zerohop-results";

pub(super) fn survey(task: SurveyTask, root: &Root, quiet: bool) -> Result<Ending, Failure> {
    let SurveyTask { subject, options, prefetchers, directory, format } = task;
    let session = Session::open(subject, root, prefetchers, quiet)?;
    let directory = directory.unwrap_or_else(|| default_directory(&session));
    let path = directory.join("result.json");
    let mut outcome = session.measure(&options, Some(path.clone()), |engine, observer| {
        zerohop_experiment::survey(engine, &options, observer)
    })?;
    let result = &outcome.result;
    terminal::print(&match format {
        FormatArgument::Table => pages::survey_page(result, catalogue(), &terminal::page_style()),
        FormatArgument::Json => json::result_json(result),
        FormatArgument::Csv => csv::result_csv(result),
    })?;
    if outcome.unsaved.is_none() {
        outcome.unsaved = write_beside(&directory, result).err();
    }
    conclude(outcome, Some(&path), quiet)
}

/// The page and the picture, for those who will not read JSON.
fn write_beside(directory: &Path, result: &ResultFile) -> Result<(), Failure> {
    let style = Style { colour: false, width: terminal::PAGE_WIDTH };
    WholeFile::at(&directory.join("survey.txt"))?.replace(pages::survey_page(result, catalogue(), &style))?;
    WholeFile::at(&directory.join("survey.svg"))?.replace(svg::survey_picture(result, catalogue()))
}

/// A directory of its own for each survey, so that none replaces another: `zerohop-results/HOST-TIME`. What is simulated
/// comes out the same at any time, and goes to `zerohop-results/MACHINE-model`.
fn default_directory(session: &Session) -> PathBuf {
    let which = if session.is_simulated() {
        "model".to_owned()
    } else {
        Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string()
    };
    Path::new(RESULTS).join(format!("{}-{which}", file_name(&session.machine_name())))
}

/// A machine's name as part of a file's name, on any file system.
fn file_name(machine: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let name: String = machine.trim_start_matches('.').chars().map(plain).collect();
    if name.is_empty() { "machine".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_machine_leads_out_of_the_directory() {
        assert_eq!(file_name("node-07.cluster"), "node-07.cluster");
        assert_eq!(file_name("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!(file_name(""), "machine");
        assert_eq!(file_name(".."), "machine");
    }
}

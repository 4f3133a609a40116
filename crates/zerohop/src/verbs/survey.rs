//! `zerohop survey`: everything about a machine's memory, on one page.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use zerohop_app::{JudgeOptions, Judgement, repeat_name, stated_machine};
use zerohop_archive::Location;
use zerohop_experiment::{Options, catalogue};
use zerohop_report::{Form, Survey};
use zerohop_result::Completion;

use super::archive::{check_target, keep_survey};
use super::diagnose::strict_ending;
use super::exit_status::VerbOutcome;
use super::measure::{Session, conclude};
use crate::campaign_attendant::judged;
use crate::failure::Failure;
use crate::file_name::file_name;
use crate::kind::Kind;
use crate::machine_source::MachineSource;
use crate::output::Output;
use crate::request::SurveyTask;
use crate::subject::Subject;
use crate::terminal;
use crate::text_file::Disk;
use crate::watcher::Outcome;

/// The default directory for results.
const RESULTS: &str = "zerohop-results";

/// The page for a browser, in the directory of a survey.
const REPORT: &str = "report.html";

pub(super) fn survey(task: SurveyTask, root: &MachineSource, quiet: bool) -> Result<VerbOutcome, Failure> {
    let SurveyTask {
        subject,
        options,
        mut setup,
        demands,
        repeat,
        directory,
        only_printed,
        output,
        machine,
        all,
        archive,
    } = task;
    // Fail on a misspelled name before measuring.
    machine.as_deref().map(|name| stated_machine(name, &Disk)).transpose()?;
    archive.as_ref().map_or(Ok(()), check_target)?;
    output.prepare()?;
    let mut session = Session::open(subject, root, &setup, quiet)?;
    session.wait_quiet(demands.wait_quiet);
    let lock = session.take_lock();
    let directory = match output.path() {
        Some(_) => None,
        None if only_printed => None,
        None => Some(directory.unwrap_or_else(|| default_directory(&session))),
    };
    // JSON grows as the result does.
    let growing = match &directory {
        Some(directory) => Some(directory.join("result.json")),
        None => output.json_path().map(ToOwned::to_owned),
    };
    let mut outcome = measure(session, &options, growing.clone())?;
    let name = growing.as_deref().map_or_else(String::new, |path| path.display().to_string());
    let is_whole = outcome.result.completion == Completion::Complete;
    let without_model = (!is_whole).then_some("the survey was interrupted");
    let beside = JudgeOptions { stated: machine.as_deref(), without_model, ..JudgeOptions::default() };
    let Judgement { expectations, diagnosis } = judged(&name, &outcome.result, beside, quiet)?;
    // A model's values are held against a machine only if the user states one: its own would say nothing new.
    let is_expected = is_whole && (machine.is_some() || !outcome.result.origin.is_model());
    // Whoever reads the page may take their time.
    drop(lock);
    let document = Survey {
        result: &outcome.result,
        experiments: catalogue(),
        expectations: is_expected.then_some(&expectations),
        whole: true,
        diagnosis: Some(&diagnosis),
    };
    let kept = match &directory {
        Some(directory) => write_beside(directory, &document),
        None if growing.is_some() => Ok(()),
        None => output.keep(&document),
    };
    output.print(&Survey { whole: all, ..document })?;
    let page = directory.as_deref().filter(|_| kept.is_ok()).map(|directory| directory.join(REPORT));
    outcome.unsaved = outcome.unsaved.or(kept.err());
    keep(archive.as_ref(), &mut outcome, quiet);
    // Repeats differ in nothing that was chosen by trial.
    setup.forms.clone_from(&outcome.result.engine.chosen_forms);
    let mut ending = conclude(outcome, output.path().or(growing.as_deref()), demands.strict, quiet)?;
    if let Some(page) = page.filter(|_| !quiet) {
        terminal::say(&format!("report: {}", page.display()));
    }
    ending = match ending {
        VerbOutcome::Done if demands.strict => strict_ending(std::slice::from_ref(&diagnosis)),
        // A fault is one, however good the measurement is.
        VerbOutcome::CannotTell if diagnosis.has_fault() => VerbOutcome::FaultFound,
        ending => ending,
    };
    for number in 2..=repeat {
        let Some(directory) = directory.as_deref().filter(|_| ending != VerbOutcome::Interrupted) else {
            break;
        };
        let path = directory.join(repeat_name(number));
        let mut session = Session::open(Subject::Host, root, &setup, quiet)?;
        session.wait_quiet(demands.wait_quiet);
        let mut outcome = measure(session, &options, Some(path.clone()))?;
        keep(archive.as_ref(), &mut outcome, quiet);
        let this = conclude(outcome, Some(&path), demands.strict, quiet)?;
        // One run that is not good makes all of them so, but does not take back a fault.
        ending = match (ending, this) {
            (_, VerbOutcome::Interrupted) => this,
            (VerbOutcome::Done, _) => this,
            _ => ending,
        };
    }
    Ok(ending)
}

/// Measures once, into a file that grows.
fn measure(session: Session, options: &Options, growing: Option<PathBuf>) -> Result<Outcome, Failure> {
    session
        .measure(options, growing, |engine, observer| zerohop_experiment::survey(engine, options, observer))
}

/// Adds the result to an archive, if there is one.
fn keep(archive: Option<&Location>, outcome: &mut Outcome, quiet: bool) {
    let failed = archive.and_then(|location| keep_survey(location, &outcome.result, quiet).err());
    outcome.unsaved = outcome.unsaved.take().or(failed);
}

/// The page, the picture and the report, for readers who do not want JSON.
fn write_beside(directory: &Path, survey: &Survey<'_>) -> Result<(), Failure> {
    for name in ["survey.txt", "survey.svg", REPORT] {
        let path = directory.join(name);
        Output::new(&Kind::of::<Survey<'_>>(), Form::Page, None, Some(&path))?.keep(survey)?;
    }
    Ok(())
}

/// A new directory for each survey, so that none replaces another: `zerohop-results/HOST-TIME`. A simulation gives the
/// same result at any time, and goes to `zerohop-results/NAME-model`.
fn default_directory(session: &Session) -> PathBuf {
    let which = if session.is_simulated() {
        "model".to_owned()
    } else {
        Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string()
    };
    Path::new(RESULTS).join(format!("{}-{which}", file_name(&session.machine_name())))
}

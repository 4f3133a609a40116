//! `zerohop advise settings`: what to set on a machine, by the effect that a model gives it and by what documents say.

use std::path::{Path, PathBuf};

use zerohop_advise::settings::{BiosState, Dump, SettingsAdvice};
use zerohop_app::{
    FileKind, JudgeOptions, Scene, SettingsQuestion, library, read_dump, read_one, settings_advice,
};
use zerohop_diagnosis::Diagnosis;
use zerohop_report::{Form, OfResult};

use super::super::exit_status::VerbOutcome;
use super::super::measure::watch_signals;
use crate::arguments::SettingsArguments;
use crate::campaign_attendant::{Attended, User, judged};
use crate::command;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::machine_source::MachineSource;
use crate::output::Output;
use crate::signals::Begun;
use crate::subject::HOST;
use crate::text_file::Disk;

pub(super) fn advise_settings(
    arguments: &SettingsArguments,
    root: &MachineSource,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    let kind = Kind::of::<OfResult<'_, SettingsAdvice>>();
    let output = Output::new(&kind, Form::Page, arguments.format, arguments.output.as_deref())?;
    let machine = arguments.machine.as_deref().map(Path::new);
    arguments.bios.iter().map(PathBuf::as_path).chain(machine).try_for_each(|path| output.spares(path))?;
    output.prepare()?;
    let dumps = dumps(&arguments.bios)?;
    let (scene, diagnosis) = scene(arguments, root, !dumps.is_empty(), quiet)?;
    let SettingsArguments { goal, workload, vendor, threads, .. } = arguments;
    let question =
        SettingsQuestion { scene, dumps, goal: *goal, workload: *workload, vendor: vendor.clone() };
    let begun = Begun::not_yet();
    let stop = watch_signals(None, &begun)?;
    let threads = threads.map_or_else(Threads::of_host, Threads::new);
    let attended = Attended::new(threads, stop, User::new(quiet, "machines", begun));
    let (advice, whole) = settings_advice(question, &command::parse, &attended.crew())?;
    output.show(&OfResult { advice: &advice, diagnosis: diagnosis.as_ref(), is_modelled: true })?;
    Ok(if whole { VerbOutcome::Done } else { VerbOutcome::Interrupted })
}

/// The dumps, and what they say.
fn dumps(paths: &[PathBuf]) -> Result<Vec<(Dump, BiosState)>, Failure> {
    if paths.len() > 2 {
        return Err(Failure::new("--bios is given more than twice").hint("compare two dumps at a time"));
    }
    paths.iter().map(|path| Ok(read_dump(path, &Disk)?)).collect()
}

/// The machine that the arguments name, and what is wrong with it if they name a result; none if they name dumps alone.
fn scene(
    arguments: &SettingsArguments,
    root: &MachineSource,
    has_dumps: bool,
    quiet: bool,
) -> Result<(Option<Scene>, Option<Diagnosis>), Failure> {
    let name = match arguments.machine.as_deref() {
        Some(name) if name != HOST => name,
        None if has_dumps && *root == MachineSource::Host && arguments.set.set.is_empty() => {
            return Ok((None, None));
        }
        _ => {
            arguments.set.must_be_none()?;
            return Ok((Some(Scene::seen(root.machine()?, &*root.tree()?, &Disk)), None));
        }
    };
    if *root != MachineSource::Host {
        return Err(Failure::new("--sysfs-root names one machine and the first argument another")
            .hint("omit one of them"));
    }
    let path = Path::new(name);
    let scene = match FileKind::of(path, &Disk) {
        Some(FileKind::Capture) => {
            arguments.set.must_be_none()?;
            let capture = MachineSource::at(Some(path))?;
            Scene::seen(capture.machine()?, &*capture.tree()?, &Disk)
        }
        Some(FileKind::Result) => return of_result(path, arguments, quiet),
        None if path.is_dir() || is_tool_output(path) => return of_result(path, arguments, quiet),
        _ => {
            let file = library::machine_file(name, &Disk)?;
            Scene::described(name, file, arguments.set.settings()?)?
        }
    };
    Ok((Some(scene), None))
}

/// Whether a file is the output of another tool, which is read as a result.
fn is_tool_output(path: &Path) -> bool {
    path.is_file() && read_one(path, &Disk).is_ok()
}

/// The machine of a result, and what is wrong with it.
fn of_result(
    path: &Path,
    arguments: &SettingsArguments,
    quiet: bool,
) -> Result<(Option<Scene>, Option<Diagnosis>), Failure> {
    let result = read_one(path, &Disk)?;
    let diagnosis = judged(&path.display().to_string(), &result, JudgeOptions::default(), quiet)?.diagnosis;
    Ok((Some(Scene::of_result(path, result, &arguments.set.set, &Disk)?), Some(diagnosis)))
}

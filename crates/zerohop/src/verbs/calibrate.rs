//! `zerohop calibrate`: fits the model of a machine to what was measured on it.

use std::path::Path;

use zerohop_app::{WrongMachine, library, read_one};
use zerohop_calibration::{CalibrateError, calibrate};
use zerohop_model::Solver;
use zerohop_report::Form;
use zerohop_study::CalibrationFile;

use super::exit_status::VerbOutcome;
use super::measure::watch_signals;
use crate::arguments::CalibrateArguments;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::machine_source::MachineSource;
use crate::output::Output;
use crate::signals::Begun;
use crate::stated_machine::Stated;
use crate::terminal;
use crate::text_file::Disk;

pub(super) fn calibrate_machine(
    arguments: &CalibrateArguments,
    root: &MachineSource,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    let CalibrateArguments { result: path, machine, solver, output, format, columns } = arguments;
    let shown =
        Output::new(&Kind::of::<CalibrationFile>(), Form::Page, *format, None)?.with_columns(*columns);
    let kind = Kind::of_machine_file();
    let kept = output.as_deref().map(|path| Output::new(&kind, Form::Toml, None, Some(path))).transpose()?;
    if let Some(kept) = &kept {
        kept.spares(path)?;
        machine.as_ref().map_or(Ok(()), |name| kept.spares(Path::new(name)))?;
        kept.prepare()?;
    }
    let stop = watch_signals(None, &Begun::not_yet())?;
    let result = read_one(path, &Disk)?;
    let file = match machine {
        Some(name) => library::machine_file(name, &Disk)?,
        None => {
            let (from, template, model) = (Some(path.clone()), None, None);
            let stated = Stated { template, model, from_host: false, from, set: Vec::new() };
            let hint =
                "give the initial model with --machine: a template, a built-in machine or a machine file";
            stated.machine_file(root).map_err(|failure| failure.hint(hint))?
        }
    };
    let solver = if solver.solver.is_none() { Solver::Auto } else { solver.choice() };
    let calibration = calibrate(&file, &result, solver, &Threads::of_host(), &stop);
    let calibration = match calibration {
        Ok(calibration) => calibration,
        Err(CalibrateError::Interrupted) => return Ok(VerbOutcome::Interrupted),
        Err(CalibrateError::Machine(error)) => return Err(WrongMachine(error).into()),
        Err(error) => return Err(Failure::new(&error).maybe_hint(error.hint())),
    };
    // Who reads the page may go away; the machine took minutes.
    let printed = shown.show(&calibration.report);
    if let Some(kept) = kept {
        kept.keep(&calibration.machine)?;
        if let Some(path) = kept.path().filter(|_| !quiet) {
            terminal::say(&format!("written: {}", path.display()));
        }
    }
    printed?;
    Ok(VerbOutcome::Done)
}

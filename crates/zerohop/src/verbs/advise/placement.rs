//! `zerohop advise placement`: where a program's threads and memory belong.

use std::sync::Arc;

use zerohop_advise::placement::{
    AdviceError, Ceiling, DataUse, Evaluator, PlacementAdvice, Program, Sensitivity, advise, ceiling,
};
use zerohop_app::{Basis, JudgeOptions, ModelBasis, library};
use zerohop_experiment::campaign::SimulatedMachine;
use zerohop_report::{Form, OfResult};
use zerohop_units::Bytes;
use zerohop_workload::{Access, Kernel, StopFlag};

use crate::arguments::{AccessArgument, DataArgument, PlacementArguments, SensitivityArgument};
use crate::campaign_attendant::judged;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::machine_source::MachineSource;
use crate::output::Output;
use crate::signals::Begun;
use crate::subject::HOST;
use crate::text_file::Disk;
use crate::verbs::exit_status::VerbOutcome;
use crate::verbs::measure::watch_signals;

pub(super) fn advise_placement(
    arguments: &PlacementArguments,
    root: &MachineSource,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    let kind = match arguments.workload {
        Some(_) => Kind::of::<OfResult<'_, Ceiling>>(),
        None => Kind::of::<OfResult<'_, PlacementAdvice>>(),
    };
    let output = Output::new(&kind, Form::Page, arguments.format, arguments.output.as_deref())?;
    arguments.results.iter().try_for_each(|path| output.spares(path))?;
    output.prepare()?;
    if *root != MachineSource::Host {
        return Err(Failure::new("--sysfs-root does not apply: the machine has no measurements")
            .hint("omit it; give a result of the machine, or choose a simulated machine with --on"));
    }
    if arguments.sensitivity.is_some_and(SensitivityArgument::waits) {
        for (name, is_given) in [("--mix", arguments.mix.is_some()), ("--access", arguments.access.is_some())]
        {
            if is_given {
                return Err(Failure::new(format_args!(
                    "{name} does not apply to --sensitivity latency, which means dependent random loads"
                ))
                .hint(format!("omit {name} or --sensitivity")));
            }
        }
    }
    let stop = watch_signals(None, &Begun::not_yet())?;
    let program = program(arguments);
    let Basis { source, mut search, mut exact, symmetries, measured } = basis(arguments, &program, &stop)?;
    let name = source.result.clone().unwrap_or_default();
    let judgement =
        measured.as_ref().map(|result| judged(&name, result, JudgeOptions::default(), quiet)).transpose()?;
    let diagnosis = judgement.as_ref().map(|judgement| &judgement.diagnosis);
    let exact: Option<&mut dyn Evaluator> = match &mut exact {
        Some(exact) => Some(exact.as_mut()),
        None => None,
    };
    let shown = match (arguments.workload, arguments.bytes_per_step) {
        (Some(_), Some(bytes)) => {
            let threads = arguments.threads.map(usize::from);
            ceiling(bytes, threads, &arguments.background, source, search.as_mut(), exact)
                .map(|ceiling| output.show(&OfResult { advice: &ceiling, diagnosis, is_modelled: false }))
        }
        _ => advise(&program, source, search.as_mut(), exact, &symmetries)
            .map(|advice| output.show(&OfResult { advice: &advice, diagnosis, is_modelled: false })),
    };
    match shown {
        Ok(shown) => shown.map(|()| VerbOutcome::Done),
        Err(error) if error.is_interruption() => Ok(VerbOutcome::Interrupted),
        Err(error) => Err(failure(&error)),
    }
}

/// The program that the arguments describe; for a kind of program, one that stands for it.
fn program(arguments: &PlacementArguments) -> Program {
    Program {
        threads: arguments.threads.map_or(1, usize::from),
        data: arguments.data.map_or(DataUse::Shared, DataArgument::data),
        bytes: arguments.bytes.or(arguments.bytes_per_step).unwrap_or(Bytes(0)),
        kernel: arguments.mix.unwrap_or(Kernel::Read),
        access: arguments.access.map_or(Access::Sequential, AccessArgument::access),
        sensitivity: arguments.sensitivity.map_or(Sensitivity::Bandwidth, SensitivityArgument::sensitivity),
        thread_nodes: arguments.thread_nodes.as_ref().map_or_else(Vec::new, |nodes| nodes.0.clone()),
        background: arguments.background.clone(),
    }
}

fn basis(arguments: &PlacementArguments, program: &Program, stop: &StopFlag) -> Result<Basis, Failure> {
    match &arguments.on {
        Some(name) if name != HOST => {
            let hardware = Arc::new(library::hardware(name, &arguments.set.settings()?, &Disk)?);
            let seed = arguments.seed.unwrap_or(SimulatedMachine::SEED);
            let how = ModelBasis { seed, quick: arguments.quick, many: arguments.workload.is_some() };
            Ok(Basis::of_model(&hardware, how, stop))
        }
        _ => {
            if !arguments.results.is_empty() {
                arguments.set.must_be_none()?;
            }
            Ok(Basis::of_results(&arguments.results, program, &Disk)?)
        }
    }
}

fn failure(error: &AdviceError) -> Failure {
    Failure::new(error).maybe_hint(error.hint())
}

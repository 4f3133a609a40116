//! What is to be done: arguments that have been checked against each other.
//!
//! What only the machine can tell (whether a node or a CPU exists, whether a buffer fits) is checked by the experiment.

use std::path::PathBuf;

use clap_complete::Shell;
use zerohop_experiment::{Effort, ExperimentName, Options};

use crate::arguments::{
    Arguments, Destination, FormatArgument, MachineVerb, MeasuringArguments, PrefetchersArgument,
    RunArguments, RunFormatArgument, SchemaArgument, SurveyArguments, Verb,
};
use crate::failure::Failure;
use crate::root::Root;

/// Experiments whose result Intel's Memory Latency Checker has a form for.
const AS_MLC: [ExperimentName; 5] = [
    ExperimentName::LatencyMatrix,
    ExperimentName::BandwidthMatrix,
    ExperimentName::Mixes,
    ExperimentName::LoadedLatency,
    ExperimentName::CoreToCore,
];

/// What is to be done, and with which machine.
#[derive(Debug)]
pub(crate) struct Request {
    /// Where the machine is read from.
    pub(crate) root: Root,
    /// Whether to say nothing but errors.
    pub(crate) quiet: bool,
    /// What to do.
    pub(crate) task: Task,
}

/// One verb, with all it needs.
#[derive(Debug)]
pub(crate) enum Task {
    Survey(SurveyTask),
    Run(RunTask),
    Machine(MachineTask),
    Schema(SchemaArgument),
    Completions(Shell),
}

/// A survey of the host.
#[derive(Debug)]
pub(crate) struct SurveyTask {
    pub(crate) options: Options,
    pub(crate) prefetchers: PrefetchersArgument,
    /// Where the files go; a new directory where none is named.
    pub(crate) directory: Option<PathBuf>,
    pub(crate) format: FormatArgument,
}

/// One experiment on the host.
#[derive(Debug)]
pub(crate) struct RunTask {
    pub(crate) experiment: ExperimentName,
    pub(crate) options: Options,
    pub(crate) prefetchers: PrefetchersArgument,
    /// Where the result is kept, if it is.
    pub(crate) path: Option<PathBuf>,
    pub(crate) format: RunFormatArgument,
}

/// Something to show or write of a machine.
#[derive(Debug)]
pub(crate) enum MachineTask {
    Show(FormatArgument),
    Write { document: Document, path: Option<PathBuf> },
}

/// What can be written of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Document {
    /// An SVG.
    Picture,
    /// hwloc's form of a topology.
    HwlocXml,
    /// All that is read of a machine.
    Capture,
}

impl Request {
    /// Checks what was typed.
    ///
    /// # Errors
    /// When parts of it do not go together, or name a machine that cannot be read or not be measured.
    pub(crate) fn new(arguments: Arguments) -> Result<Self, Failure> {
        let Arguments { everywhere, verb } = arguments;
        let root = Root::at(everywhere.sysfs_root.as_deref())?;
        let task = match verb {
            Verb::Survey(arguments) => Task::Survey(survey(arguments, &root)?),
            Verb::Run(arguments) => Task::Run(run(arguments, &root)?),
            Verb::Machine(arguments) => Task::Machine(machine(arguments.verb)),
            Verb::Schema { of } => Task::Schema(of),
            Verb::Completions { shell } => Task::Completions(shell),
        };
        Ok(Self { root, quiet: everywhere.quiet, task })
    }
}

fn survey(arguments: SurveyArguments, root: &Root) -> Result<SurveyTask, Failure> {
    root.must_be_host()?;
    let SurveyArguments { measuring, output, format } = arguments;
    let prefetchers = measuring.prefetchers;
    Ok(SurveyTask { options: options(measuring), prefetchers, directory: output, format })
}

fn run(arguments: RunArguments, root: &Root) -> Result<RunTask, Failure> {
    root.must_be_host()?;
    let RunArguments { experiment, measuring, kernel, interleave, chains, output, format } = arguments;
    if format == RunFormatArgument::Mlc && !AS_MLC.contains(&experiment) {
        return Err(Failure::new(format_args!("Intel MLC prints nothing like {experiment}"))
            .hint(format!("`--format mlc` is for {}", AS_MLC.map(ExperimentName::name).join(", "))));
    }
    let prefetchers = measuring.prefetchers;
    let options = Options { kernel, interleave: interleave.map(|list| list.0), chains, ..options(measuring) };
    Ok(RunTask { experiment, options, prefetchers, path: output, format })
}

fn options(arguments: MeasuringArguments) -> Options {
    let MeasuringArguments {
        quick: _,
        full,
        nodes,
        cpus,
        buffer,
        pages,
        isa,
        prefetchers: _,
        duration,
        budget,
        interval,
    } = arguments;
    let effort = if full { Effort::Full } else { Effort::Quick };
    Options {
        nodes: nodes.map(|list| list.0),
        cpus,
        buffer,
        pages,
        instruction_set: isa,
        window: duration,
        budget,
        interval,
        ..Options::new(effort)
    }
}

fn machine(verb: MachineVerb) -> MachineTask {
    let write = |document, Destination { output }| MachineTask::Write { document, path: output };
    match verb {
        MachineVerb::Show { format } => MachineTask::Show(format),
        MachineVerb::Draw(destination) => write(Document::Picture, destination),
        MachineVerb::Export(destination) => write(Document::HwlocXml, destination),
        MachineVerb::Capture(destination) => write(Document::Capture, destination),
    }
}

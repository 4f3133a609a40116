//! Requests: arguments that have been checked against each other.
//!
//! The experiment checks what depends on the machine: whether a node or a CPU exists, whether a buffer fits.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap_complete::Shell;
use zerohop_app::read_result;
use zerohop_archive::Location;
use zerohop_experiment::{Options, catalogue};
use zerohop_machine::{Capture, Machine, Settings};
use zerohop_machine_file::Fault;
use zerohop_report::{Experiment, Form, MachineList, Survey, TemplateList};
use zerohop_result::ExperimentName;
use zerohop_workload::ChosenForm;

use crate::archive_location;
use crate::arguments::{
    AdviseArguments, ArchiveArguments, Arguments, CalibrateArguments, ChangesArguments, CheckArguments,
    CompareArguments, DiagnoseArguments, DoctorArguments, ExploreArguments, FaultArguments, FleetArguments,
    ImportArguments, MachineArgument, MachineVerb, MeasuringArguments, MlcArguments, PlaceArguments,
    PrefetchersArgument, ReportArguments, ReproduceArguments, RunArguments, SchemaArgument, ServeArguments,
    ShowArguments, SurveyArguments, SweepArguments, Verb, WhereArguments,
};
use crate::choices;
use crate::failure::Failure;
use crate::kind::{Kind, names_form};
use crate::machine_source::MachineSource;
use crate::output::Output;
use crate::stated_machine::Stated;
use crate::subject::{HOST, NO_INSTRUCTION_SETS, Subject};
use crate::text_file::Disk;

/// What to do, and with which machine.
#[derive(Debug)]
pub(crate) struct Request {
    /// Where this host's machine is read from.
    pub(crate) root: MachineSource,
    /// Whether to print nothing but errors.
    pub(crate) quiet: bool,
    /// The verb to carry out.
    pub(crate) task: Task,
}

/// A verb, with everything it needs.
#[derive(Debug)]
pub(crate) enum Task {
    Survey(SurveyTask),
    Run(RunTask),
    Machine(MachineTask),
    Reproduce(ReproduceArguments),
    Compare(CompareArguments),
    Calibrate(CalibrateArguments),
    Diagnose(DiagnoseArguments),
    Archive(ArchiveArguments),
    Changes(ChangesArguments),
    Serve(ServeArguments),
    Fleet(FleetArguments),
    Check(CheckArguments),
    Import(ImportArguments),
    Show(ShowArguments),
    Report(ReportArguments),
    Explore(ExploreArguments),
    Sweep(SweepArguments),
    Where(WhereArguments),
    Place(PlaceArguments),
    Advise(AdviseArguments),
    Doctor(DoctorArguments),
    Mlc(MlcTask),
    Schema(SchemaArgument),
    Completions(Shell),
    /// Help on the verb that these words name.
    Help(Vec<String>),
    /// Writes manual pages into a directory.
    Man(PathBuf),
    Version,
}

#[derive(Debug)]
pub(crate) struct SurveyTask {
    pub(crate) subject: Subject,
    pub(crate) options: Options,
    pub(crate) setup: HostSetup,
    pub(crate) demands: Demands,
    /// How many times to survey.
    pub(crate) repeat: u32,
    /// The directory for the files, unless one file was named; by default a new directory.
    pub(crate) directory: Option<PathBuf>,
    /// Whether nothing is saved.
    pub(crate) only_printed: bool,
    pub(crate) output: Output,
    /// What the machine should be, if the user states it.
    pub(crate) machine: Option<String>,
    /// Whether to print every table.
    pub(crate) all: bool,
    /// The archive to which the result is added, if any.
    pub(crate) archive: Option<Location>,
}

#[derive(Debug)]
pub(crate) struct RunTask {
    pub(crate) experiment: ExperimentName,
    pub(crate) subject: Subject,
    pub(crate) options: Options,
    pub(crate) setup: HostSetup,
    pub(crate) demands: Demands,
    pub(crate) output: Output,
}

/// A measurement in the words of Intel's Memory Latency Checker.
#[derive(Debug)]
pub(crate) struct MlcTask {
    pub(crate) arguments: MlcArguments,
    pub(crate) subject: Subject,
    pub(crate) setup: HostSetup,
    pub(crate) options: Options,
}

/// How this host is measured, whatever the experiment.
#[derive(Debug)]
pub(crate) struct HostSetup {
    /// How long to wait for another measurement.
    pub(crate) wait: Duration,
    /// What to do with hardware prefetchers.
    pub(crate) prefetchers: PrefetchersArgument,
    /// Forms of kernels that need no trial.
    pub(crate) forms: Vec<ChosenForm>,
}

impl HostSetup {
    /// # Errors
    /// When the result with the forms cannot be read, or has none.
    pub(crate) fn of(measuring: &MeasuringArguments) -> Result<Self, Failure> {
        let (wait, prefetchers) = (measuring.wait_for_host, measuring.prefetchers);
        let Some(path) = &measuring.forms_from else {
            return Ok(Self { wait, prefetchers, forms: Vec::new() });
        };
        let forms = read_result(path, &Disk)?.engine.chosen_forms;
        if forms.is_empty() {
            return Err(Failure::new(format_args!("{} contains no kernel variants", path.display())).hint(
                "give a complete result of this host with bandwidth measurements, from this version or a later one",
            ));
        }
        Ok(Self { wait, prefetchers, forms })
    }
}

/// What a measurement must be worth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Demands {
    /// Whether it must be good.
    pub(crate) strict: bool,
    /// How long to wait for a quiet machine.
    pub(crate) wait_quiet: Option<Duration>,
}

impl Demands {
    fn of(measuring: &MeasuringArguments) -> Self {
        Self { strict: measuring.strict, wait_quiet: measuring.wait_quiet }
    }
}

/// A view or an export of a machine; by default, this host.
#[derive(Debug)]
pub(crate) enum MachineTask {
    List {
        output: Output,
    },
    Check {
        machine: String,
        settings: Settings,
    },
    /// All templates, or one.
    Templates {
        template: Option<String>,
        output: Output,
    },
    /// A machine file from a template.
    New {
        stated: Stated,
        output: Output,
    },
    Show {
        machine: MachineChoice,
        output: Output,
    },
    Write {
        machine: MachineChoice,
        what: MachineOutput,
        output: Output,
    },
}

/// Which machine, and how it is set.
#[derive(Debug, Clone, Default)]
pub(crate) struct MachineChoice {
    /// Its name or file; `None` for this host.
    pub(crate) name: Option<String>,
    pub(crate) settings: Settings,
    pub(crate) faults: Vec<Fault>,
}

/// Files that can be written about a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MachineOutput {
    Picture,
    /// An SVG of the load of links and channels.
    LoadPicture {
        /// The result that holds the loads.
        result: PathBuf,
        /// Which of its workloads, as typed.
        at: Vec<String>,
    },
    /// A format from which other programs, or zerohop itself, read a machine.
    Export,
    /// Everything that zerohop reads about a machine.
    Capture,
}

impl Request {
    /// Checks the arguments.
    ///
    /// # Errors
    /// When arguments conflict, or name a machine that cannot be read or cannot be measured.
    pub(crate) fn new(arguments: Arguments) -> Result<Self, Failure> {
        let Arguments { everywhere, verb } = arguments;
        let root = MachineSource::at(everywhere.sysfs_root.as_deref())?;
        let task = match verb {
            Verb::Survey(arguments) => Task::Survey(survey(arguments, &root)?),
            Verb::Run(arguments) => Task::Run(run(arguments, &root)?),
            Verb::Machine(arguments) => Task::Machine(machine(arguments.verb)?),
            Verb::Reproduce(arguments) => Task::Reproduce(reproduce(arguments, &root)?),
            Verb::Compare(arguments) => Task::Compare(arguments),
            Verb::Calibrate(arguments) => Task::Calibrate(arguments),
            Verb::Diagnose(arguments) => Task::Diagnose(arguments),
            Verb::Changes(arguments) => Task::Changes(arguments),
            Verb::Serve(arguments) => Task::Serve(arguments),
            Verb::Archive(arguments) => Task::Archive(arguments),
            Verb::Check(arguments) => Task::Check(arguments),
            Verb::Fleet(arguments) => Task::Fleet(arguments),
            Verb::Import(arguments) => Task::Import(arguments),
            Verb::Show(arguments) => Task::Show(arguments),
            Verb::Report(arguments) => Task::Report(arguments),
            Verb::Explore(arguments) => Task::Explore(arguments),
            Verb::Sweep(arguments) => Task::Sweep(sweep(arguments, &root)?),
            Verb::Where(arguments) => Task::Where(arguments),
            Verb::Place(arguments) => Task::Place(arguments),
            Verb::Advise(arguments) => Task::Advise(arguments),
            Verb::Doctor(arguments) => Task::Doctor(arguments),
            Verb::Mlc(arguments) => Task::Mlc(mlc(arguments, &root)?),
            Verb::Schema { of } => Task::Schema(of),
            Verb::Completions { shell } => Task::Completions(shell),
            Verb::Help { of } => Task::Help(of),
            Verb::Man { directory } => Task::Man(directory),
            Verb::Version => Task::Version,
        };
        Ok(Self { root, quiet: everywhere.quiet, task })
    }
}

/// Whether a path has an extension, and so would be taken for a file by whoever typed it, or is `-`. What has a digit in it is rather a part
/// of a name, of a date or of a version: `node07.2026-11-28`.
fn names_a_file(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    let is_format = |ending: &str| {
        (1..=7).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    path == Path::new("-") || ending.is_some_and(|ending| is_format(&ending) || ending == "7z")
}

fn survey(arguments: SurveyArguments, root: &MachineSource) -> Result<SurveyTask, Failure> {
    let SurveyArguments {
        engine,
        measuring,
        machine,
        all,
        output,
        no_files,
        repeat,
        format,
        columns,
        archive,
    } = arguments;
    // A name with the extension of a format is a file's, unless a directory of that name exists.
    let kind = Kind::of::<Survey<'_>>();
    let is_directory = |path: &Path| path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
    let is_file = |path: &PathBuf| names_form(path) && !is_directory(path);
    let (file, directory) = match output {
        Some(path) if is_file(&path) => (Some(path), None),
        directory => (None, directory),
    };
    if let Some(path) = directory.as_deref().filter(|path| !is_directory(path) && names_a_file(path)) {
        return Err(Failure::new(format_args!(
            "`{}` has the name of a file in a format that a survey cannot be saved in",
            path.display()
        ))
        .hint(format!(
            "use the extension {}, or write `{}/` for a directory",
            kind.endings(),
            path.display()
        )));
    }
    let output = Output::new(&kind, Form::Page, format, file.as_deref())?.with_columns(columns);
    let subject = Subject::new(&engine, &measuring, root)?;
    if repeat > 1 && file.is_some() {
        return Err(Failure::new("--repeat writes several results, but -o names one file")
            .hint("choose a directory with -o"));
    }
    if repeat > 1 && !matches!(subject, Subject::Host) {
        return Err(Failure::new("--repeat is not for simulations, which give the same result every time")
            .hint("omit --repeat; --seed selects other random numbers"));
    }
    let (setup, demands) = (HostSetup::of(&measuring)?, Demands::of(&measuring));
    let options = choices::of_survey(measuring);
    let archive = archive_location::of_survey(archive, &subject)?;
    archive.as_ref().map_or(Ok(()), |location| output.spares_archive(location))?;
    let machine = machine.name;
    Ok(SurveyTask {
        subject,
        options,
        setup,
        demands,
        repeat,
        directory,
        only_printed: no_files,
        output,
        machine,
        all,
        archive,
    })
}

fn run(arguments: RunArguments, root: &MachineSource) -> Result<RunTask, Failure> {
    let RunArguments { what, engine, output, format, columns } = arguments;
    let experiment = what.experiment.clone();
    let output = Output::new(&Kind::of::<Experiment<'_>>(), Form::Page, format, output.as_deref())?
        .with_columns(columns);
    let has_mlc = |name| catalogue().get(name).is_some_and(|known| known.mlc.is_some());
    if output.uses(Form::Mlc) && !has_mlc(&experiment) {
        let others = catalogue().all().filter(|known| known.mlc.is_some()).map(|known| known.name);
        return Err(Failure::new(format_args!("MLC has no output format for {experiment}"))
            .hint(format!("`--format mlc` supports {}", others.collect::<Vec<_>>().join(", "))));
    }
    let subject = Subject::new(&engine, &what.measuring, root)?;
    let (setup, demands) = (HostSetup::of(&what.measuring)?, Demands::of(&what.measuring));
    let options = choices::of_experiment(what);
    Ok(RunTask { experiment, subject, options, setup, demands, output })
}

fn mlc(arguments: MlcArguments, root: &MachineSource) -> Result<MlcTask, Failure> {
    for (option, measurements) in arguments.acting_on_some() {
        // An option of one measurement means that measurement, also where MLC would measure everything.
        if arguments.measurement().is_some() || measurements.len() == 1 {
            return Err(Failure::new(format_args!("{option} applies only to {}", measurements.join(", ")))
                .hint(format!("omit it, or measure with {}", measurements[0])));
        }
    }
    // The check for all verbs names the option of `run`, which `mlc` does not have.
    if let Some(option) = arguments.instruction_set_option().filter(|_| arguments.engine.on != HOST) {
        return Err(Failure::new(NO_INSTRUCTION_SETS).hint(format!("omit {option}")));
    }
    let measuring = arguments.measuring();
    let subject = Subject::new(&arguments.engine, &measuring, root)?;
    let setup = HostSetup::of(&measuring)?;
    Ok(MlcTask { arguments, subject, setup, options: choices::of_survey(measuring) })
}

fn reproduce(arguments: ReproduceArguments, root: &MachineSource) -> Result<ReproduceArguments, Failure> {
    if *root == MachineSource::Host {
        return Ok(arguments);
    }
    Err(Failure::new("--sysfs-root does not apply: only simulated machines reproduce published values")
        .hint("omit it; --on selects another machine than the study's"))
}

fn sweep(arguments: SweepArguments, root: &MachineSource) -> Result<SweepArguments, Failure> {
    if *root == MachineSource::Host {
        return Ok(arguments);
    }
    Err(Failure::new("--sysfs-root does not apply: only simulated machines have settings to sweep")
        .hint("omit it; the first argument names the machine"))
}

fn machine(verb: MachineVerb) -> Result<MachineTask, Failure> {
    let write = |machine, what, kind: &Kind, default, format, output: Option<PathBuf>| {
        let output = Output::new(kind, default, format, output.as_deref())?;
        Ok(MachineTask::Write { machine, what, output })
    };
    match verb {
        MachineVerb::List { output, format } => {
            let kind = Kind::of::<MachineList<'_>>();
            Ok(MachineTask::List { output: Output::new(&kind, Form::Page, format, output.as_deref())? })
        }
        MachineVerb::Check { machine, on, set } => Ok(MachineTask::Check {
            // clap allows one of the two to be absent only if the other is present.
            machine: on.or(machine).unwrap_or_default(),
            settings: set.settings()?,
        }),
        MachineVerb::Show { which, fault, output, format } => {
            let output = Output::new(&Kind::of::<Machine>(), Form::Page, format, output.as_deref())?;
            Ok(MachineTask::Show { machine: faulty(which, &fault)?, output })
        }
        MachineVerb::Draw { which, fault, load: Some(result), at, output } => {
            // The result names its machine.
            let (settings, faults) = (which.set.settings()?, fault.all().to_vec());
            let machine = MachineChoice { settings, faults, name: which.on.or(which.machine) };
            let what = MachineOutput::LoadPicture { result, at };
            write(machine, what, &Kind::of_drawing(), Form::Svg, None, output)
        }
        MachineVerb::Draw { which, fault, load: None, at: _, output } => {
            let machine = faulty(which, &fault)?;
            write(machine, MachineOutput::Picture, &Kind::of_drawing(), Form::Svg, None, output)
        }
        MachineVerb::Export { which, format, output } => {
            write(named(which)?, MachineOutput::Export, &Kind::of_export(), Form::Hwloc, format, output)
        }
        MachineVerb::Templates { template, output, format } => {
            let kind = Kind::of::<TemplateList<'_>>();
            let output = Output::new(&kind, Form::Page, format, output.as_deref())?;
            Ok(MachineTask::Templates { template, output })
        }
        MachineVerb::New { template, model, from_host, from, set, output } => {
            let kind = Kind::of_machine_file();
            let output = Output::new(&kind, Form::Toml, None, output.as_deref())?;
            from.as_deref().map_or(Ok(()), |path| output.spares(path))?;
            let stated = Stated { template, model, from_host, from, set };
            Ok(MachineTask::New { stated, output })
        }
        MachineVerb::Capture { output } => {
            let kind = Kind::of::<Capture>();
            write(MachineChoice::default(), MachineOutput::Capture, &kind, Form::Json, None, output)
        }
    }
}

/// A machine; only a named one can have settings.
fn named(MachineArgument { machine, on, set }: MachineArgument) -> Result<MachineChoice, Failure> {
    // `host` is the default of `--on` in other verbs.
    let name = on.or(machine).filter(|name| name != HOST);
    if name.is_none() {
        set.must_be_none()?;
    }
    Ok(MachineChoice { name, settings: set.settings()?, faults: Vec::new() })
}

/// A machine with faults; only a named one can have any.
fn faulty(which: MachineArgument, fault: &FaultArguments) -> Result<MachineChoice, Failure> {
    let machine = named(which)?;
    if machine.name.is_none() {
        fault.must_be_none()?;
    }
    Ok(MachineChoice { faults: fault.all().to_vec(), ..machine })
}

//! The command line as typed. [`crate::request`] checks it and turns it into a request.

mod advise;
mod archive;
mod calibrate;
mod changes;
mod check;
mod columns;
mod compare;
mod diagnose;
mod doctor;
mod empty;
mod engine;
mod explore;
mod fault;
mod fleet;
mod help_layout;
mod import;
mod launch;
mod machine;
mod measuring;
mod mlc;
mod points;
mod report;
mod reproduce;
mod run;
mod serve;
mod set;
mod show;
mod sweep;
mod values;
mod whereabouts;

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use zerohop_experiment::catalogue;

pub(crate) use advise::{
    AccessArgument, AdviseAbout, AdviseArguments, DataArgument, DistancesArguments, PlacementArguments,
    SensitivityArgument, SettingsArguments,
};
pub(crate) use archive::{ArchiveArgument, ArchiveArguments, ArchiveVerb, WhichResults};
pub(crate) use calibrate::CalibrateArguments;
pub(crate) use changes::ChangesArguments;
pub(crate) use check::{CheckArguments, CheckFormArgument};
pub(crate) use columns::ColumnArguments;
pub(crate) use compare::CompareArguments;
pub(crate) use diagnose::DiagnoseArguments;
pub(crate) use doctor::DoctorArguments;
pub(crate) use engine::{EngineArguments, SolverArgument, SolverArguments, StatedMachineArgument};
pub(crate) use explore::ExploreArguments;
pub(crate) use fault::FaultArguments;
pub(crate) use fleet::{
    FleetAnalyseArguments, FleetArguments, FleetBaselineArguments, FleetResumeArguments, FleetRunArguments,
    FleetVerb, KubernetesArguments, LauncherArgument,
};
pub(crate) use help_layout::{fitted, help_width, in_columns};
pub(crate) use import::ImportArguments;
pub(crate) use launch::LaunchArguments;
pub(crate) use machine::{MachineArgument, MachineArguments, MachineVerb};
pub(crate) use measuring::{MeasuringArguments, PrefetchersArgument, SurveyArguments};
pub(crate) use mlc::{Loaders, MlcArguments};
pub(crate) use points::{Point, PointArguments};
pub(crate) use report::ReportArguments;
pub(crate) use reproduce::ReproduceArguments;
pub(crate) use run::{ExperimentArguments, RunArguments};
pub(crate) use serve::ServeArguments;
pub(crate) use set::SetArguments;
pub(crate) use show::{ShowArguments, ShowingArguments};
pub(crate) use sweep::{ChunkArgument, SweepArguments, SweepLauncher};
pub(crate) use whereabouts::{PlaceArguments, WhereArguments};

const EXAMPLES: &str = "\
Examples:
  zerohop survey                          measure this machine, in about a minute
  zerohop run latency-matrix              one experiment
  zerohop run stream --nodes 0 -o a.json  on one node, saved to a file
  zerohop run crossfire --on quartet      one experiment on a simulated machine
  zerohop reproduce                       published figures beside the models' predictions
  zerohop compare a.json b.json           which of two results is better, and where
  zerohop show a.json --machine xeon-cascade-lake,links=3
                                          a result beside the expected values of its machine
  zerohop diagnose zerohop-results/HOST-TIME
                                          find out what is wrong with the measured machine
  zerohop fleet analyse mlc/*.txt         find the bad machines among many, and why they are bad
  zerohop import mlc.txt -o mlc.json      convert the output of another tool to a result
  zerohop archive history node-07         a machine's values over time, and what changed in it
  zerohop serve                           browse the archive
  zerohop calibrate mlc.json -o box.toml  fit a model to the measured machine
  zerohop sweep quartet --set wire.ht1000.latency=4ns,8ns --experiment hops
                                          how results change with its settings
  zerohop advise settings                 which settings to change here, and the expected gain
  zerohop explore sr665-v3                an interactive page with a model of the machine
  zerohop where 4711                      where a process's memory and threads are
  zerohop place model.gguf --interleave   load a file into the page cache, over all nodes
  zerohop doctor                          what this host lets zerohop measure, and what is missing
  zerohop machine show                    this machine's hardware and settings, without measuring
  zerohop machine draw > machine.svg      a picture of it

Exit status:
  0    success
  1    a prediction of `reproduce` is outside its tolerance, a result is below a threshold of
       `compare`, `place` could not place a file, an archive is damaged, or, with --strict, there is
       a fault or a value got worse
  2    usage error, or the machine cannot be measured; see the `error:` and `hint:` lines
  3    the results are inconclusive
  130  interrupted; results so far have been printed and saved";

/// Measure how far every thread is from its data
///
/// zerohop measures the memory of NUMA machines: latency and bandwidth between all pairs of nodes, caches, core-to-core
/// latency, and latency under load, each with a confidence interval. Every experiment also runs on a simulated machine,
/// described by a file.
#[derive(Debug, Parser)]
#[command(name = "zerohop", version, after_help = EXAMPLES, max_term_width = 100)]
#[command(disable_help_subcommand = true, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) everywhere: GlobalArguments,

    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// Options that every verb accepts.
#[derive(Debug, clap::Args)]
pub(crate) struct GlobalArguments {
    /// Read the machine from a copy of its /sys and /proc
    ///
    /// PATH is a directory that contains `sys` and `proc`, or a file written by `zerohop machine capture`. Such a
    /// machine can be shown, drawn and exported, but not measured.
    #[arg(long, global = true, value_name = "PATH", help_heading = "Global options")]
    pub(crate) sysfs_root: Option<PathBuf>,

    /// When to use color: auto, always or never; `auto` honors NO_COLOR and TERM=dumb
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        hide_possible_values = true,
        value_name = "WHEN",
        help_heading = "Global options"
    )]
    pub(crate) color: ColourArgument,

    /// Print only errors to standard error
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,

    /// End, as a signal would, when standard input ends: whoever started this is gone
    #[arg(long, global = true, hide = true)]
    pub(crate) end_with_stdin: bool,
}

/// When to use color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourArgument {
    /// On a terminal that supports it
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Measure this machine, or simulate one, and report what is wrong with it
    Survey(SurveyArguments),
    /// Run one experiment
    Run(RunArguments),
    /// List, check, show, draw, export or capture machines, without measuring
    Machine(MachineArguments),
    /// Compare models with published figures of their machines
    Reproduce(ReproduceArguments),
    /// Show a saved result beside the expected values
    Show(ShowArguments),
    /// Write an HTML report about one machine, or compare several side by side
    Report(ReportArguments),
    /// Write an interactive HTML page with a model of a machine, to try changes on
    Explore(ExploreArguments),
    /// Compare results of the same experiments
    Compare(CompareArguments),
    /// Fit a model of a machine to measurements
    Calibrate(CalibrateArguments),
    /// Find out what is wrong with a machine: findings, causes and remedies, worst first
    Diagnose(DiagnoseArguments),
    /// Store results over time, and show the history of a machine
    Archive(ArchiveArguments),
    /// Find regressions and improvements over time, and what changed in the machine
    Changes(ChangesArguments),
    /// Serve an archive over HTTP: web pages, uploads, an API and Prometheus metrics
    Serve(ServeArguments),
    /// Compare many machines: find the bad ones, and what they have in common
    Fleet(FleetArguments),
    /// Check this host against a baseline for its kind of machine, in seconds
    Check(CheckArguments),
    /// Convert the output of other tools (MLC, STREAM, numactl -H, lmbench, …) to results
    Import(ImportArguments),
    /// Simulate a machine with many combinations of settings, and print a row for each
    Sweep(SweepArguments),
    /// Show which nodes hold a process's memory and threads, or the cached pages of a file
    Where(WhereArguments),
    /// Load a file into the page cache of chosen nodes, and verify where its pages are
    Place(PlaceArguments),
    /// Recommend thread and memory placement, settings, or node distances
    Advise(AdviseArguments),
    /// Report what zerohop can measure on this host, what is missing, and how to get it
    Doctor(DoctorArguments),
    /// Measure with the options and the output format of Intel's Memory Latency Checker
    Mlc(MlcArguments),
    /// Print the JSON Schema of `--format json` output, or of a file that zerohop reads
    Schema {
        /// The document or file to describe
        #[arg(value_enum, default_value = "result")]
        of: SchemaArgument,
    },
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  zerohop completions bash > ~/.local/share/bash-completion/completions/zerohop
  zerohop completions zsh > ~/.zfunc/_zerohop          in a directory of zsh's fpath
  zerohop completions fish > ~/.config/fish/completions/zerohop.fish

The script calls zerohop, which must be on the PATH, to complete names of machines and experiments.")]
    Completions {
        /// Shell to write the script for
        shell: Shell,
    },
    /// Print help on a verb or an experiment: `help run`, `help machine show`, `help run hops`
    Help {
        /// A verb, and a subcommand or an experiment
        #[arg(value_name = "VERB", add = ArgValueCompleter::new(helped))]
        of: Vec<String>,
    },
    /// Write the manual pages, one per verb, into a directory, for packagers
    #[command(hide = true)]
    Man {
        /// Directory to write to
        directory: PathBuf,
    },
    /// Print the version
    Version,
}

/// Verbs and experiments that begin with what was typed, for shell completion of `zerohop help`.
fn helped(typed: &OsStr) -> Vec<CompletionCandidate> {
    let program = Arguments::command();
    let verbs =
        program.get_subcommands().flat_map(|verb| std::iter::once(verb).chain(verb.get_subcommands()));
    let verbs = verbs.filter(|verb| !verb.is_hide_set()).map(|verb| verb.get_name().to_owned());
    let experiments = catalogue().all().map(|known| known.name.to_owned());
    let begins = |name: &String| typed.to_str().is_some_and(|typed| name.starts_with(typed));
    verbs.chain(experiments).filter(begins).map(CompletionCandidate::new).collect()
}

/// Documents and files that have a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaArgument {
    /// Output of `survey` and `run`
    Result,
    /// Output of `machine show`
    Machine,
    /// A machine file: its TOML tables and keys
    MachineFile,
    /// The keys of a machine file, as the Markdown at the end of its guide
    #[value(hide = true)]
    MachineKeys,
    /// A study of published figures: its TOML tables and keys
    Published,
    /// Output of `reproduce`
    Reproduction,
    /// Output of `compare`
    Comparison,
    /// Output of `changes`
    Changes,
    /// A sweep file: its TOML tables and keys
    Sweep,
    /// Output of `sweep`
    SweepResult,
    /// Output of `advise settings`
    SettingsAdvice,
    /// `settings/kinds.toml`: its TOML tables and keys
    Settings,
    /// A vendor's file in `settings/`: its TOML tables and keys
    VendorSettings,
    /// A file in `metrics/`, which explains the names that a tool prints: its TOML tables and keys
    Metrics,
    /// All settings, as the Markdown at the end of their guide
    #[value(hide = true)]
    SettingsTable,
    /// Output of `diagnose`
    Diagnosis,
    /// Output of `fleet baseline`
    Baseline,
    /// Output of `fleet analyse`
    Fleet,
    /// A diagnosis rule: its TOML tables and keys
    Rule,
    /// Output of `advise distances`
    Distances,
    /// Output of `where`
    Whereabouts,
    /// Output of `doctor`
    Doctor,
    /// Output of `place`
    PlacedFile,
    /// Output of `calibrate`
    Calibration,
    /// Output of `show`
    Expectations,
    /// Output of `advise placement`
    PlacementAdvice,
    /// Output of `advise placement --workload`
    Ceiling,
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;
    use zerohop_app::built_in::rule_texts;

    use super::*;

    #[test]
    fn arguments_contradict_nothing() {
        Arguments::command().debug_assert();
    }

    /// The page told people to write `--wait-quiet 10m`, which was refused.
    #[test]
    fn every_command_that_a_rule_names_is_understood() {
        let mut tried = 0;
        for (name, text) in rule_texts() {
            let spans = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
            let spans = spans.filter_map(|span| match span.strip_prefix("zerohop ") {
                Some(_) => Some(span.to_owned()),
                None => span.starts_with("--wait-quiet").then(|| format!("zerohop survey {span}")),
            });
            for command in spans {
                // A letter stands for a number, a word in capitals for a name.
                let words = command
                    .split_whitespace()
                    .map(|word| if word == "N" || word == "PID" { "1" } else { word });
                let understood = Arguments::try_parse_from(words);
                let error =
                    understood.err().filter(|error| error.kind() != ErrorKind::MissingRequiredArgument);
                assert!(error.is_none(), "rules/{name}.toml: `{command}`: {}", error.unwrap());
                tried += 1;
            }
        }
        assert!(tried > 30, "{tried} commands");
    }
}

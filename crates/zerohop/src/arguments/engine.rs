//! Arguments that choose what to measure: this host, or a model of a machine.

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};
use zerohop_model::Solver;

use super::{FaultArguments, SetArguments};
use crate::completion;

/// What is measured.
#[derive(Debug, Args)]
pub(crate) struct EngineArguments {
    /// Machine to measure: `host`, or a machine to simulate, by name or by file
    ///
    /// `zerohop machine list` lists the names. A template or a processor with known properties also works:
    /// `xeon-cascade-lake,cores=28`, `'EPYC 9354,channels=12'`. A name that contains `/` or ends in `.toml` is a file;
    /// docs/machine-files.md explains how to write one, and `zerohop machine check` reports errors in it. Simulation is
    /// deterministic: the same machine, options and seed give exactly the same result.
    #[arg(
        long,
        value_name = "MACHINE",
        default_value = "host",
        add = completion::simulated_machines(),
        help_heading = "Where to measure"
    )]
    pub(crate) on: String,

    #[command(flatten)]
    pub(crate) set: SetArguments,

    #[command(flatten)]
    pub(crate) fault: FaultArguments,

    #[command(flatten)]
    pub(crate) solver: SolverArguments,

    /// Number of workloads to simulate in parallel (default: one per CPU); does not affect results
    #[arg(long, value_name = "COUNT", help_heading = "Where to measure", value_parser = super::values::count)]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// The machine that a result should be one of.
#[derive(Debug, Default, Args)]
pub(crate) struct StatedMachineArgument {
    /// Compare with the expected values of this machine: a name, a file, or a template or processor with known properties
    ///
    /// For example `xeon-cascade-lake,cores=28,links=3`, `'EPYC 9354,channels=12'` or `this-host.toml`. The output shows
    /// each value beside the value of a model of that machine, with the known error of such models.
    #[arg(
        long = "machine",
        value_name = "MACHINE",
        add = completion::simulated_machines(),
        help_heading = "What to expect"
    )]
    pub(crate) name: Option<String>,
}

/// How to solve a model.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct SolverArguments {
    /// How to solve the model: event (default), flow or auto
    ///
    /// `event` simulates every cache line. `flow` solves the machine as a queueing network by mean-value analysis:
    /// averages only, about a thousand times as fast, within a few percent of `event`; it reports what it cannot
    /// compute. `auto` uses `flow`, and `event` where `flow` cannot.
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "SOLVER",
        help_heading = "Where to measure"
    )]
    pub(crate) solver: Option<SolverArgument>,
}

/// How to solve a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SolverArgument {
    /// Event simulation of every cache line
    Event,
    /// Mean-value analysis of a queueing network
    Flow,
    /// Mean-value analysis where possible, else event simulation
    Auto,
}

impl SolverArguments {
    /// The solver that was chosen, or the default.
    pub(crate) fn choice(self) -> Solver {
        self.solver.unwrap_or(SolverArgument::Event).solver()
    }
}

impl SolverArgument {
    /// The solver of that name.
    pub(crate) const fn solver(self) -> Solver {
        match self {
            Self::Event => Solver::Event,
            Self::Flow => Solver::Flow,
            Self::Auto => Solver::Auto,
        }
    }
}

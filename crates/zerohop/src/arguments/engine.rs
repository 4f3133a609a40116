//! Arguments that choose what is measured: this host, or a model of a machine.

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};

use super::SetArguments;
use crate::completion;
use crate::subject::Solver;

/// What is measured.
#[derive(Debug, Args)]
pub(crate) struct EngineArguments {
    /// Measure this host, or simulate a machine: one by name, or a machine file
    ///
    /// `zerohop machine list` has the names. A name with a `/` in it or a `.toml` at its end is a file; how to write one
    /// is in docs/machine-files.md, and `zerohop machine check` says what is wrong with it. What is simulated is the same
    /// every time: the same machine, options and seed give the same result to the last digit.
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
    pub(crate) solver: SolverArguments,

    /// Simulate so many workloads at the same time (default: as many as there are CPUs); it changes no number
    #[arg(long, value_name = "COUNT", help_heading = "Where to measure", value_parser = super::values::count)]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// How a model comes to its numbers.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct SolverArguments {
    /// How a model is computed: event (default), flow or auto
    ///
    /// `event` simulates every line. `flow` solves the machine as a network of queues: means only, some thousand times as
    /// fast, within a few per cent; what it cannot tell it leaves out and says so. `auto` takes `flow`, and `event` where
    /// that refuses.
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "SOLVER",
        help_heading = "Where to measure"
    )]
    pub(crate) solver: Option<SolverArgument>,
}

/// How a model comes to its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SolverArgument {
    /// Line by line
    Event,
    /// By means of a network of queues
    Flow,
    /// By means where they can tell
    Auto,
}

impl SolverArguments {
    /// The choice, or what is taken without one.
    pub(crate) fn choice(self) -> Solver {
        self.solver.unwrap_or(SolverArgument::Event).solver()
    }
}

impl SolverArgument {
    /// The choice.
    pub(crate) const fn solver(self) -> Solver {
        match self {
            Self::Event => Solver::Event,
            Self::Flow => Solver::Flow,
            Self::Auto => Solver::Auto,
        }
    }
}

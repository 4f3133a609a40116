//! Arguments that choose what is measured: this host, or a model of a machine.

use std::num::NonZeroUsize;

use clap::Args;

use super::SetArguments;

/// What is measured.
#[derive(Debug, Args)]
pub(crate) struct EngineArguments {
    /// Measure this host, or simulate a machine: one by name, or a machine file
    ///
    /// `zerohop machine list` has the names. A name with a `/` in it or a `.toml` at its end is a file; how to write one
    /// is in docs/machine-files.md, and `zerohop machine check` says what is wrong with it. What is simulated is the same
    /// every time: the same machine, options and seed give the same result to the last digit.
    #[arg(long, value_name = "MACHINE", default_value = "host", help_heading = "Where to measure")]
    pub(crate) on: String,

    #[command(flatten)]
    pub(crate) set: SetArguments,

    /// Simulate so many workloads at the same time (default: as many as there are CPUs); it changes no number
    #[arg(long, value_name = "COUNT", help_heading = "Where to measure")]
    pub(crate) threads: Option<NonZeroUsize>,
}

//! Arguments of `zerohop check`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use zerohop_report::CheckForm;

use super::values::{duration, waiting};

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop fleet baseline fleet -o baseline.json       from a fleet that was surveyed, once
  zerohop check --baseline baseline.json              on each node, in under five seconds
  zerohop check --baseline baseline.json --format nagios
  zerohop check --baseline baseline.json --result survey/     what was measured already

DIMMs, memory and cores are held against the baseline before anything is measured: a node with 23 of 24 DIMMs is bad by that.
What the baseline has and the check measures is judged, as whole families of values: one slow link among many shows in a survey only.
packaging/integrations/ has what Slurm, NHC, ReFrame, node_exporter, systemd, Ansible, GitHub and GitLab need to call it.

Exit status:
  0    as usual
  1    bad (with --format nagios: 2)
  2    the request or the host is at fault (with any other --format than text: 3, and a line that says so)
  3    it cannot tell: the baseline has no such machine, or none of its values, or the result is unfinished")]
pub(crate) struct CheckArguments {
    /// What is usual, as `fleet baseline` wrote it
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: PathBuf,

    /// How long to measure; the start of the program and of its threads comes on top
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = duration)]
    pub(crate) budget: Duration,

    /// Wait until no other zerohop measures on this host, for this time at most, then give up; 0 does not wait
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = waiting)]
    pub(crate) wait_for_host: Duration,

    /// Judge this result, and measure nothing
    #[arg(long, value_name = "RESULT")]
    pub(crate) result: Option<PathBuf>,

    /// The form of the line
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: CheckFormArgument,
}

/// A form of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormArgument {
    /// A sentence
    Text,
    /// A plugin of Nagios, Icinga and the like
    Nagios,
    /// A line of Node Health Check; nothing if all is well
    Nhc,
    /// The reason of a drained node; nothing if all is well
    Slurm,
    /// `name: value unit`, for the expressions of a test
    Reframe,
    /// A line of results.jsonl
    Superbench,
    /// Metrics for node_exporter's textfile collector
    Openmetrics,
}

impl CheckFormArgument {
    /// The form that it names.
    pub(crate) const fn form(self) -> CheckForm {
        match self {
            Self::Text => CheckForm::Text,
            Self::Nagios => CheckForm::Nagios,
            Self::Nhc => CheckForm::Nhc,
            Self::Slurm => CheckForm::Slurm,
            Self::Reframe => CheckForm::Reframe,
            Self::Superbench => CheckForm::Superbench,
            Self::Openmetrics => CheckForm::OpenMetrics,
        }
    }
}

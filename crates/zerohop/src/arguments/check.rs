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
  zerohop fleet baseline fleet -o baseline.json       once, from the surveys of a fleet
  zerohop check --baseline baseline.json              on each node, in under five seconds
  zerohop check --baseline baseline.json --format nagios
  zerohop check --baseline baseline.json --result survey/     check a saved result

The check compares DIMMs, memory and cores with the baseline before it measures anything: a node with 23 of 24 DIMMs is bad. \
It then judges whole families of values that the baseline contains. Only a full survey shows a single slow link among many. \
packaging/integrations/ has files for Slurm, NHC, ReFrame, node_exporter, systemd, Ansible, GitHub and GitLab.

Exit status:
  0    good
  1    bad (with --format nagios: 2)
  2    usage error, or the host cannot be measured (with a --format other than text: 3)
  3    unknown: the baseline lacks this machine or its values, or the result is unfinished")]
pub(crate) struct CheckArguments {
    /// Baseline written by `fleet baseline`
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: PathBuf,

    /// Time to measure, not counting the start of the program and its threads
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = duration)]
    pub(crate) budget: Duration,

    /// Wait at most this long for another zerohop to finish measuring on this host, then give up; 0 does not wait
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = waiting)]
    pub(crate) wait_for_host: Duration,

    /// Check this result instead of measuring
    #[arg(long, value_name = "RESULT")]
    pub(crate) result: Option<PathBuf>,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: CheckFormArgument,
}

/// A form of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormArgument {
    /// A sentence
    Text,
    /// Output and exit status of a Nagios or Icinga plugin
    Nagios,
    /// A line for Node Health Check; nothing if the node is good
    Nhc,
    /// A reason to drain the node; nothing if the node is good
    Slurm,
    /// `name: value unit`, for regular expressions of a ReFrame test
    Reframe,
    /// A line of SuperBench's results.jsonl
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

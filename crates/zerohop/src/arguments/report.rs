//! Arguments of `zerohop report`.

use std::path::PathBuf;

use clap::Args;
use zerohop_report::Report;

use super::{PointArguments, StatedMachineArgument};
use crate::kind::Kind;

/// Write an HTML report about one machine, or compare several side by side
///
/// The report contains the verdict, the findings with causes and remedies, the figures and every table; with several results,
/// it compares them with the first. It is one self-contained file. Every verb that takes a RESULT also reads a report of one
/// result.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop report before/                        writes report.html
  zerohop report before/ after/ -o change.html  how the second differs from the first
  zerohop report mlc.txt --machine 'EPYC 9354,channels=12'
  zerohop report before/ --explorer             with a model of its machine to explore
  zerohop report before/ --point 'solver=84'    with a program on the curve of latency under load
  zerohop compare before/report.html now/")]
pub(crate) struct ReportArguments {
    /// Results, survey directories, reports, or the output of other tools; the first is the baseline
    #[arg(value_name = "RESULT", required = true)]
    pub(crate) results: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) machine: StatedMachineArgument,

    /// Add the explorer as a tab: an interactive model of the first result's machine, compared with the result (about 3 MB)
    #[arg(long)]
    pub(crate) explorer: bool,

    #[command(flatten)]
    pub(crate) points: PointArguments,

    #[arg(short, long, value_name = "FILE", default_value = "report.html", help = Kind::of::<Report<'static>>().saving())]
    pub(crate) output: PathBuf,
}

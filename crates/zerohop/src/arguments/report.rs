//! Arguments of `zerohop report`.

use std::path::PathBuf;

use clap::Args;

use super::{PointArguments, StatedMachineArgument};

/// Writes one page for a browser about a machine, or about several side by side
///
/// The page holds the verdict, the findings with their causes and remedies, the pictures and every table; with several results, also how
/// they compare with the first. It is one file that needs nothing else, and every verb takes a page of one result as RESULT.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop report before/                        writes report.html
  zerohop report before/ after/ -o change.html  how the second differs from the first
  zerohop report mlc.txt --machine 'EPYC 9354,channels=12'
  zerohop report before/ --explorer             with the model of its machine as a tab
  zerohop report before/ --point 'solver=84'    with a program's point on the curve of latency under load
  zerohop compare before/report.html now/")]
pub(crate) struct ReportArguments {
    /// Results, directories of surveys, pages of either, or the output of other tools; the first is the baseline
    #[arg(value_name = "RESULT", required = true)]
    pub(crate) results: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) machine: StatedMachineArgument,

    /// Add the explorer as a tab: the model of the first result's machine, to change and to compare with the result (about 3 MB)
    #[arg(long)]
    pub(crate) explorer: bool,

    #[command(flatten)]
    pub(crate) points: PointArguments,

    /// Save to this file, replacing an earlier one; the extension selects the format: .html or .txt
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub(crate) output: PathBuf,
}

//! Arguments of `zerohop compare`.

use std::path::PathBuf;

use clap::Args;
use zerohop_compare::ComparisonFile;
use zerohop_report::Form;

use super::ColumnArguments;
use crate::kind::Kind;

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop run memory-suite -o before.json      then change a setting, and run it with -o after.json
  zerohop compare before.json after.json
  zerohop compare before.json after.json --at-least 0.98 --each-at-least 0.9
  zerohop compare before-1 before-2 -- after-1 after-2      several runs of each, to include drift

Thresholds are compared with confidence intervals. Exit status:
  0    every threshold is met: the whole interval is above it
  1    a result is below a threshold: the whole interval is below it
  2    usage error, a file cannot be used, or there is nothing to compare
  3    inconclusive: an interval contains a threshold, values are in doubt, or cells are missing")]
pub(crate) struct CompareArguments {
    /// Results from `zerohop run … -o FILE` or a survey; the first is the baseline
    #[arg(value_name = "RESULT", required = true)]
    pub(crate) results: Vec<PathBuf>,

    /// Runs of the next configuration; all results before the first `--` are then runs of the baseline
    #[arg(last = true, value_name = "RUN")]
    pub(crate) further: Vec<PathBuf>,

    /// Compare nodes by number, even if topology or values show that they are numbered differently
    #[arg(long)]
    pub(crate) by_number: bool,

    /// Exit with 1 if the geometric mean of a result's scores is certainly below RATIO, with 3 if that is uncertain; 1 is as
    /// good as the baseline, 0.98 or 98% is slightly worse
    #[arg(long, value_name = "RATIO", value_parser = super::values::ratio)]
    pub(crate) at_least: Option<f64>,

    /// Exit with 1 if the score of any cell is certainly below RATIO, with 3 if that is uncertain
    #[arg(long, value_name = "RATIO", value_parser = super::values::ratio)]
    pub(crate) each_at_least: Option<f64>,

    #[arg(short, long, value_name = "FILE", help = Kind::of::<ComparisonFile>().saving())]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<ComparisonFile>().parser())]
    pub(crate) format: Option<Form>,

    #[command(flatten)]
    pub(crate) columns: ColumnArguments,
}

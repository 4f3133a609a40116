//! Arguments of `zerohop changes`.

use std::path::PathBuf;

use clap::Args;
use zerohop_compare::ChangesFile;
use zerohop_report::Form;
use zerohop_result::Timestamp;

use super::values::{moment, percentage};
use super::{ArchiveArgument, ColumnArguments};
use crate::kind::Kind;

/// Arguments of `changes`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop changes                           all machines of the archive
  zerohop changes node-07 --least 5%
  zerohop changes --since 1d --strict       nightly check: did anything get worse since yesterday?
  zerohop changes --format csv -o changes.csv

Exit status with --strict:
  0    nothing got worse
  1    a value of a machine got worse
  2    usage error, or the archive cannot be read
  3    inconclusive: the last results are worse, but too few to tell a change from a short
       disturbance, or a named machine, or every machine, has too few results")]
pub(crate) struct ChangesArguments {
    /// Machines to check (default: all)
    #[arg(value_name = "MACHINE")]
    pub(crate) machines: Vec<String>,

    #[command(flatten)]
    pub(crate) location: ArchiveArgument,

    /// Report only changes since this date, time or age, such as 7d, compared with earlier results
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,

    /// Ignore changes smaller than this
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = percentage)]
    pub(crate) least: f64,

    /// Check only headline values, not single cells
    #[arg(long)]
    pub(crate) headlines: bool,

    /// Exit with 1 if anything got worse, with 3 if that is uncertain
    #[arg(long)]
    pub(crate) strict: bool,

    #[arg(short, long, value_name = "FILE", help = Kind::of::<ChangesFile>().saving())]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<ChangesFile>().parser())]
    pub(crate) format: Option<Form>,

    #[command(flatten)]
    pub(crate) columns: ColumnArguments,
}

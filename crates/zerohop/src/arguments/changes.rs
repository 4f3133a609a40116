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
  zerohop changes --since 1d --strict       for a nightly check: did anything get worse since yesterday?
  zerohop changes --format csv -o changes.csv

With --strict, the exit status is that of a gate:
  0    nothing got worse
  1    a value of a machine got worse
  2    the archive is at fault
  3    the last results are worse, too few to tell a change from a burst; or no machine has enough
       results, or one that was named has not")]
pub(crate) struct ChangesArguments {
    /// The machines (default: all)
    #[arg(value_name = "MACHINE")]
    pub(crate) machines: Vec<String>,

    #[command(flatten)]
    pub(crate) location: ArchiveArgument,

    /// Only changes since: a date, a time, or an age such as 7d; earlier results are what they are held against
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,

    /// Leave out steps that are smaller than this
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = percentage)]
    pub(crate) least: f64,

    /// Headlines only, without cells
    #[arg(long)]
    pub(crate) headlines: bool,

    /// Exit with 1 if anything got worse, and with 3 if that is uncertain
    #[arg(long)]
    pub(crate) strict: bool,

    /// Save the changes to this file, replacing an earlier one; the extension selects the format: .html, .txt, .md, .json, .csv or .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<ChangesFile>().parser())]
    pub(crate) format: Option<Form>,

    #[command(flatten)]
    pub(crate) columns: ColumnArguments,
}

//! Arguments of `zerohop show`.

use std::path::PathBuf;

use clap::Args;
use zerohop_report::{Form, ShownResult};

use super::{ColumnArguments, PointArguments, StatedMachineArgument};
use crate::kind::Kind;

/// Shows a result again, beside what its values should be
///
/// What they should be comes from the machine that --machine states; without it, from what the machine of the result shows of itself: its
/// processor and its DIMMs. docs/expectation.md explains how, and how wrong it may be.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop show zerohop-results/node-07-20261122T101500Z
  zerohop show result.json --machine xeon-cascade-lake,cores=28,links=3
  zerohop show result.json --machine 'Xeon Gold 6240,links=2' --all
  zerohop show result.json --machine this-host.toml --format json
  zerohop show result.json -o result.svg
  zerohop show result.json --point 'solver=84' --point where.json -o result.png
  zerohop import mlc.txt -o mlc.json; zerohop show mlc.json --machine 'Xeon Platinum 8280'")]
pub(crate) struct ShowArguments {
    /// A result that `survey`, `run` or `import` wrote, or a survey's directory
    #[arg(value_name = "RESULT")]
    pub(crate) result: PathBuf,

    #[command(flatten)]
    pub(crate) how: ShowingArguments,
}

/// How a result is shown.
#[derive(Debug, Args)]
pub(crate) struct ShowingArguments {
    #[command(flatten)]
    pub(crate) machine: StatedMachineArgument,

    /// Print every table, what each kind of value should be, and why (default: one screen)
    #[arg(long)]
    pub(crate) all: bool,

    /// Save to this file, replacing an earlier one; the extension selects the format: .html, .svg, .png, .txt, .json,
    /// .csv or .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<ShownResult<'static>>().parser())]
    pub(crate) format: Option<Form>,

    #[command(flatten)]
    pub(crate) points: PointArguments,

    #[command(flatten)]
    pub(crate) columns: ColumnArguments,
}

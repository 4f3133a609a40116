//! Arguments of `zerohop show`.

use std::path::PathBuf;

use clap::Args;
use zerohop_report::{Form, ShownResult};

use super::{ColumnArguments, PointArguments, StatedMachineArgument};
use crate::kind::Kind;

/// Show a saved result beside the expected values
///
/// Expected values come from the machine that --machine names, or, by default, from the processor and DIMMs recorded in the
/// result. docs/expectation.md explains how they are computed, and how accurate they are.
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
    /// Result of `survey`, `run` or `import`, or a survey directory
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

    /// Print every table, and how each expected value was computed (default: one screen)
    #[arg(long)]
    pub(crate) all: bool,

    #[arg(short, long, value_name = "FILE", help = Kind::of::<ShownResult<'static>>().saving())]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<ShownResult<'static>>().parser())]
    pub(crate) format: Option<Form>,

    #[command(flatten)]
    pub(crate) points: PointArguments,

    #[command(flatten)]
    pub(crate) columns: ColumnArguments,
}

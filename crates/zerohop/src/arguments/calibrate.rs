//! The arguments of `zerohop calibrate`.

use std::path::PathBuf;

use clap::Args;
use zerohop_report::Form;
use zerohop_study::CalibrationFile;

use super::{ColumnArguments, SolverArguments};
use crate::kind::Kind;

const EXAMPLES: &str = "\
Examples:
  zerohop calibrate zerohop-results/box-20261122T101500Z -o box.toml    a model of the machine that was surveyed
  zerohop calibrate mlc.json --machine xeon-cascade-lake,cores=28 -o box.toml
  zerohop survey --on box.toml --set interleaving=on                    what that machine would show otherwise

A handful of parameters is fitted, each by one factor, to half of the values; the others show how far the model can be trusted.";

/// Fit the model of a machine to what was measured on it
///
/// The model comes from what the result shows of its machine, as in `machine new --from`, or from --machine.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CalibrateArguments {
    /// A survey, or an imported result with a latency or a bandwidth matrix
    #[arg(value_name = "RESULT")]
    pub(crate) result: PathBuf,

    /// The machine to begin with: a template (`xeon-cascade-lake,cores=28`), a built-in machine or a machine file
    #[arg(long, value_name = "MACHINE")]
    pub(crate) machine: Option<String>,

    #[command(flatten)]
    pub(crate) solver: SolverArguments,

    /// Save the fitted machine to this file, replacing an earlier one
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format of the report (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<CalibrationFile>().parser())]
    pub(crate) format: Option<Form>,

    #[command(flatten)]
    pub(crate) columns: ColumnArguments,
}

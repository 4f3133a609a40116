//! The arguments of `zerohop calibrate`.

use std::path::PathBuf;

use clap::Args;
use zerohop_report::Form;
use zerohop_study::CalibrationFile;

use super::{ColumnArguments, SolverArguments};
use crate::kind::Kind;

const EXAMPLES: &str = "\
Examples:
  zerohop calibrate before/ -o box.toml                  a model of the surveyed machine
  zerohop calibrate mlc.json --machine xeon-cascade-lake,cores=28 -o box.toml
  zerohop survey --on box.toml --set interleaving=on     what changes with another setting

Calibration fits a few parameters, each by one factor, to half of the values. \
The other half tests the accuracy of the model.";

/// Fit a model of a machine to measurements
///
/// The initial model comes from --machine, or, by default, from the hardware recorded in the result, as with `machine new --from`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CalibrateArguments {
    /// Survey, or an imported result with a latency or bandwidth matrix
    #[arg(value_name = "RESULT")]
    pub(crate) result: PathBuf,

    /// Initial model: a template (`xeon-cascade-lake,cores=28`), a built-in machine or a machine file
    #[arg(long, value_name = "MACHINE")]
    pub(crate) machine: Option<String>,

    #[command(flatten)]
    pub(crate) solver: SolverArguments,

    /// Save the fitted machine file to this path, replacing an existing file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format of the report (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<CalibrationFile>().parser())]
    pub(crate) format: Option<Form>,

    #[command(flatten)]
    pub(crate) columns: ColumnArguments,
}

//! Arguments of `zerohop fleet baseline`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `fleet baseline`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop fleet baseline fleet -o baseline.json
  zerohop check --baseline baseline.json              then, on a node")]
pub(crate) struct FleetBaselineArguments {
    /// Results, as of `fleet analyse`
    #[arg(value_name = "RESULT", required = true)]
    pub(crate) results: Vec<PathBuf>,

    /// The file to write, replacing an earlier one
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

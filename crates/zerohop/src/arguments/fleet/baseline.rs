//! Arguments of `zerohop fleet baseline`.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::values::percentage;

/// Arguments of `fleet baseline`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop fleet baseline fleet -o baseline.json
  zerohop fleet baseline fleet -o baseline.json --bound 10%     with a bound of your own; the false alarms are counted
  zerohop check --baseline baseline.json              then, on a node

A baseline carries a digest of its content: one that was edited or cut is refused. Write it again to change it.")]
pub(crate) struct FleetBaselineArguments {
    /// Results, as of `fleet analyse`
    #[arg(value_name = "RESULT", required = true)]
    pub(crate) results: Vec<PathBuf>,

    /// The loss from which on a node is bad, for all values (default: what the scatter of the nodes allows, value by value; few nodes allow
    /// wide bounds only)
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub(crate) bound: Option<f64>,

    /// The file to write, replacing an earlier one
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

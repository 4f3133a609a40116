//! Arguments of `zerohop fleet baseline`.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::values::percentage;

/// Arguments of `fleet baseline`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop fleet baseline fleet -o baseline.json
  zerohop fleet baseline fleet -o baseline.json --bound 10%     with your own bound
  zerohop check --baseline baseline.json                        then, on a node

A baseline contains a digest of its content, and `check` rejects an edited or truncated one. \
To change a baseline, write a new one.")]
pub(crate) struct FleetBaselineArguments {
    /// Results, as for `fleet analyse`
    #[arg(value_name = "RESULT", required = true)]
    pub(crate) results: Vec<PathBuf>,

    /// Loss at which a node counts as bad, for all values (default: computed for each value from the scatter of the nodes; with
    /// few nodes, bounds are wide)
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub(crate) bound: Option<f64>,

    /// Save the baseline to this file, replacing an existing one
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

//! Arguments of `zerohop machine`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::FormatArgument;

/// Arguments of `machine`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop machine show
  zerohop machine show --format json | jq '.nodes[].pus'
  zerohop machine draw -o machine.svg
  zerohop machine export | lstopo --if xml -i -
  zerohop machine capture -o odd.json
  zerohop --sysfs-root odd.json machine show")]
pub(crate) struct MachineArguments {
    #[command(subcommand)]
    pub(crate) verb: MachineVerb,
}

/// What to do with a machine.
#[derive(Debug, Subcommand)]
pub(crate) enum MachineVerb {
    /// Print what the machine is and how it is set
    Show {
        /// How to print it
        #[arg(long, value_enum, default_value = "table", value_name = "FORMAT")]
        format: FormatArgument,
    },
    /// Draw packages, nodes, caches and distances as SVG
    Draw(Destination),
    /// Write the machine as hwloc XML, which `lstopo` opens
    Export(Destination),
    /// Write all that is read of the machine to one file, from which it can be shown again elsewhere
    ///
    /// Serial numbers, asset tags, the host's name and kernel parameters that do not bear on memory are left out.
    Capture(Destination),
}

/// Where a document goes.
#[derive(Debug, Args)]
pub(crate) struct Destination {
    /// Write to this file instead of standard output; an earlier one is replaced
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

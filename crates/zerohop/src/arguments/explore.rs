//! Arguments of `zerohop explore`.

use std::path::PathBuf;

use clap::Args;

use super::{FaultArguments, SetArguments, StatedMachineArgument};
use crate::completion;

/// Writes one page for a browser with the model inside: change a machine, and see what that does
///
/// The page needs no network and no other file. It starts with MACHINE, or with the list of all machines and templates. Options, values and
/// faults of the machine are controls; its pictures and tables change with them, and each shows the command that gives the same. With a
/// RESULT that was measured, or `--machine`, what the model says is compared with what the result says, cell by cell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop explore                               writes explore.html: all machines to choose from
  zerohop explore sr665-v3 --set links=3        starts with three links
  zerohop explore my-machine.toml -o mine.html  a machine file; the page carries it
  zerohop explore before/                       a measured machine beside its model
  zerohop calibrate before/ -o box.toml && zerohop explore before/ --machine box.toml")]
pub(crate) struct ExploreArguments {
    /// The machine to start with: a built-in machine, a machine file, a template or a processor; or a result, for the machine that was
    /// simulated, or what a template makes of the one that was measured
    #[arg(value_name = "MACHINE|RESULT", add = completion::simulated_machines())]
    pub(crate) machine: Option<String>,

    #[command(flatten)]
    pub(crate) stated: StatedMachineArgument,

    #[command(flatten)]
    pub(crate) set: SetArguments,

    #[command(flatten)]
    pub(crate) fault: FaultArguments,

    /// Save the page to this file, replacing an earlier one
    #[arg(short, long, value_name = "FILE", default_value = "explore.html")]
    pub(crate) output: PathBuf,
}

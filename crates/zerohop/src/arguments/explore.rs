//! Arguments of `zerohop explore`.

use std::path::PathBuf;

use clap::Args;

use super::{FaultArguments, SetArguments, StatedMachineArgument};
use crate::completion;

/// Write an interactive HTML page with a model of a machine, to try changes on
///
/// The page needs no network and no other file. It starts with MACHINE, or with the list of all machines and templates.
/// Controls change options, values and faults of the machine; figures and tables follow, and each shows the command that
/// gives the same output. With a measured RESULT, or with `--machine`, the page compares model and result cell by cell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop explore                               writes explore.html: all machines to choose from
  zerohop explore sr665-v3 --set links=3        starts with three links
  zerohop explore my-machine.toml -o mine.html  a machine file, which becomes part of the page
  zerohop explore before/                       a measured machine beside its model
  zerohop calibrate before/ -o box.toml && zerohop explore before/ --machine box.toml")]
pub(crate) struct ExploreArguments {
    /// Machine to start with: a built-in machine, a machine file, a template or a processor; or a result, for its simulated
    /// machine, or for a template's model of its measured machine
    #[arg(value_name = "MACHINE|RESULT", add = completion::simulated_machines())]
    pub(crate) machine: Option<String>,

    #[command(flatten)]
    pub(crate) stated: StatedMachineArgument,

    #[command(flatten)]
    pub(crate) set: SetArguments,

    #[command(flatten)]
    pub(crate) fault: FaultArguments,

    /// Save the page to this file, replacing an existing one
    #[arg(short, long, value_name = "FILE", default_value = "explore.html")]
    pub(crate) output: PathBuf,
}

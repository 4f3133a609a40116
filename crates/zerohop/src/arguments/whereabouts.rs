//! Arguments of `zerohop where` and `zerohop place`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use zerohop_placement::PlacedFile;
use zerohop_placement::WhereaboutsFile;
use zerohop_report::Form;

use super::values::{self, NodeList};
use crate::kind::Kind;

/// Arguments of `where`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop where 4711                       memory and threads of a process, by node
  zerohop where llama-server               processes by name
  zerohop where model.gguf                 pages of a file in the kernel's page cache
  zerohop where -- ./solver input.dat      run a command, and report its peak memory
  zerohop where 4711 --watch               one line per second, until the process exits
  zerohop where 4711 --survey today/       with the cost of the placement, from a survey

zerohop changes nothing, and does not need root for your own processes and files.")]
pub(crate) struct WhereArguments {
    /// Process by number or name, or a file
    #[arg(value_name = "PROCESS|FILE", required_unless_present = "command", conflicts_with = "command")]
    pub(crate) subject: Option<String>,

    /// Command to run and report on
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,

    /// Survey of this machine, to compute the cost of the placement
    #[arg(long, value_name = "RESULT")]
    pub(crate) survey: Option<PathBuf>,

    /// Repeat at this interval (`--watch=5s`; default: 1s) until the process exits or you press Ctrl-C
    #[arg(
        long,
        value_name = "PAUSE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1s",
        value_parser = values::duration,
        conflicts_with_all = ["command", "output", "format", "survey"]
    )]
    pub(crate) watch: Option<Duration>,

    #[arg(short, long, value_name = "FILE", help = Kind::of::<WhereaboutsFile>().saving())]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<WhereaboutsFile>().parser())]
    pub(crate) format: Option<Form>,
}

/// Arguments of `place`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop place model.gguf --interleave             interleave over all nodes with memory
  zerohop place model.gguf --nodes 1                all of it on node 1
  zerohop place model.gguf --nodes 0,2 --weights 5,3

zerohop loads the file into the kernel's page cache in steps of 2 MiB, round-robin over the nodes. \
Steps of a small file are smaller, so that each node's share is accurate to 1 % of the file or to a page. \
Cached pages on other nodes are moved. zerohop then asks the kernel where each page is. \
The pages stay until the kernel needs the memory. Repeat the command after that, or after the file changes.

Exit status:
  0    the file is placed as asked
  1    more than 1 % of it is not: the output says which node is full, and how much fits
  2    usage error, or the file cannot be placed; see the `error:` and `hint:` lines
  130  interrupted")]
pub(crate) struct PlaceArguments {
    /// File to place
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Interleave over all nodes with memory that this process may use
    #[arg(long, required_unless_present = "nodes", conflicts_with = "nodes")]
    pub(crate) interleave: bool,

    /// Interleave over these nodes; a single node gets the whole file
    #[arg(long, value_name = "LIST", value_parser = values::node_list)]
    pub(crate) nodes: Option<NodeList>,

    /// Steps per node in each round, from 1 to 255, in ascending order of the nodes (default: 1 each)
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) weights: Option<Vec<u32>>,

    #[arg(short, long, value_name = "FILE", help = Kind::of::<PlacedFile>().saving())]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<PlacedFile>().parser())]
    pub(crate) format: Option<Form>,
}

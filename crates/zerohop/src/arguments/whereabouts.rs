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
  zerohop where 4711                       a process: its memory and its threads, by node
  zerohop where llama-server               processes by name
  zerohop where model.gguf                 a file: its pages in the kernel's page cache
  zerohop where -- ./solver input.dat      a command: as it was with the most memory
  zerohop where 4711 --watch               a line a second, until it ends
  zerohop where 4711 --survey today/       what its placement costs, by a survey of this machine

Nothing is changed, and nothing needs root for one's own processes and files.")]
pub(crate) struct WhereArguments {
    /// A process by number or name, or a file
    #[arg(value_name = "PROCESS|FILE", required_unless_present = "command", conflicts_with = "command")]
    pub(crate) subject: Option<String>,

    /// A command to start and look at
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,

    /// A survey of this machine: its matrices say what the placement costs
    #[arg(long, value_name = "RESULT")]
    pub(crate) survey: Option<PathBuf>,

    /// Look again and again, with this pause (`--watch=5s`; default: 1s), until the process ends or Ctrl-C
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

    /// Save to this file, replacing an earlier one; the extension selects the format: .html, .txt, .json, .csv or .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<WhereaboutsFile>().parser())]
    pub(crate) format: Option<Form>,
}

/// Arguments of `place`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop place model.gguf --interleave             over all nodes with memory
  zerohop place model.gguf --nodes 1                all of it on node 1
  zerohop place model.gguf --nodes 0,2 --weights 5,3

The file's pages come into the kernel's page cache in steps of 2 MiB, by turns on the nodes; a small file in smaller
steps, so that each node gets its share to 1 % of the file or to a page. Cached pages that are elsewhere are moved. Then
the kernel is asked where each page is. The pages stay until the kernel needs the memory: give the command again after
that, or after the file was changed.

Exit status:
  0    the file is placed as asked
  1    more than 1 % of it is not: the page says which node is full, and how much fits
  2    the request or the file is at fault; see the `error:` and `hint:` lines
  130  interrupted")]
pub(crate) struct PlaceArguments {
    /// The file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Spread it over all nodes with memory that this process may use
    #[arg(long, required_unless_present = "nodes", conflicts_with = "nodes")]
    pub(crate) interleave: bool,

    /// Spread it over these nodes; one node gets all of it
    #[arg(long, value_name = "LIST", value_parser = values::node_list)]
    pub(crate) nodes: Option<NodeList>,

    /// How many steps each node gets in a turn, from 1 to 255, in ascending order of the nodes (default: 1 each)
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) weights: Option<Vec<u32>>,

    /// Save the outcome to this file, replacing an earlier one; the extension selects the format: .html, .txt, .json, .csv or
    /// .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<PlacedFile>().parser())]
    pub(crate) format: Option<Form>,
}

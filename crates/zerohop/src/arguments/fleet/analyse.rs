//! Arguments of `zerohop fleet analyse`.

use std::path::PathBuf;

use clap::Args;
use zerohop_diagnosis::FleetDiagnosis;
use zerohop_report::Form;

use crate::kind::Kind;

/// Arguments of `fleet analyse`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop fleet analyse surveys/               a directory with one survey or text per node
  zerohop fleet analyse mlc/*.txt              output of MLC or STREAM, one file per node
  pdsh -w n[1-9] mlc > all.txt; zerohop fleet analyse all.txt    or one file for all nodes
  zerohop fleet analyse surveys/ --facts nodes.csv
                                               find racks or firmware that explain bad nodes
  zerohop fleet analyse surveys/ --group-by processor,rack
                                               compare only within the same processor and rack
  zerohop fleet analyse --archive              the newest result of each machine in the archive

Exit status:
  0    success, whether or not nodes are bad
  1    with --strict, a node is bad
  2    usage error, or a file cannot be used; the other files are still judged
  3    with --strict, no node is bad, but some could not be judged: too few of a kind, no common
       value, values in two modes, or no result")]
pub(crate) struct FleetAnalyseArguments {
    /// Results, survey directories, directories with one of these per node, or any tool output that `import` reads
    #[arg(value_name = "RESULT", required_unless_present = "archive")]
    pub(crate) results: Vec<PathBuf>,

    /// Use the newest result of each machine in this archive, and earlier results to find since when a node is bad (default
    /// archive: $ZEROHOP_ARCHIVE, or ~/.local/share/zerohop/archive.sqlite)
    #[arg(
        long,
        value_name = "FILE|URL",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with = "results"
    )]
    pub(crate) archive: Option<Option<String>>,

    /// CSV table of facts about the nodes; the first column is the node, as in `node,rack,switch`
    #[arg(long, value_name = "FILE")]
    pub(crate) facts: Option<PathBuf>,

    /// Compare nodes only with nodes that share these facts, separated by commas (default: processors, and configurations
    /// of NUMA nodes, cores and DIMMs that many machines share)
    #[arg(long, value_name = "FACTS", value_delimiter = ',')]
    pub(crate) group_by: Vec<String>,

    /// Exit with 1 if a node is bad, with 3 if some could not be judged
    #[arg(long)]
    pub(crate) strict: bool,

    #[arg(short, long, value_name = "FILE", help = Kind::of::<FleetDiagnosis>().saving())]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<FleetDiagnosis>().parser())]
    pub(crate) format: Option<Form>,
}

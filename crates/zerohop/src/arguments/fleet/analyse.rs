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
  zerohop fleet analyse surveys/               a directory with a survey or a text for each node
  zerohop fleet analyse mlc/*.txt              MLC's or STREAM's output, a file for each node
  pdsh -w n[1-9] mlc > all.txt; zerohop fleet analyse all.txt    or all in one
  zerohop fleet analyse surveys/ --facts nodes.csv     with racks, switches, firmware: what explains the bad ones?
  zerohop fleet analyse surveys/ --group-by processor,rack       what should be alike
  zerohop fleet analyse --archive              the latest result of each machine of the archive, and since when they are bad

Exit status:
  0    done, whatever was found
  1    with --strict, a node is bad
  2    a file is at fault; the others are judged all the same
  3    with --strict, no node is bad, and some could not be judged: too few of a kind, no value in common, values in two modes, or no result")]
pub(crate) struct FleetAnalyseArguments {
    /// Results, directories of surveys, directories that hold one for each node, or the output of other tools, as `import` reads it
    #[arg(value_name = "RESULT", required_unless_present = "archive")]
    pub(crate) results: Vec<PathBuf>,

    /// Take the latest result of each machine of an archive: this one, or without a name ZEROHOP_ARCHIVE, or else
    /// ~/.local/share/zerohop/archive.sqlite. Earlier results say since when a node is bad
    #[arg(
        long,
        value_name = "FILE|URL",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with = "results"
    )]
    pub(crate) archive: Option<Option<String>>,

    /// A table of what you know of the nodes, as CSV: the first column is the node (`node,rack,switch`)
    #[arg(long, value_name = "FILE")]
    pub(crate) facts: Option<PathBuf>,

    /// What nodes that should be alike have in common: facts, separated by commas (default: processors, and nodes, cores and DIMMs
    /// where many differ)
    #[arg(long, value_name = "FACTS", value_delimiter = ',')]
    pub(crate) group_by: Vec<String>,

    /// Exit with 1 if a node is bad, and with 3 if some could not be judged
    #[arg(long)]
    pub(crate) strict: bool,

    /// Save to this file, replacing an earlier one; the extension selects the format: .html, .txt, .json, .csv, .md or .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<FleetDiagnosis>().parser())]
    pub(crate) format: Option<Form>,
}

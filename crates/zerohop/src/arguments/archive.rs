//! Arguments of `zerohop archive`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use zerohop_compare::ComparisonFile;
use zerohop_report::{ArchiveMetrics, ArchivedMachines, ArchivedResults, Form, HistoryReport};
use zerohop_result::Timestamp;

use super::values::moment;
use super::{Destination, ShowingArguments};
use crate::kind::Kind;

/// Arguments of `archive`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop archive add zerohop-results             all results in a folder
  zerohop archive add mlc.txt --of node-07        the output of another tool, of a machine that it does not name
  zerohop survey --archive                        measure, and add the result
  zerohop archive machines                        the machines, and how many results each has
  zerohop archive list node-07 --since 30d
  zerohop archive history node-07                 its headlines over time, and what changed in it
  zerohop archive show 0198f2c1                   one result, by the beginning of its id
  zerohop archive text 0198f2c1 > result.json     its text, for other verbs
  zerohop archive compare node-07                 its last two results
  zerohop archive export -o results               every result as a file
  zerohop archive export --format openmetrics -o /var/lib/node_exporter/zerohop.prom
  zerohop archive prune --before 365d --keep 10
  zerohop --quiet archive verify && echo whole    for a nightly check
  zerohop archive list --archive postgresql://zerohop@db/zerohop")]
pub(crate) struct ArchiveArguments {
    #[command(flatten)]
    pub(crate) location: ArchiveArgument,

    #[command(subcommand)]
    pub(crate) verb: ArchiveVerb,
}

/// Which archive.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ArchiveArgument {
    /// The archive: a file of SQLite, or postgresql://USER@HOST/DATABASE (default: ZEROHOP_ARCHIVE, or else
    /// ~/.local/share/zerohop/archive.sqlite)
    #[arg(long, value_name = "FILE|URL", global = true)]
    pub(crate) archive: Option<String>,
}

/// What to do with an archive.
#[derive(Debug, Subcommand)]
pub(crate) enum ArchiveVerb {
    /// Add results: files, surveys' folders, folders of them, or the output of other tools
    Add {
        /// Files and folders; `-` is standard input
        #[arg(required = true, value_name = "FILE|DIR")]
        files: Vec<PathBuf>,

        /// The machine that they are of; needed for the output of tools that do not name it
        #[arg(long, value_name = "MACHINE")]
        of: Option<String>,
    },
    /// List results, the latest first
    List {
        #[command(flatten)]
        which: WhichResults,

        /// Only the latest N (default: 20)
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
        last: u64,

        /// All of them
        #[arg(long, conflicts_with = "last")]
        all: bool,

        #[command(flatten)]
        destination: Destination,

        /// Output format (default: table)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<ArchivedResults>().parser())]
        format: Option<Form>,
    },
    /// List machines
    Machines {
        #[command(flatten)]
        destination: Destination,

        /// Output format (default: table)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<ArchivedMachines>().parser())]
        format: Option<Form>,
    },
    /// Show a result, as `zerohop show` does
    Show {
        /// The beginning of its id, as `list` shows it
        #[arg(value_name = "ID")]
        id: String,

        #[command(flatten)]
        how: ShowingArguments,
    },
    /// Print the text of a result, as it was added
    Text {
        /// The beginning of its id, as `list` shows it
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Show the values of a machine over time, and what changed in it
    History {
        /// The machine
        #[arg(value_name = "MACHINE")]
        machine: String,

        /// An experiment, and which of its cells: `bandwidth-matrix bandwidth remote lowest` (default: all headlines)
        #[arg(value_name = "QUERY")]
        query: Vec<String>,

        #[command(flatten)]
        destination: Destination,

        /// Output format (default: table)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<HistoryReport<'static>>().parser())]
        format: Option<Form>,
    },
    /// Compare results with the first of them, or the last two of a machine, as `zerohop compare` does
    Compare {
        /// Beginnings of ids, as `list` shows them, or machines, each for its latest result; a machine alone stands for its last two
        #[arg(required = true, value_name = "ID|MACHINE")]
        results: Vec<String>,

        /// Compare nodes that have the same number, even if topology or values say that they are numbered differently
        #[arg(long)]
        by_number: bool,

        #[command(flatten)]
        destination: Destination,

        /// Output format (default: table)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<ComparisonFile>().parser())]
        format: Option<Form>,
    },
    /// Write results into a folder, a file each; or what the latest ones say, as metrics for Prometheus
    Export {
        #[command(flatten)]
        which: WhichResults,

        /// The folder; with --format, a file, which is replaced at once
        #[arg(short, long, value_name = "DIR|FILE", required_unless_present = "format")]
        output: Option<PathBuf>,

        /// Write metrics of the machines instead of results: for node_exporter's textfile collector, say
        #[arg(long, value_name = "FORMAT", conflicts_with = "since", value_parser = Kind::of::<ArchiveMetrics>().parser())]
        format: Option<Form>,
    },
    /// Remove results for good
    Prune {
        #[command(flatten)]
        which: WhichResults,

        /// Those that began before: a date, a time, or an age such as 365d
        #[arg(long, value_name = "TIME", value_parser = moment)]
        before: Option<Timestamp>,

        /// Never the latest N of each machine that count (default: 1)
        #[arg(long, value_name = "N")]
        keep: Option<u64>,

        /// Only those that do not count
        #[arg(long)]
        unusable: bool,

        /// Those whose texts are damaged
        #[arg(long, conflicts_with_all = ["machines", "since", "before", "unusable"])]
        damaged: bool,

        /// Say what would be removed, and remove nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove single results for good
    Remove {
        /// Their ids, as `archive list` shows them
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
    /// Call a machine otherwise from now on
    Rename {
        /// Its name
        #[arg(value_name = "MACHINE")]
        machine: String,

        /// What to call it
        #[arg(value_name = "NAME")]
        name: String,

        /// If another machine has that name, make one machine of both, for good
        #[arg(long)]
        merge: bool,
    },
    /// Read every result, and make the index again
    Verify,
}

/// Some results of an archive.
#[derive(Debug, Clone, Args)]
pub(crate) struct WhichResults {
    /// Those of these machines (default: of all)
    #[arg(value_name = "MACHINE")]
    pub(crate) machines: Vec<String>,

    /// Those that began since: a date, a time, or an age such as 30d
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
}

//! Arguments of `zerohop archive`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use zerohop_compare::ComparisonFile;
use zerohop_report::{ArchiveMetrics, ArchivedMachines, ArchivedResults, Form, HistoryReport};
use zerohop_result::Timestamp;

use super::ShowingArguments;
use super::values::moment;
use crate::kind::Kind;

/// Arguments of `archive`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop archive add zerohop-results             add all results in a directory
  zerohop archive add mlc.txt --of node-07        add the output of a tool without a machine name
  zerohop survey --archive                        measure, and add the result
  zerohop archive machines                        machines, and how many results each has
  zerohop archive list node-07 --since 30d
  zerohop archive history node-07                 values over time, and what changed in the machine
  zerohop archive show 0198f2c1                   one result, by a prefix of its id
  zerohop archive text 0198f2c1 > result.json     the original text, for other verbs
  zerohop archive compare node-07                 the machine's last two results
  zerohop archive export -o results               write every result to a file
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
    /// Archive to use: an SQLite file, or postgresql://USER@HOST/DATABASE (default: $ZEROHOP_ARCHIVE, or
    /// ~/.local/share/zerohop/archive.sqlite)
    #[arg(long, value_name = "FILE|URL", global = true)]
    pub(crate) archive: Option<String>,
}

/// What to do with an archive.
#[derive(Debug, Subcommand)]
pub(crate) enum ArchiveVerb {
    /// Add results, survey directories, or the output of other tools
    Add {
        /// Files and directories to add; `-` is standard input
        #[arg(required = true, value_name = "FILE|DIR")]
        files: Vec<PathBuf>,

        /// Assign the results to this machine, even if the files name another; required if they name none
        #[arg(long, value_name = "MACHINE")]
        of: Option<String>,
    },
    /// List results, newest first
    List {
        #[command(flatten)]
        which: WhichResults,

        /// List only the newest N results
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
        last: u64,

        /// List all results
        #[arg(long, conflicts_with = "last")]
        all: bool,

        #[arg(short, long, value_name = "FILE", help = Kind::of::<ArchivedResults>().saving())]
        output: Option<PathBuf>,

        /// Output format (default: table)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<ArchivedResults>().parser())]
        format: Option<Form>,
    },
    /// List machines
    Machines {
        #[arg(short, long, value_name = "FILE", help = Kind::of::<ArchivedMachines>().saving())]
        output: Option<PathBuf>,

        /// Output format (default: table)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<ArchivedMachines>().parser())]
        format: Option<Form>,
    },
    /// Show a result as `zerohop show` does
    Show {
        /// Prefix of the result's id, as shown by `list`
        #[arg(value_name = "ID")]
        id: String,

        #[command(flatten)]
        how: ShowingArguments,
    },
    /// Print the original text of a result
    Text {
        /// Prefix of the result's id, as shown by `list`
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Show the values of a machine over time, and what changed in it
    History {
        /// Machine to show
        #[arg(value_name = "MACHINE")]
        machine: String,

        /// Experiment and cells to show: `bandwidth-matrix bandwidth remote lowest` (default: all headline values)
        #[arg(value_name = "QUERY")]
        query: Vec<String>,

        #[arg(short, long, value_name = "FILE", help = Kind::of::<HistoryReport<'static>>().saving())]
        output: Option<PathBuf>,

        /// Output format (default: table)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<HistoryReport<'static>>().parser())]
        format: Option<Form>,
    },
    /// Compare results with the first one, or the last two of a machine, as `zerohop compare` does
    Compare {
        /// Prefixes of ids, as shown by `list`, or machines: each is its newest result, or, if it is the only argument, its last two
        #[arg(required = true, value_name = "ID|MACHINE")]
        results: Vec<String>,

        /// Compare nodes by number, even if topology or values show that they are numbered differently
        #[arg(long)]
        by_number: bool,

        #[arg(short, long, value_name = "FILE", help = Kind::of::<ComparisonFile>().saving())]
        output: Option<PathBuf>,

        /// Output format (default: table)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<ComparisonFile>().parser())]
        format: Option<Form>,
    },
    /// Write each result to a file, or write Prometheus metrics of the newest results
    Export {
        #[command(flatten)]
        which: WhichResults,

        /// Directory to write to; with --format, a file, which is replaced atomically
        #[arg(short, long, value_name = "DIR|FILE", required_unless_present = "format")]
        output: Option<PathBuf>,

        /// Write metrics instead of results, for example for node_exporter's textfile collector
        #[arg(long, value_name = "FORMAT", conflicts_with = "since", value_parser = Kind::of::<ArchiveMetrics>().parser())]
        format: Option<Form>,
    },
    /// Permanently remove results that match conditions
    Prune {
        #[command(flatten)]
        which: WhichResults,

        /// Remove results that started before this date, time or age, such as 365d
        #[arg(long, value_name = "TIME", value_parser = moment)]
        before: Option<Timestamp>,

        /// Keep the newest N usable results of each machine (default: 1)
        #[arg(long, value_name = "N")]
        keep: Option<u64>,

        /// Remove only unusable results
        #[arg(long)]
        unusable: bool,

        /// Remove results with a damaged text
        #[arg(long, conflicts_with_all = ["machines", "since", "before", "unusable"])]
        damaged: bool,

        /// Show what would be removed without removing it
        #[arg(long)]
        dry_run: bool,
    },
    /// Permanently remove results by id
    Remove {
        /// Ids of the results, as shown by `list`
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
    /// Rename a machine
    Rename {
        /// Current name
        #[arg(value_name = "MACHINE")]
        machine: String,

        /// New name
        #[arg(value_name = "NAME")]
        name: String,

        /// If another machine has that name, merge both permanently
        #[arg(long)]
        merge: bool,
    },
    /// Read every result, and rebuild the index
    Verify,
}

/// Some results of an archive.
#[derive(Debug, Clone, Args)]
pub(crate) struct WhichResults {
    /// Machines whose results to use (default: all)
    #[arg(value_name = "MACHINE")]
    pub(crate) machines: Vec<String>,

    /// Use results that started since this date, time or age, such as 30d
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
}

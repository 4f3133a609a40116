//! Arguments of `zerohop sweep`.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use zerohop_report::Form;
use zerohop_study::{Dimension, SweepResult};

use super::{FaultArguments, LaunchArguments, SolverArgument};
use crate::completion;
use crate::kind::Kind;

/// Arguments of `sweep`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop sweep quartet --set wire.ht1000.latency=4ns,5.5ns,8ns --experiment latency-matrix
  zerohop sweep sr665-v3 --set links=3,4 --set width=x8,x16 --experiment bandwidth-matrix -o a.csv
                                           every combination; a rerun resumes
  zerohop sweep quartet --set channel.ddr400.efficiency=60%,77% --experiment 'ramp --target 3'
                                           an experiment with its own options
  zerohop sweep quartet --set home.k8.latency=10ns,20ns --experiment hops,latency-matrix
      --measure 'latency-matrix latency remote highest' --measure 'hops time-per-line kernel=read'
                                           with your own choice of measures
  zerohop sweep --file what-if.toml -o what-if.parquet
                                           points and measures from a file: docs/sweep.md
  zerohop sweep --file what-if.toml -o what-if.csv --launcher slurm --partition batch
                                           spread over the nodes of a cluster

Exit status:
  0    every point was computed, or rejected by the machine file
  2    usage error, a machine or a point failed, or all points were rejected;
       completed points are saved
  130  interrupted; completed points are saved, and the same command resumes")]
pub(crate) struct SweepArguments {
    /// Machine to simulate, by name or by file
    #[arg(
        value_name = "MACHINE",
        required_unless_present_any = ["file", "chunk"],
        conflicts_with = "file",
        add = completion::simulated_machines()
    )]
    pub(crate) machine: Option<String>,

    /// Read machine, points, experiments and measures from this file; `zerohop schema sweep` prints its schema
    #[arg(short, long, value_name = "SWEEP", conflicts_with_all = ["set", "experiment", "measure"])]
    pub(crate) file: Option<PathBuf>,

    /// Set an option of the machine, or a value of its file by path, to each of these values; may be repeated
    ///
    /// The sweep computes all combinations; the last option varies fastest. Commas inside brackets or quotation marks
    /// do not separate values.
    #[arg(long, value_name = "NAME=VALUE,…", help_heading = "What to compute")]
    pub(crate) set: Vec<Dimension>,

    /// Experiments to run at each point: names, or one experiment with its options as typed after `zerohop run`; may be
    /// repeated
    #[arg(
        long,
        value_name = "EXPERIMENT,…",
        required_unless_present_any = ["file", "chunk"],
        add = completion::experiment_lists(),
        help_heading = "What to compute"
    )]
    pub(crate) experiment: Vec<String>,

    /// Report this measure of an experiment; may be repeated (default: headline measures of each experiment)
    ///
    /// Give an experiment, a measure and the coordinates of its cells: `stream bandwidth initiator=all kernel=triad`.
    /// Several cells are reduced to their median, or to the `lowest`, `highest` or `sum`. `local`, `same-package` or
    /// `remote` selects by distance. A word with a colon in front names the measure: `far: bandwidth-matrix bandwidth
    /// remote`.
    #[arg(long, value_name = "WORDS", help_heading = "What to compute")]
    pub(crate) measure: Vec<String>,

    #[command(flatten)]
    pub(crate) fault: FaultArguments,

    /// How to solve points: auto (default), flow or event
    ///
    /// `flow` solves the machine as a queueing network by mean-value analysis: averages only, within a few percent of
    /// `event`, which simulates every cache line and takes about a thousand times as long. `auto` uses `flow`, and
    /// `event` for what `flow` cannot compute.
    #[arg(
        long,
        value_enum,
        default_value = "auto",
        hide_possible_values = true,
        hide_default_value = true,
        value_name = "SOLVER",
        help_heading = "What to compute"
    )]
    pub(crate) solver: SolverArgument,

    /// Number of points to compute in parallel (default: one per CPU); does not affect results
    ///
    /// With --launcher, each chunk requests this many CPUs (default: 8, or all of a node with fewer; on this host, 1).
    #[arg(long, value_name = "COUNT", help_heading = "What to compute", value_parser = super::values::count)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Random seed: determines when threads start and where random accesses go (default: 1)
    #[arg(long, value_name = "NUMBER", help_heading = "What to compute", value_parser = super::values::seed)]
    pub(crate) seed: Option<u64>,

    #[arg(short, long, value_name = "FILE", help = saving(), long_help = saving_at_length())]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<SweepResult>().parser())]
    pub(crate) format: Option<Form>,

    /// Distribute the points in chunks over the nodes of a cluster, or over processes on this host
    ///
    /// FILE.chunks holds the chunks until all points are complete. FILE is byte for byte the same as without a launcher.
    #[arg(long, value_enum, requires = "output", help_heading = "Where to compute")]
    pub(crate) launcher: Option<SweepLauncher>,

    /// Number of chunks (default: four for each that can run at once, with at least four points each)
    #[arg(
        long,
        value_name = "COUNT",
        requires = "launcher",
        help_heading = "Where to compute",
        value_parser = super::values::count
    )]
    pub(crate) chunks: Option<NonZeroUsize>,

    #[command(flatten, next_help_heading = "Where to compute")]
    pub(crate) launch: LaunchArguments,

    /// Compute this chunk of a sweep; started by a launcher
    #[arg(
        long,
        hide = true,
        value_name = "K/N",
        requires_all = ["of_journal", "output"],
        conflicts_with_all = ["machine", "file", "set", "experiment", "measure", "faults", "seed", "launcher"]
    )]
    pub(crate) chunk: Option<ChunkArgument>,

    /// Journal of the sweep
    #[arg(long, hide = true, value_name = "FILE", requires = "chunk")]
    pub(crate) of_journal: Option<PathBuf>,
}

/// The help of `-o`.
fn saving() -> String {
    format!(
        "Save the rows to this file; the extension selects the format: {}",
        Kind::of::<SweepResult>().endings()
    )
}

/// The help of `-o`, with how a sweep resumes.
fn saving_at_length() -> String {
    format!(
        "{}\n\nFILE.journal beside it records each point as soon as it is computed. If the sweep ends early for any reason, the same command resumes from the journal; without the journal it starts over.",
        saving()
    )
}

/// Who starts the chunks of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SweepLauncher {
    /// Slurm jobs, or steps in an allocation
    Slurm,
    /// Processes on this host
    Local,
}

/// One of so many chunks, as typed: `7/40`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkArgument {
    /// Its number, from 1.
    number: usize,
    /// How many there are.
    of: NonZeroUsize,
}

impl ChunkArgument {
    pub(crate) fn all(of: NonZeroUsize) -> impl Iterator<Item = Self> {
        (1..=of.get()).map(move |number| Self { number, of })
    }

    /// Its points among those of the sweep. Neighbors cost about the same, so that each chunk takes every so manieth.
    pub(crate) fn points(self, of_sweep: usize) -> impl Iterator<Item = usize> {
        (self.number - 1..of_sweep).step_by(self.of.get())
    }
}

impl fmt::Display for ChunkArgument {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.of)
    }
}

impl FromStr for ChunkArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=NonZeroUsize::get(of)).contains(&number) => Ok(Self { number, of }),
            _ => Err(format!("`{text}` is not a chunk (expected NUMBER/TOTAL, such as `7/40`)")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_point_is_in_one_chunk() {
        for (chunks, points) in [(1, 5), (3, 10), (4, 4), (7, 3)] {
            let all = ChunkArgument::all(NonZeroUsize::new(chunks).unwrap());
            let mut there: Vec<usize> = all.flat_map(|chunk| chunk.points(points)).collect();
            there.sort_unstable();
            assert_eq!(there, (0..points).collect::<Vec<_>>(), "{chunks} {points}");
        }
    }

    #[test]
    fn what_is_no_chunk_is_refused() {
        let chunk: ChunkArgument = "7/40".parse().unwrap();
        assert_eq!(chunk.to_string(), "7/40");
        for text in ["", "7", "0/4", "5/4", "1/0", "a/b", "-1/4"] {
            let error = text.parse::<ChunkArgument>().unwrap_err();
            assert!(error.contains("is not a chunk"), "{text}: {error}");
        }
    }
}

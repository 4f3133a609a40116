//! The arguments of `zerohop import`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use zerohop_importers::Format as ToolFormat;
use zerohop_report::{Form, ImportedResult};
use zerohop_units::Hertz;

use super::{ColumnArguments, StatedMachineArgument};
use crate::kind::Kind;

const EXAMPLES: &str = "\
Examples:
  zerohop import mlc.txt                        show what Intel's Memory Latency Checker measured
  zerohop import mlc.txt -o mlc.json            make a result of it
  zerohop compare mlc.json survey/              compare it with a survey of the same machine
  numactl --hardware | zerohop import -         from standard input
  pdsh -a mlc | zerohop import - -o fleet.json  many hosts: a result for each
  zerohop import --as multichase latencies.txt  where the text does not show which tool wrote it

The formats are recognized, also several in one text, in text pasted from mails, terminals and web pages. What cluster shells \
(pdsh, clush, Ansible, srun --label) collect is a result for each host. Each run of a tool is a result: with several, -o a.json \
writes a.json, a-2.json and so on. Lines that no format understands are listed.
docs/import.md says what is kept of each format.";

/// Turns the output of other tools into results
///
/// The results are like those of `run` and `survey`: all verbs read them, and `compare` compares values that mean the
/// same. They state that they were imported, from which file and from which tool.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ImportArguments {
    /// The files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Read the files as this format, instead of those that are recognized
    #[arg(long = "as", value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) tool: Option<ToolFormat>,

    /// The processor's clock, such as 2.1GHz: for Mess curves in two columns, whose latencies are in cycles
    #[arg(long, value_name = "CLOCK")]
    pub(crate) clock: Option<Hertz>,

    #[command(flatten)]
    pub(crate) machine: StatedMachineArgument,

    /// Take only this run, where the files hold several (from 1)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) run: Option<u32>,

    /// Save the result to this file, replacing an earlier one; the extension selects the format: .html, .json, .csv, .txt, .svg or .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<ImportedResult<'_>>().parser())]
    pub(crate) format: Option<Form>,

    #[command(flatten)]
    pub(crate) columns: ColumnArguments,
}

fn format_parser() -> impl TypedValueParser<Value = ToolFormat> {
    let values = ToolFormat::all().map(|format| PossibleValue::new(format.name()).help(format.words()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<ToolFormat>())
}

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
  zerohop import mlc.txt -o mlc.json            save it as a result
  zerohop compare mlc.json survey/              compare it with a survey of the same machine
  numactl --hardware | zerohop import -         from standard input
  pdsh -a mlc | zerohop import - -o fleet.json  many hosts: a result for each
  zerohop import --as multichase latencies.txt  if the text does not show which tool wrote it

zerohop recognizes the formats, even several in one text, and in text pasted from mails, terminals and web pages. The output of \
cluster shells (pdsh, clush, Ansible, srun --label) gives one result per host. Each run of a tool is one result: with several, \
-o a.json writes a.json, a-2.json and so on. Lines that match no format are listed.
docs/import.md describes what is kept from each format.";

/// Convert the output of other tools to results
///
/// All verbs read these results like those of `run` and `survey`, and `compare` compares values with the same meaning.
/// Each result states that it was imported, from which file and which tool.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ImportArguments {
    /// Files to import; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Read the files as this format instead of recognizing it
    #[arg(long = "as", value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) tool: Option<ToolFormat>,

    /// Processor clock, such as 2.1GHz, for two-column Mess curves, whose latencies are in cycles
    #[arg(long, value_name = "CLOCK")]
    pub(crate) clock: Option<Hertz>,

    #[command(flatten)]
    pub(crate) machine: StatedMachineArgument,

    /// Import only the Nth run, if the files contain several
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) run: Option<u32>,

    #[arg(short, long, value_name = "FILE", help = Kind::of::<ImportedResult<'static>>().saving())]
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

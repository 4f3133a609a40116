//! Arguments of `zerohop diagnose`.

use std::path::PathBuf;

use clap::Args;
use zerohop_report::{DiagnosisReport, Form};

use super::StatedMachineArgument;
use crate::kind::Kind;

/// Arguments of `diagnose`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop survey -o here                      then:
  zerohop diagnose here                       findings of that survey, worst first
  mlc | zerohop diagnose -                    of another tool's output
  zerohop diagnose mlc.txt --all              also the rules that cannot tell, and what they need
  zerohop diagnose here --machine 'EPYC 9354,links=4'   hold it against what the machine should be
  zerohop diagnose here --bios dump.json      and against what firmware was set to
  zerohop diagnose rack/*                     of several machines: each beside the soundest of its kind
  zerohop diagnose here --strict              exit status 1 if there is a fault, 3 if nobody can tell
  zerohop diagnose --rules                    what is looked for

To see what a fault looks like, inject it into a model:
  zerohop survey --on cascade-lake-4s --solver auto --fault link:0-1=x8

Exit status:
  0    done, whatever was found
  1    with --strict, a fault was found
  2    a file is at fault; the others are judged all the same
  3    with --strict, no fault was found, and a measurement is not good enough to tell, or no rule can")]
pub(crate) struct DiagnoseArguments {
    /// Results, directories of surveys, or the output of other tools, as `import` reads it; `-` is standard input
    #[arg(value_name = "RESULT", required_unless_present = "rules")]
    pub(crate) results: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) machine: StatedMachineArgument,

    /// A dump of firmware settings (Redfish JSON, OneCLI, racadm, CSV): are there as many NUMA nodes as it sets?
    #[arg(long, value_name = "DUMP", help_heading = "What to expect")]
    pub(crate) bios: Option<PathBuf>,

    /// List the rules that found nothing too, and those that cannot tell, with what they would need
    #[arg(long)]
    pub(crate) all: bool,

    /// Print what the rules look for
    #[arg(long, conflicts_with_all = ["results", "all", "strict", "name", "bios"])]
    pub(crate) rules: bool,

    /// Exit with 1 if a finding is a fault, with 3 if there may be one that nobody can tell
    #[arg(long)]
    pub(crate) strict: bool,

    /// Save the diagnosis to this file, replacing an earlier one; the extension selects the format: .html, .txt, .json, .csv,
    /// .md or .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<DiagnosisReport<'static>>().parser())]
    pub(crate) format: Option<Form>,
}

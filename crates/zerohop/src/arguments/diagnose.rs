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
  mlc | zerohop diagnose -                    findings in another tool's output
  zerohop diagnose mlc.txt --all              also list rules that cannot tell, and what they need
  zerohop diagnose here --machine 'EPYC 9354,links=4'
                                              compare with the expected values of this machine
  zerohop diagnose here --bios dump.json      compare with firmware settings
  zerohop diagnose rack/*                     compare machines with the healthiest of their kind
  zerohop diagnose here --strict              exit with 1 if there is a fault, 3 if uncertain
  zerohop diagnose --rules                    list the rules

To see what a fault looks like, inject it into a simulated machine:
  zerohop survey --on cascade-lake-4s --solver auto --fault link:0-1=x8

Exit status:
  0    success, with or without findings
  1    with --strict, a fault was found
  2    usage error, or a file cannot be used; the other files are still diagnosed
  3    with --strict, no fault was found, but no rule can tell, or a measurement is poor")]
pub(crate) struct DiagnoseArguments {
    /// Results, survey directories, or any tool output that `import` reads; `-` is standard input
    #[arg(value_name = "RESULT", required_unless_present = "rules")]
    pub(crate) results: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) machine: StatedMachineArgument,

    /// Firmware settings (Redfish JSON, OneCLI, racadm, CSV), to check the number of NUMA nodes against
    #[arg(long, value_name = "DUMP", help_heading = "What to expect")]
    pub(crate) bios: Option<PathBuf>,

    /// Also list rules that found nothing, and rules that cannot tell, with what they need
    #[arg(long)]
    pub(crate) all: bool,

    /// List the rules and what they look for
    #[arg(long, conflicts_with_all = ["results", "all", "strict", "name", "bios"])]
    pub(crate) rules: bool,

    /// Exit with 1 if a finding is a fault, with 3 if that is uncertain
    #[arg(long)]
    pub(crate) strict: bool,

    #[arg(short, long, value_name = "FILE", help = Kind::of::<DiagnosisReport<'static>>().saving())]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<DiagnosisReport<'static>>().parser())]
    pub(crate) format: Option<Form>,
}

//! Arguments of `zerohop doctor`.

use std::path::PathBuf;

use clap::Args;
use zerohop_diagnosis::DoctorReport;
use zerohop_report::Form;

use crate::kind::Kind;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop doctor                              this host
  zerohop doctor --format json                for a script
  zerohop doctor --format markdown            for a ticket
  zerohop --sysfs-root odd.json doctor        a captured machine

doctor changes nothing: the commands that it prints are for you to run.

Exit status:
  0    something can be measured
  2    nothing can be measured")]
pub(crate) struct DoctorArguments {
    #[arg(short, long, value_name = "FILE", help = Kind::of::<DoctorReport>().saving())]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<DoctorReport>().parser())]
    pub(crate) format: Option<Form>,
}

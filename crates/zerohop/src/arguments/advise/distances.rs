//! Arguments of `zerohop advise distances`.

use std::path::PathBuf;

use clap::Args;
use zerohop_diagnosis::MeasuredDistances;
use zerohop_report::Form;

use crate::kind::Kind;

/// Arguments of `advise distances`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop advise distances here                   measured distances beside the firmware's
  zerohop advise distances here -o measured.dsl   an ACPI SLIT, to compile with iasl
  zerohop advise distances here -o node.xml       the machine with measured distances, for hwloc:
                                                  HWLOC_XMLFILE=node.xml HWLOC_THISSYSTEM=1 COMMAND

Exit status:
  0    success, whether or not the firmware is right
  2    the file cannot be used, or holds no latencies")]
pub(crate) struct DistancesArguments {
    /// Result with node-to-node latencies, from `survey`, `run latency-matrix` or `import`
    #[arg(value_name = "RESULT")]
    pub(crate) result: PathBuf,

    #[arg(short, long, value_name = "FILE", help = Kind::of::<MeasuredDistances>().saving())]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<MeasuredDistances>().parser())]
    pub(crate) format: Option<Form>,
}

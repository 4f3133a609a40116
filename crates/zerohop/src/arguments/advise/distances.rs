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
  zerohop advise distances here                       measured distances beside the firmware's, and how to override these
  zerohop advise distances here -o measured.dsl       the table of the firmware (SLIT), as iasl compiles it
  zerohop advise distances here -o node.xml           the machine with measured distances, for programs that use hwloc:
                                                      HWLOC_XMLFILE=node.xml HWLOC_THISSYSTEM=1 COMMAND

Exit status:
  0    done, whether the firmware is right or not
  2    the file is at fault, or nothing was measured")]
pub(crate) struct DistancesArguments {
    /// A result with latencies from node to node: of `survey`, `run latency-matrix` or `import`
    #[arg(value_name = "RESULT")]
    pub(crate) result: PathBuf,

    /// Save to this file, replacing an earlier one; the extension selects the format: .html, .txt, .json, .csv, .xml or .dsl
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<MeasuredDistances>().parser())]
    pub(crate) format: Option<Form>,
}

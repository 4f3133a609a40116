//! Results in the output format of Intel's Memory Latency Checker (MLC 3.9 to 3.11), so that scripts that parse its
//! output can parse ours.
//!
//! The blocks are MLC's, tab for tab; the first line names the writer. It contains no digit: parsers that look for two
//! decimal numbers anywhere would take a version (`0.1.0`) for a latency and a bandwidth. Lines that begin with `***`,
//! which MLC uses for its own remarks, state the origin of the values, and any difference in meaning from MLC's.
//!
//! Sources of the format: outputs that users of MLC published, and the parsers of PerfSpect
//! (<https://github.com/intel/PerfSpect>), SuperBench (<https://github.com/microsoft/superbenchmark>) and DCPerf
//! (<https://github.com/facebookresearch/DCPerf>).

mod core_to_core;
mod form;
mod loaded_latency;
mod matrix;
mod mixes;

use zerohop_machine::Machine;
use zerohop_result::{Catalogue, ExperimentResult, MlcBlock};
use zerohop_workload::Origin;

pub use form::NotMlc;

/// First line of every block. The module's description says what it must not contain.
const FIRST_LINE: &str = "zerohop, output in the form of Intel Memory Latency Checker\n";

/// The block that MLC prints for this experiment's measurement, ended by an empty line.
///
/// # Errors
/// When MLC has no such block, or a value that it must have is missing.
pub(crate) fn block(
    result: &ExperimentResult,
    machine: &Machine,
    origin: &Origin,
    experiments: Catalogue,
) -> Result<String, NotMlc> {
    let no_counterpart = || NotMlc::NoCounterpart {
        experiment: result.experiment.clone(),
        others: experiments.all().filter(|known| known.mlc.is_some()).map(|known| known.name).collect(),
    };
    let known = experiments.get(&result.experiment).and_then(|known| known.mlc);
    let body = match known.ok_or_else(no_counterpart)? {
        MlcBlock::LatencyMatrix => matrix::latencies(result)?,
        MlcBlock::BandwidthMatrix => matrix::bandwidths(result)?,
        MlcBlock::PeakBandwidth => mixes::block(result)?,
        MlcBlock::LoadedLatency => loaded_latency::block(result)?,
        MlcBlock::CacheToCache => core_to_core::block(result, machine)?,
    };
    Ok(format!("{FIRST_LINE}{}{body}\n", origin_line(origin)))
}

/// The origin of the values, as a remark. Parsers could take a dot in a name for a decimal point.
fn origin_line(origin: &Origin) -> String {
    let name = |name: &str| name.replace('.', "_");
    match origin {
        Origin::Host(_) => "*** Measured on this machine\n".to_owned(),
        Origin::Model(model) => {
            format!(
                "*** Computed by a model of {}: nothing of this was measured\n",
                name(&model.machine_file)
            )
        }
        Origin::Imported(imported) => {
            format!("*** Imported from {}, written by {}\n", name(&imported.file), name(&imported.tool))
        }
    }
}

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
mod idle_latency;
mod loaded_latency;
mod matrix;
mod mixes;

use zerohop_machine::{Machine, NodeId};
use zerohop_result::{Catalogue, ExperimentResult, MlcBlock, ResultFile};
use zerohop_workload::Origin;

pub use form::NotMlc;

/// First line of every block. The module's description says what it must not contain.
const FIRST_LINE: &str = "zerohop, output in the form of Intel Memory Latency Checker\n";

/// A measurement of MLC's, and what selects its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MlcOutput {
    /// `--latency_matrix`.
    LatencyMatrix,
    /// `--peak_injection_bandwidth`.
    PeakInjectionBandwidth,
    /// `--max_bandwidth`.
    MaxBandwidth,
    /// `--bandwidth_matrix`.
    BandwidthMatrix,
    /// `--loaded_latency`.
    LoadedLatency {
        /// Whether to print only the heaviest load (`-d0`).
        heaviest: bool,
    },
    /// `--c2c_latency`.
    CacheToCache,
    /// `--idle_latency`.
    IdleLatency {
        /// The node whose memory is read (`-j`); by default, that of the CPU.
        target: Option<NodeId>,
    },
}

impl MlcOutput {
    /// Output of MLC without arguments, in its order.
    pub const ALL: [Self; 5] = [
        Self::LatencyMatrix,
        Self::PeakInjectionBandwidth,
        Self::BandwidthMatrix,
        Self::LoadedLatency { heaviest: false },
        Self::CacheToCache,
    ];

    /// The block that has its values.
    pub const fn block(self) -> MlcBlock {
        match self {
            Self::LatencyMatrix | Self::IdleLatency { .. } => MlcBlock::LatencyMatrix,
            Self::PeakInjectionBandwidth | Self::MaxBandwidth => MlcBlock::PeakBandwidth,
            Self::BandwidthMatrix => MlcBlock::BandwidthMatrix,
            Self::LoadedLatency { .. } => MlcBlock::LoadedLatency,
            Self::CacheToCache => MlcBlock::CacheToCache,
        }
    }

    /// The output for a block.
    const fn of(block: MlcBlock) -> Self {
        match block {
            MlcBlock::LatencyMatrix => Self::LatencyMatrix,
            MlcBlock::BandwidthMatrix => Self::BandwidthMatrix,
            MlcBlock::PeakBandwidth => Self::PeakInjectionBandwidth,
            MlcBlock::LoadedLatency => Self::LoadedLatency { heaviest: false },
            MlcBlock::CacheToCache => Self::CacheToCache,
        }
    }

    fn text(self, result: &ExperimentResult, machine: &Machine) -> Result<String, NotMlc> {
        match self {
            Self::LatencyMatrix => matrix::latencies(result),
            Self::BandwidthMatrix => matrix::bandwidths(result, machine),
            Self::PeakInjectionBandwidth => mixes::peak_injection(result, machine),
            Self::MaxBandwidth => mixes::maximum(result, machine),
            Self::LoadedLatency { heaviest } => loaded_latency::block(result, machine, heaviest),
            Self::CacheToCache => core_to_core::block(result, machine),
            Self::IdleLatency { target } => idle_latency::block(result, target),
        }
    }
}

/// The output that MLC prints for this experiment's measurement, ended by an empty line.
///
/// # Errors
/// When MLC has no such output, or a value that it must have is missing.
pub(crate) fn block(
    file: &ResultFile,
    result: &ExperimentResult,
    experiments: Catalogue,
) -> Result<String, NotMlc> {
    let no_counterpart = || NotMlc::NoCounterpart {
        experiment: result.experiment.clone(),
        others: experiments.all().filter(|known| known.mlc.is_some()).map(|known| known.name).collect(),
    };
    let known = experiments.get(&result.experiment).and_then(|known| known.mlc);
    let body = MlcOutput::of(known.ok_or_else(no_counterpart)?).text(result, &file.machine)?;
    Ok(format!("{FIRST_LINE}{}{body}\n", origin_line(&file.origin)))
}

/// MLC's output for one measurement of a result.
///
/// # Errors
/// If the result lacks it, or a value of it.
pub(crate) fn output(file: &ResultFile, output: MlcOutput, experiments: Catalogue) -> Result<String, NotMlc> {
    let known = experiments.of_block(output.block());
    let result = known.and_then(|known| file.experiments.iter().find(|one| one.experiment == known.name));
    let result = result.ok_or(NotMlc::NotMeasured { experiment: known.map_or("it", |known| known.name) })?;
    let body = output.text(result, &file.machine)?;
    Ok(format!("{FIRST_LINE}{}{body}\n", origin_line(&file.origin)))
}

/// MLC's output without arguments, in its order. A remark names each measurement that the result lacks.
///
/// # Errors
/// If it lacks all of them.
pub(crate) fn everything(file: &ResultFile, experiments: Catalogue) -> Result<String, NotMlc> {
    let mut text = format!("{FIRST_LINE}{}", origin_line(&file.origin));
    let mut refused = Vec::new();
    for one in MlcOutput::ALL {
        match output(file, one, experiments) {
            // Only the first has the head.
            Ok(block) => text.extend(block.split_inclusive('\n').skip(2)),
            Err(error) => {
                text.push_str(&format!("*** Left out: {}\n\n", error.to_string().replace('.', "_")));
                refused.push(error);
            }
        }
    }
    match refused.into_iter().next() {
        Some(error) if !text.contains(form::MEASURING) => Err(error),
        _ => Ok(text),
    }
}

/// The origin of the values, as a remark. Parsers could take a dot in a name for a decimal point.
fn origin_line(origin: &Origin) -> String {
    let name = |name: &str| name.replace('.', "_");
    match origin {
        Origin::Host(_) => "*** Measured on this machine\n".to_owned(),
        Origin::Model(model) => {
            format!("*** Computed by a model of {}: simulated, not measured\n", name(&model.machine_file))
        }
        Origin::Imported(imported) => {
            format!("*** Imported from {}, written by {}\n", name(&imported.file), name(&imported.tool))
        }
    }
}

//! Shared parts of the blocks: fixed lines, and reasons why there is no block.

use std::collections::BTreeSet;

use zerohop_machine::{Machine, NodeId};
use zerohop_result::{Axis, Cell, ExperimentName, ExperimentResult};

/// Reason why a result has no block in MLC's output.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotMlc {
    /// MLC has no such measurement.
    #[error("{experiment} has no counterpart in Intel's Memory Latency Checker")]
    NoCounterpart {
        experiment: ExperimentName,
        /// Experiments that have a block.
        others: Vec<&'static str>,
    },
    /// A value that the block must have is missing.
    #[error(
        "{experiment} lacks {missing}, which the output format of Intel's Memory Latency Checker requires"
    )]
    Missing {
        experiment: ExperimentName,
        /// The missing value, in words.
        missing: String,
    },
    /// The result does not have the measurement.
    #[error("the result has no {experiment}")]
    NotMeasured { experiment: &'static str },
}

impl NotMlc {
    /// Hint for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::NoCounterpart { others, .. } => format!("{} have one", others.join(", ")),
            Self::NotMeasured { experiment } => format!("`zerohop run {experiment}` measures it"),
            Self::Missing { .. } => {
                "run the complete experiment, without restrictions; `--format json` prints the available values"
                    .to_owned()
            }
        }
    }
}

/// Start of every measurement of MLC.
pub(super) const MEASURING: &str = "\nMeasuring ";

/// Whether workers ran on every thread of their cores, in MLC's words.
pub(super) fn threads(result: &ExperimentResult, machine: &Machine) -> &'static str {
    let on_siblings = |cell: &Cell| {
        let node = cell.at.number(Axis::Initiator).and_then(|node| u32::try_from(node).ok()).map(NodeId);
        let pus = machine.pus.iter().filter(|pu| node.is_none_or(|node| pu.node == node));
        let cores: BTreeSet<_> = pus.map(|pu| (pu.package, pu.core)).collect();
        cell.evidence.workers as usize > cores.len()
    };
    match result.cells.iter().any(on_siblings) {
        true => "Using all the threads from each core if Hyper-threading is enabled\n",
        false => "Using only one thread from each core if Hyper-threading is enabled\n",
    }
}

/// The unit of bandwidths, in MLC's words.
pub(super) const MEGABYTES: &str = "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n";

/// Error that a required value of the block is missing.
pub(super) fn missing(result: &ExperimentResult, what: impl Into<String>) -> NotMlc {
    NotMlc::Missing { experiment: result.experiment.clone(), missing: what.into() }
}

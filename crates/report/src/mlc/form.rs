//! What the blocks share: fixed lines, and why there is no block.

use zerohop_result::{ExperimentName, ExperimentResult};

/// Why a result has no block in MLC's output.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotMlc {
    /// MLC has no such measurement.
    #[error("{experiment} has no counterpart in the output of Intel's Memory Latency Checker")]
    NoCounterpart {
        /// The experiment.
        experiment: ExperimentName,
        /// Those that have one.
        others: Vec<&'static str>,
    },
    /// A value that the block must have is missing.
    #[error("{experiment} lacks {missing}, which the output of Intel's Memory Latency Checker must have")]
    Missing {
        /// The experiment.
        experiment: ExperimentName,
        /// The missing value, in words.
        missing: String,
    },
}

impl NotMlc {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoCounterpart { others, .. } => format!("{} have one", others.join(", ")),
            Self::Missing { .. } => {
                "run the experiment to its end, without restrictions; `--format json` prints the values that it has"
                    .to_owned()
            }
        }
    }
}

/// The default of zerohop: one worker per core.
pub(super) const ONE_THREAD_A_CORE: &str =
    "Using only one thread from each core if Hyper-threading is enabled\n";

/// The unit of bandwidths, in MLC's words.
pub(super) const MEGABYTES: &str = "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n";

/// That a value which the block must have is missing.
pub(super) fn missing(result: &ExperimentResult, what: impl Into<String>) -> NotMlc {
    NotMlc::Missing { experiment: result.experiment.clone(), missing: what.into() }
}

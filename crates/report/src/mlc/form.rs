//! What the blocks share: fixed lines, and why there is no block.

use zerohop_result::{ExperimentName, ExperimentResult};

/// Why a result has no block in MLC's output.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotMlc {
    /// MLC measures no such thing.
    #[error("{experiment} has no counterpart in the output of Intel's Memory Latency Checker")]
    NoCounterpart {
        /// The experiment.
        experiment: ExperimentName,
        /// Those that have one.
        others: Vec<&'static str>,
    },
    /// A number that the block must have is not there.
    #[error("{experiment} lacks {missing}, which the output of Intel's Memory Latency Checker must have")]
    Missing {
        /// The experiment.
        experiment: ExperimentName,
        /// What is not there, in words.
        missing: String,
    },
}

impl NotMlc {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoCounterpart { others, .. } => format!("{} have one", others.join(", ")),
            Self::Missing { .. } => {
                "run the experiment to its end, without restrictions; `--format json` has what there is"
                    .to_owned()
            }
        }
    }
}

/// What zerohop does by default: one worker a core.
pub(super) const ONE_THREAD_A_CORE: &str =
    "Using only one thread from each core if Hyper-threading is enabled\n";

/// The unit of bandwidths, in MLC's words.
pub(super) const MEGABYTES: &str = "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n";

/// That a value which the block must have is missing.
pub(super) fn missing(result: &ExperimentResult, what: impl Into<String>) -> NotMlc {
    NotMlc::Missing { experiment: result.experiment.clone(), missing: what.into() }
}

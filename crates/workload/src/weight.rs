//! Severity of a warning for a value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Warning;

/// Severity of a warning for the value that carries it, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// The value is valid; the warning is informational.
    Note,
    /// The value is uncertain, and its interval shows the uncertainty.
    Width,
    /// The value may be wrong by more than its interval: something other than the requested quantity was measured.
    Doubt,
}

impl Warning {
    /// Severity of the warning for the value that carries it.
    pub fn weight(&self) -> Weight {
        match self {
            // The CPU was taken away.
            Self::CpuTaken { .. } | Self::RarelyTogether { .. } => Weight::Doubt,
            Self::QuotaShort { .. } | Self::Stolen { .. } => Weight::Doubt,
            // The machine was another one in between.
            Self::CpusMoved { .. } => Weight::Doubt,
            // Pages may be elsewhere.
            Self::PagesMisplaced { .. } | Self::PlacementUnproven { .. } | Self::PlacementNotBound { .. } => {
                Weight::Doubt
            }
            // The CPU may be elsewhere.
            Self::CpuElsewhere { .. } => Weight::Doubt,
            // The data may not have left the cache.
            Self::BufferNearCache { .. } | Self::CachesUnknown { .. } => Weight::Doubt,
            // Clocks are not trusted: the core's, or the one that measures.
            Self::Throttled {} | Self::ClockDrift { .. } | Self::ClockCoarse { .. } => Weight::Doubt,
            // The load or the state was not the one that the value is about.
            Self::DemandNotReached { .. } | Self::NotSteady {} => Weight::Doubt,
            // The tool that was imported went wrong, or its output was damaged.
            Self::Implausible { .. } => Weight::Doubt,
            Self::Unknown(_) => Weight::Doubt,
            // One sample has no interval: nothing shows how far it is from the next one.
            Self::SamplesFew { confidence, .. } if *confidence <= 0.0 => Weight::Doubt,
            Self::IntervalWide { .. }
            | Self::SpreadWide { .. }
            | Self::SamplesFew { .. }
            | Self::TwoPeaks { .. } => Weight::Width,
            Self::HugePagesMissing { .. }
            | Self::SamplesDisturbed { .. }
            | Self::PlacedSeveralWays { .. }
            | Self::LatencyRaised { .. }
            | Self::CpuLost { .. }
            | Self::NodeSkipped { .. }
            | Self::CpusSkipped { .. }
            | Self::CpusIsolated { .. }
            | Self::NodesFake {}
            | Self::CacheSmaller { .. }
            | Self::CasesSkipped { .. }
            | Self::BudgetShort { .. }
            | Self::ExperimentSkipped { .. }
            | Self::SimulatedInstead { .. }
            | Self::Attributed { .. }
            | Self::NotImported { .. }
            | Self::ToolWarned { .. } => Weight::Note,
        }
    }

    /// The worst that these warnings mean; `None` without any.
    pub fn worst_weight<'a>(warnings: impl IntoIterator<Item = &'a Self>) -> Option<Weight> {
        warnings.into_iter().map(Self::weight).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_interval_is_no_reason_to_doubt_a_value() {
        let wide = Warning::IntervalWide { asked: 0.01, reached: 0.2 };
        let taken = Warning::CpuTaken { share: 0.5 };
        assert_eq!(Warning::worst_weight([&wide]), Some(Weight::Width));
        assert_eq!(Warning::worst_weight([&wide, &taken, &wide]), Some(Weight::Doubt));
        assert_eq!(Warning::worst_weight([]), None);
    }

    /// A run whose budget allowed one sample of a cell passed for exact, and `compare` took any other run for a change.
    #[test]
    fn a_single_sample_is_doubted_and_a_few_are_not() {
        let few = |samples, confidence| Warning::SamplesFew { samples, confidence }.weight();
        assert_eq!((few(1, 0.0), few(2, 0.5)), (Weight::Doubt, Weight::Width));
    }
}

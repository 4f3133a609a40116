//! Rounds of one cell joined into batches: how far these are spread, and how much neighbors have in common.

use crate::location::median_of_sorted;
use crate::{ascending, mean_and_deviation, quantile};

/// The most batches. More rounds than this are joined with their neighbors, in order: what lasts for two rounds would
/// otherwise count as two independent observations.
const MOST_BATCHES: usize = 8;

/// The strongest correlation that batches are trusted to show.
const MOST_CORRELATED: f64 = 0.7;

/// A variance, and its degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub variance: f64,
    /// Its degrees of freedom.
    pub degrees: f64,
}

/// The rounds of a cell in batches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Batches {
    pub(crate) center: f64,
    /// Their spread, those beyond Tukey's outer fences moved to the fences.
    pub(crate) spread: Spread,
    pub(crate) count: usize,
    /// Their correlation with their neighbors, as it comes out of them, without a correction for bias; `None` if all are equal.
    pub(crate) correlated: Option<f64>,
}

impl Batches {
    /// The batches of rounds in the order taken; `None` for fewer than two.
    pub(crate) fn of(rounds: &[f64]) -> Option<Self> {
        let batches = batches(rounds);
        let degrees = batches.len().checked_sub(2)? + 1;
        let center = median_of_sorted(&ascending(&batches))?;
        let fenced = fenced(&batches);
        let (mean, deviation) = mean_and_deviation(&fenced);
        let spread = Spread { variance: deviation.powi(2), degrees: degrees as f64 };
        Some(Self { center, spread, count: batches.len(), correlated: correlated(&fenced, mean) })
    }

    /// Their correlation with their neighbors by themselves.
    pub(crate) fn correlation(&self) -> f64 {
        self.correlated.map_or(0.0, |raw| unbiased(self.count as f64, raw))
    }
}

/// Medians of at most [`MOST_BATCHES`] groups of neighbors, of sizes that differ by one at most.
fn batches(rounds: &[f64]) -> Vec<f64> {
    let count = rounds.len().min(MOST_BATCHES);
    let start = |batch: usize| batch * rounds.len() / count;
    let groups = (0..count).map(|batch| &rounds[start(batch)..start(batch + 1)]);
    groups.filter_map(|group| median_of_sorted(&ascending(group))).collect()
}

/// The batches, those beyond Tukey's outer fences moved to the fences: a burst shows, but does not decide alone.
fn fenced(batches: &[f64]) -> Vec<f64> {
    let sorted = ascending(batches);
    let (Some(lower), Some(upper)) = (quantile(&sorted, 0.25), quantile(&sorted, 0.75)) else {
        return batches.to_vec();
    };
    let reach = 3.0 * (upper - lower);
    batches.iter().map(|batch| batch.clamp(lower - reach, upper + reach)).collect()
}

/// The correlation of neighbors, as it comes out of them.
fn correlated(batches: &[f64], mean: f64) -> Option<f64> {
    let squares: f64 = batches.iter().map(|batch| (batch - mean).powi(2)).sum();
    let products: f64 = batches.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    (squares > 0.0).then(|| products / squares)
}

/// A correlation of neighbors, at least zero. Its estimate r from n values is too low by about (1 + 3 r) / n (M. G. Kendall, "Note on
/// bias in the estimation of autocorrelation", *Biometrika* 41, 1954).
pub(crate) fn unbiased(count: f64, raw: f64) -> f64 {
    ((count * raw + 1.0) / (count - 3.0).max(1.0)).clamp(0.0, MOST_CORRELATED)
}

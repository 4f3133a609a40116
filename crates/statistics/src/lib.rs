//! What every judgement of numbers rests on: medians and quantiles, intervals, outliers and peaks, Student's t distribution, and what
//! the cells of a run tell of each other's scatter.
//!
//! Times and rates of a shared machine are skewed to the slow side, so the center is always the median. Its interval comes from
//! rounds where a machine may drift ([`Rounds`]), whose variance is moderated by that of other cells ([`Scatter`]). A simulation
//! is replicated; its estimate is the mean of its replications ([`Mean`]). Where there is neither, the interval lies between two
//! order statistics ([`median_interval`]), which is valid for any distribution.
//!
//! Values are plain numbers here: what they mean, and their unit, is their caller's.

#![forbid(unsafe_code)]

mod association;
mod batches;
#[cfg(test)]
mod chance;
mod change_points;
mod false_discovery_rate;
mod gamma;
mod interval;
mod local_level;
mod location;
mod moderation;
mod outliers;
mod peaks;
mod replications;
mod robust_model;
mod rounds;
mod student;
mod tail;

pub use association::Marked;
pub use batches::{Batches, Spread};
pub use change_points::{FEWEST, Observation, SHORTEST, Step, Steps, steps};
pub use false_discovery_rate::discoveries;
pub use interval::{MedianInterval, median_interval};
pub use location::{ascending, mean_and_deviation, median, quantile};
pub use moderation::Scatter;
pub use outliers::count_outliers;
pub use peaks::two_peaks;
pub use replications::{Mean, Parts, REPLICATIONS, disagree, drift};
pub use robust_model::{Crowd, Prior};
pub use rounds::{RoundEstimate, Rounds};
pub use student::{one_sided_share, two_sided, two_sided_quantile};
pub use tail::Tail;

/// Confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;

//! Parameters of a machine's model, fitted to what was measured on the machine.
//!
//! A machine file has many parameters, and a survey shows few of them. So only a handful is fitted, each as a factor on what the file
//! says, in an order in which each is seen by values that the next ones hardly touch: idle latencies, then the bandwidths of channels and
//! links, then mixes of reads and writes, then latency under load. Half of the values are held out first, which shows what the fitted
//! model may be trusted for; then it is fitted to all.

#![forbid(unsafe_code)]

mod calibrate;
mod fitting;
mod model;
mod outlier;
mod parameter_group;
mod report;
mod stage;
mod symmetric_cells;
mod target;
mod uncertainty;

pub use calibrate::{CalibrateError, Calibration, calibrate, predict_held_out};
pub use report::HeldOut;

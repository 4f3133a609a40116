//! Named experiments: each expands to workloads, runs them on any [`Engine`](zerohop_workload::Engine), and reduces
//! what comes back to estimates with confidence intervals.

#![forbid(unsafe_code)]

mod event;
mod result;

pub use event::{Event, Observer};
pub use result::{
    Axis, Cell, Completion, Coordinate, Coordinates, Estimate, Evidence, ExperimentName, ExperimentResult,
    Measure, ResultFile, SCHEMA_VERSION, Settings,
};

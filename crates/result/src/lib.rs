//! What came out of an experiment: cells with coordinates, each a measure's estimate with its evidence, in files that say what made
//! them.
//!
//! Plans make results; comparing, judging, drawing and storing read them and need nothing else.

#![forbid(unsafe_code)]

mod choice;
mod coordinates;
mod descriptor;
mod experiment_name;
mod file;
mod headline;
mod layout;
mod part;

pub use choice::Choice;
pub use coordinates::{Axis, Coordinate, Coordinates};
pub use descriptor::{Catalogue, Descriptor, MlcBlock, Remark, Survey};
pub use experiment_name::{ExperimentName, ParseExperimentNameError};
pub use file::{
    Cell, Completion, Estimate, Evidence, ExperimentResult, ResultFile, SCHEMA_VERSION, Settings,
};
pub use headline::{By, Glance, Headline, Of, Over};
pub use layout::{Columns, Drawing, Layout, Print, Purpose, Ranking, When};
pub use zerohop_workload::{Aspect, Dimension, Measure, UnknownName};

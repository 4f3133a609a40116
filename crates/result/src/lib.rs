//! Results of experiments: cells with coordinates, each an estimate of a measure with its evidence, in files that state their
//! origin.
//!
//! Plans produce results. Code that compares, judges, draws or stores them needs nothing else.

#![forbid(unsafe_code)]

mod archive_listing;
mod cell;
mod cells;
mod certainty;
mod choice;
mod component;
mod coordinates;
mod descriptor;
mod experiment_name;
mod file;
mod headline;
mod index_entry;
mod later_version;
mod layout;
pub mod page_data;
mod plausible;
mod quality;
mod query;
mod read;
mod run;
mod sanitized_text;
mod secret;
mod timestamp;
mod unknown_fields;
mod wall_time;

pub use archive_listing::{ClockRemark, Course, HistoricRun, History, ListedMachine, ListedResult};
pub use cell::{Cell, Estimate, Evidence, Placing, RoundSpread, State};
pub use cells::{Cells, SameCell};
pub use certainty::Certain;
pub use choice::Choice;
pub use coordinates::{Axis, Coordinate, Coordinates};
pub use descriptor::{Catalogue, Descriptor, MlcBlock, Remark, Survey, Topic};
pub use experiment_name::{ExperimentName, ParseExperimentNameError};
pub use file::{Completion, ExperimentResult, MeasuringSettings, ResultFile, SCHEMA_VERSION};
pub use headline::{By, Glance, Headline, Of};
pub use index_entry::{
    IndexedMachine, IndexedResult, IndexedValue, MachineKey, Reading, Role, Series, Trait,
};
pub use layout::{Columns, Drawing, Layout, Print, Purpose, Ranking, When};
pub use plausible::PlausibleTimes;
pub use quality::{Grade, Quality, Resolution};
pub use query::{NoValue, Over, ParseQueryError, Query, Relation, Value, Wanted};
pub use read::ReadError;
pub use run::{HashedMachineId, HostIdentity, Run, RunId};
pub use sanitized_text::{
    LONGEST_NAME, LONGEST_WORDS, MachineNameError, escaped_character, is_obeyed, machine_name, plain_name,
    plain_text,
};
pub use secret::{may_hold_secret, shown_name};
pub use timestamp::{ParseTimestampError, Timestamp};
pub use unknown_fields::UnknownField;
pub use zerohop_workload::{
    Aspect, Dimension, Measure, Origin, SolverName, SystemNoise, UnknownName, Warning, Weight,
};

//! Named experiments: each expands to workloads, runs them on any [`Engine`](zerohop_workload::Engine), and reduces
//! their samples to estimates with confidence intervals.
//!
//! ```text
//! Options + Machine ── Scope ──> plans::… ──> Plan ── runner ──> sampler ──> Samples ── reduce ──> Cell
//! ```
//!
//! A plan is data: workloads with the coordinates of the cells that they fill. Everything that is hard to get right when
//! measuring (how many samples, which to repeat, when to stop, what to warn about) is written once, behind the plan. That
//! code does not know which experiment it runs, nor whether the engine is a host or a model.

#![forbid(unsafe_code)]

mod budget;
mod budget_admission;
mod caches_in_front;
pub mod campaign;
mod cell_accumulator;
mod chaser;
mod choices;
mod claimed_cache;
mod component_cells;
mod derived_cells;
mod disturbance;
mod error;
mod event;
mod executor;
mod experiment;
mod footprint;
mod interleaving;
mod interval;
mod kernel_workers;
mod null_observer;
mod options;
mod pilot;
mod plan;
mod planning;
mod plans;
mod protocol;
mod recording;
mod reduce;
mod replicas;
mod replications;
mod requested_cells;
mod rounds;
mod runner;
mod sampler;
mod scope;
mod settings;
mod shared_scatter;
mod shared_simulations;
mod shuffle;
mod summary;
mod survey;
mod taken_sample;
mod traffic;
mod vcpu_placement;
mod visit_limits;

pub use choices::{
    Background, Case, CaseChoice, Cases, ForegroundThread, LoadPlace, Scenario, Subscription, ThreadMode,
};
pub use error::ExperimentError;
pub use event::{Event, Meter, Observer, Uncounted};
pub use executor::{Executor, Sequential, parallel_map};
pub use null_observer::NullObserver;
pub use options::{Effort, Options};
pub use plans::catalogue;
pub use survey::{run, survey};

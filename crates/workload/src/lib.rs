//! Workloads: the CPU and the memory of each worker, its access pattern and its rate; the [`Engine`] that runs them, on a real host or in a model;
//! and the [`Sample`]s that it returns.
//!
//! ```text
//! Workload ── Engine::prepare ──> Prepared ── Prepared::sample ──> Sample, Sample, Sample …
//! ```

#![forbid(unsafe_code)]

mod distribution;
mod engine;
mod inside;
mod instruction_set;
mod kernel;
mod kernel_form;
mod measure;
mod meters;
mod origin;
mod remedy;
mod run;
mod scripted;
mod stop;
mod time_spent;
mod unknown_name;
mod warning;
mod weight;
mod workload;

pub use distribution::{Distribution, HISTOGRAM_NS};
pub use engine::{Engine, EngineDescription, EngineError, OptionNames, Prepared};
pub use inside::{Carries, Inside, Observation, Part, Stage};
pub use instruction_set::InstructionSet;
pub use kernel::{Kernel, KernelForms, Traffic};
pub use kernel_form::ChosenForm;
pub use measure::{Aspect, Dimension, Measure};
pub use meters::Meters;
pub use origin::{HostOrigin, ImportedOrigin, ModelOrigin, Origin, SolverName};
pub use run::{Backing, Noise, Progress, Sample, StepTimes, SystemNoise, WorkerSample};
pub use scripted::{Script, ScriptedEngine};
pub use stop::StopFlag;
pub use time_spent::TimeSpent;
pub use unknown_name::{UnknownName, open_schema};
pub use warning::{UnknownWarning, Warning};
pub use weight::Weight;
pub use workload::{Access, Activity, Demand, LineState, Pages, Passing, Placement, Role, Worker, Workload};

//! Where the threads and the memory of a program belong.
//!
//! ```text
//! Program ── search ──> Candidates ── Evaluator (model or survey) ──> Outcomes ── rules ──> PlacementAdvice, with lines to paste
//! ```
//!
//! A ground computes the rate or the latency of a candidate: a model by its two solvers, a survey from its matrices. The search
//! asks the fast one for many candidates; those that matter are confirmed by the exact one. Everything is a pure function of its
//! arguments.

mod advice;
mod advise;
mod cache_resident;
mod candidate;
mod ceiling;
mod confirmation;
mod cpus;
mod data_place;
mod error;
mod evaluator;
mod figure;
mod lines;
mod model;
mod names;
mod nearest_memory;
mod program;
mod reasons;
mod rules;
mod search;
mod serving;
mod shapes;
mod survey;

pub use advice::{Alternative, Margin, PLACEMENT_VERSION, PlacementAdvice, Reason};
pub use advise::{Source, advise};
pub use candidate::{Candidate, Memory};
pub use ceiling::{CEILING_VERSION, Ceiling, CeilingRow, RampPoint, ceiling};
pub use data_place::DataPlace;
pub use error::AdviceError;
pub use evaluator::{Evaluator, Outcome};
pub use figure::Figure;
pub use lines::{Kind, Line, Tool};
pub use model::{EventEvaluator, FlowEvaluator};
pub use program::{Background, DataUse, Program, Sensitivity, mix_name, parse_background, parse_mix};
pub use search::{Found, search};
pub use survey::SurveyEvaluator;

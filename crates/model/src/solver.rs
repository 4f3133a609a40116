//! The solvers of a model, by name.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use zerohop_machine_file::Hardware;
use zerohop_workload::{Engine, StopFlag};

use crate::faulty::FaultyEngine;
use crate::{AutoEngine, FlowEngine, ModelEngine, Solved};

/// How a model computes what workloads do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Solver {
    #[default]
    Event,
    /// By mean-value analysis of a network of queues.
    Flow,
    /// By mean-value analysis where it applies, and line by line elsewhere.
    Auto,
}

impl Solver {
    /// Its name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Flow => "flow",
            Self::Auto => "auto",
        }
    }

    /// The solver of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Event, Self::Flow, Self::Auto].into_iter().find(|solver| solver.name() == name)
    }

    /// An engine with this solver. `seed` decides everything that is random; the engine ends whatever it is doing
    /// once `stop` is raised. Mean-value analysis solves nothing again that is `solved`. Faults that the machine names and that are not
    /// in its hardware are in what the engine reports.
    pub fn engine(
        self,
        hardware: Arc<Hardware>,
        seed: u64,
        solved: &Solved,
        stop: &StopFlag,
    ) -> Box<dyn Engine + Send> {
        let (solved, stop) = (solved.clone(), stop.clone());
        FaultyEngine::around(match self {
            Self::Event => Box::new(ModelEngine::new(hardware, seed).stopped_by(stop)),
            Self::Flow => Box::new(FlowEngine::new(hardware).sharing(solved).stopped_by(stop)),
            Self::Auto => Box::new(AutoEngine::new(hardware, seed).sharing(solved).stopped_by(stop)),
        })
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

//! What can make a workload happen: a real host, or a model of a machine.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{Machine, NodeId, PuId};
use zerohop_units::Bytes;

use crate::{Backing, InstructionSet, Origin, Sample, Warning, Workload};

/// Makes workloads happen on one machine.
pub trait Engine {
    /// Where its numbers come from.
    fn origin(&self) -> Origin;

    /// What it is, for the result file.
    fn description(&self) -> EngineDescription;

    /// The machine it runs on.
    fn machine(&self) -> &Machine;

    /// Instruction sets it has kernels for, widest first.
    fn instruction_sets(&self) -> Vec<InstructionSet>;

    /// Memory that a buffer on this node may take now.
    fn free_memory(&self, node: NodeId) -> Bytes;

    /// Puts buffers and workers in place, and reads back where they are.
    ///
    /// # Errors
    /// When the workload cannot be done here; nothing of it is left behind.
    fn prepare(&mut self, workload: &Workload) -> Result<Box<dyn Prepared + '_>, EngineError>;

    /// Another engine for the same machine, if workloads on both at the same time do not disturb each other and take no
    /// real time into account: a model's. A workload's samples are then the same on each of them, whatever ran before.
    /// `None` for an engine whose machine is there only once.
    fn replica(&self) -> Option<Box<dyn Engine + Send>> {
        None
    }
}

/// A workload in place, ready to be sampled again and again.
pub trait Prepared {
    /// Where each worker's buffer lies, in the order of the workload's workers.
    fn backing(&self) -> &[Backing];

    /// What the engine has to say of the set-up.
    fn warnings(&self) -> &[Warning];

    /// How long a sample should be, where the engine knows better than whoever asks.
    fn window(&self) -> Option<Duration> {
        None
    }

    /// Whether every sample is the same, so that one says all.
    fn repeats_itself(&self) -> bool {
        false
    }

    /// Runs all workers together for about `window`.
    ///
    /// # Errors
    /// When a worker could not run, or the run was interrupted.
    fn sample(&mut self, window: Duration) -> Result<Sample, EngineError>;
}

/// What an engine is, for the result file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EngineDescription {
    /// The kind of its origin: `host`, `model`, …
    pub kind: String,
    /// Its clock.
    pub clock: String,
    /// Its kernels, widest first.
    pub instruction_sets: Vec<InstructionSet>,
    /// How a model is computed: `event` (line by line), `flow` (mean-value analysis of a network of queues), `auto` (`flow`, and
    /// `event` where that refuses).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
}

impl EngineDescription {
    /// An engine whose numbers come from `origin`.
    pub fn new(origin: &Origin, clock: impl Into<String>, instruction_sets: Vec<InstructionSet>) -> Self {
        let solver = origin.as_model().map(|model| model.solver.name().to_owned());
        Self { kind: origin.kind().to_owned(), clock: clock.into(), instruction_sets, solver }
    }
}

/// Why a workload could not be done.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// The machine has no such PU, or this process may not run there.
    #[error("cannot run on CPU {pu}: {reason}")]
    NoSuchPu {
        /// Which.
        pu: PuId,
        /// Why not.
        reason: String,
    },
    /// The buffer does not fit.
    #[error("cannot take {wanted} of memory on {place}: {reason}")]
    NoMemory {
        /// What was wanted.
        wanted: Bytes,
        /// Where.
        place: String,
        /// Why not.
        reason: String,
    },
    /// The engine has no way of doing that.
    #[error("{what} is not possible here: {reason}")]
    Unsupported {
        /// What was asked for.
        what: String,
        /// Why it is not possible.
        reason: String,
    },
    /// It would have to be simulated line by line.
    #[error("means cannot tell this: {reason}")]
    NotFromMeans {
        /// Why not.
        reason: String,
    },
    /// A system call failed where none should.
    #[error("{call} failed: {reason}")]
    System {
        /// Which.
        call: &'static str,
        /// What the kernel said.
        reason: String,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl EngineError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoSuchPu { .. } => Some("`zerohop machine show [MACHINE]` lists the CPUs that can be used"),
            Self::NoMemory { .. } => Some("use a smaller --buffer, other --nodes, or other --pages"),
            Self::NotFromMeans { .. } => {
                Some("use --solver event, or auto, which simulates line by line where it is needed")
            }
            Self::Unsupported { .. } | Self::System { .. } | Self::Interrupted => None,
        }
    }
}

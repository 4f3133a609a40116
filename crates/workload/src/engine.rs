//! An engine runs a workload: on a real host, or in a model of a machine.

use std::borrow::Cow;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{Machine, NodeId, PuId};
use zerohop_units::Bytes;

use crate::{Backing, ChosenForm, InstructionSet, KernelForms, Origin, Sample, TimeSpent, Warning, Workload};

/// Runs workloads on one machine.
pub trait Engine {
    /// Where its results come from.
    fn origin(&self) -> Origin;

    /// What it is, for the result file.
    fn description(&self) -> EngineDescription;

    /// The machine it runs on.
    fn machine(&self) -> &Machine;

    /// Instruction sets it has kernels for, widest first.
    fn instruction_sets(&self) -> Vec<InstructionSet>;

    /// Memory that is free for a buffer on this node.
    fn free_memory(&self, node: NodeId) -> Bytes;

    /// How that amount comes about, in words, where the engine knows: what is free there, and what limits its use.
    fn why_so_much_memory(&self, node: NodeId) -> Option<String> {
        let _ = node;
        None
    }

    /// Its caller has this much time from now on. What cannot be prepared until then ends with [`EngineError::OutOfTime`], and no attempt
    /// is repeated after it. An engine whose work takes no real time has nothing to do.
    fn must_end_within(&mut self, time: Duration) {
        let _ = time;
    }

    /// What its time went into so far, where it keeps account of that; the whole is left to its caller.
    fn time_spent(&self) -> Option<TimeSpent> {
        None
    }

    /// The forms of kernels' code that it chose so far.
    fn chosen_forms(&self) -> Vec<ChosenForm> {
        Vec::new()
    }

    /// Places buffers and workers, and reads back where they are.
    ///
    /// # Errors
    /// When this engine cannot run the workload. Nothing of it is left behind.
    fn prepare(&mut self, workload: &Workload) -> Result<Box<dyn Prepared + '_>, EngineError>;

    /// Lets workloads that are prepared from now on start as in this replication, that is otherwise than in any other: with
    /// another seed where something is drawn at random. Replication 0 is what an engine prepares that was never asked. A caller
    /// asks for more only where replication 0 does not repeat itself.
    fn replicate(&mut self, replication: u32) {
        let _ = replication;
    }

    /// Another engine for the same machine, if both can run workloads concurrently without disturbing each other and
    /// neither depends on real time, as in a model. A workload's samples are then the same on each replica, whatever ran
    /// before. `None` for an engine that measures real hardware.
    fn replica(&self) -> Option<Box<dyn Engine + Send>> {
        None
    }

    /// Whether it moves lines and computes nothing: kernels that [move the same lines](crate::Kernel::moves_like) then show the same
    /// samples, to the last bit.
    fn moves_lines_only(&self) -> bool {
        false
    }

    /// The first CPU at the same place in the machine as this one. If workloads differ only in CPUs with the same stand-ins, and their
    /// workers share the same caches with one another, they show the same samples, to the last bit.
    fn stand_in(&self, pu: PuId) -> PuId {
        pu
    }
}

/// A workload in place, ready to be sampled again and again.
pub trait Prepared {
    /// Where each worker's buffer is, in the order of the workload's workers.
    fn backing(&self) -> &[Backing];

    /// Warnings about the setup.
    fn warnings(&self) -> &[Warning];

    /// The form of each kernel's code that runs, where there are several. It is known after the first sample.
    fn kernel_forms(&self) -> KernelForms {
        KernelForms::new()
    }

    /// How long a sample should be, where the engine knows better than its caller.
    fn window(&self) -> Option<Duration> {
        None
    }

    /// Whether every sample is the same, so that one is enough.
    fn repeats_itself(&self) -> bool {
        false
    }

    /// Nobody asks what each part of the machine does meanwhile: samples from now on may leave the parts out, except for what
    /// workers see themselves, which is [lines](crate::Part::Lines) and [loads](crate::Part::Loads).
    fn leave_parts_out(&mut self) {}

    /// Checks again where the buffers are, after the last sample of a visit. [`Self::backing`] and [`Self::warnings`] then
    /// describe the worse of both looks. An engine whose memory cannot move has nothing to do.
    fn confirm(&mut self) {}

    /// Runs all workers together for about `window`.
    ///
    /// # Errors
    /// When a worker cannot run, or the run is interrupted.
    fn sample(&mut self, window: Duration) -> Result<Sample, EngineError>;

    /// Runs on for about `window` from the end of the last sample, and returns this sample as if it had been longer by that
    /// much. Only an engine with replicas must support it.
    ///
    /// # Errors
    /// As [`Self::sample`]; also where samples cannot be extended.
    fn extend(&mut self, window: Duration) -> Result<Sample, EngineError> {
        let _ = window;
        Err(EngineError::Unsupported {
            what: "a longer sample".to_owned(),
            reason: "this engine measures each sample by itself".to_owned(),
        })
    }
}

/// Description of an engine in the result file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EngineDescription {
    /// Kind of engine, which is the kind of the result's origin: `host`, `model`, …
    pub kind: String,
    /// Clock of the engine.
    pub clock: String,
    /// Instruction sets of the engine's kernels, widest first.
    pub instruction_sets: Vec<InstructionSet>,
    /// Solver of a model: `event` (line by line), `flow` (mean-value analysis of a queueing network), `auto` (`flow`, or `event` where `flow` does
    /// not apply).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
    /// Instruments of the machine that the engine cannot read, one line for each reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_seen: Vec<String>,
    /// Breakdown of the run's wall time; absent if the engine does not record it, and while the run is in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_spent: Option<TimeSpent>,
    /// Kernel forms that were fastest in trials on this machine, or were taken from another result; absent while the run is in progress.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen_forms: Vec<ChosenForm>,
}

impl EngineDescription {
    /// An engine whose results come from `origin`.
    pub fn new(origin: &Origin, clock: impl Into<String>, instruction_sets: Vec<InstructionSet>) -> Self {
        let solver = origin.as_model().map(|model| model.solver.name().to_owned());
        Self {
            kind: origin.kind().to_owned(),
            clock: clock.into(),
            instruction_sets,
            solver,
            not_seen: Vec::new(),
            time_spent: None,
            chosen_forms: Vec::new(),
        }
    }
}

/// Reason why a workload cannot run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// The machine has no such PU, or this process may not run there.
    #[error("cannot run on CPU {pu}: {reason}")]
    NoSuchPu { pu: PuId, reason: String },
    /// The buffer does not fit.
    #[error("cannot allocate {wanted} of memory on {place}: {reason}")]
    NoMemory {
        wanted: Bytes,
        /// The node or nodes, in words.
        place: String,
        reason: String,
    },
    /// The engine does not support the request.
    #[error("{what} is not possible here: {reason}")]
    Unsupported {
        /// The request, in words.
        what: String,
        /// The reason.
        reason: String,
    },
    /// Mean-value analysis does not apply: the workload must be simulated line by line.
    #[error("mean-value analysis cannot compute this: {reason}")]
    NeedsSimulation { reason: String },
    /// A worker lost its PU during the run, so that it could only run elsewhere.
    #[error("a worker lost CPU {pu}: {reason}")]
    CpuLost {
        pu: PuId,
        /// The reason, if known.
        reason: String,
    },
    /// This process may not make a system call that measuring needs.
    #[error("this process may not call {call}: {reason}")]
    Forbidden { call: &'static str, reason: String },
    /// The kernel starts no more threads.
    #[error("cannot start a thread: {reason}")]
    NoThread { reason: String },
    /// A system call failed that should not.
    #[error("{call} failed: {reason}")]
    System { call: &'static str, reason: String },
    /// The time that a caller has was over before the workload was in place.
    #[error("the time ran out before its turn")]
    OutOfTime,
    /// The user interrupted the run.
    #[error("interrupted")]
    Interrupted,
}

/// The options that hints name, as the caller's command line spells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionNames {
    /// The size of buffers.
    pub buffer: &'static str,
    /// The CPUs that measure.
    pub cpus: &'static str,
    /// The instruction set of kernels.
    pub instruction_set: &'static str,
    /// The nodes, if they can be chosen.
    pub nodes: Option<&'static str>,
    /// The size of pages, if it can be chosen.
    pub pages: Option<&'static str>,
}

/// zerohop's own spelling.
impl Default for OptionNames {
    fn default() -> Self {
        Self {
            buffer: "--buffer",
            cpus: "--cpus",
            instruction_set: "--isa",
            nodes: Some("--nodes"),
            pages: Some("--pages"),
        }
    }
}

impl EngineError {
    /// Hint for the user, with options by these names.
    pub fn hint(&self, options: &OptionNames) -> Option<Cow<'static, str>> {
        let OptionNames { buffer, nodes, pages, .. } = options;
        match self {
            Self::NoSuchPu { .. } => Some("`zerohop machine show [MACHINE]` lists the usable CPUs".into()),
            Self::CpuLost { .. } => {
                Some("keep CPUs online and cpusets unchanged while zerohop measures".into())
            }
            Self::Forbidden { call, .. } => Some(
                format!(
                    "a container's seccomp profile, systemd's `SystemCallFilter=` or a sandbox forbids `{call}`: allow it there, or \
                     run zerohop outside"
                )
                .into(),
            ),
            Self::NoMemory { .. } => Some(match (nodes, pages) {
                (Some(nodes), Some(pages)) => {
                    format!("use a smaller {buffer}, other {nodes}, or other {pages}").into()
                }
                (Some(other), None) | (None, Some(other)) => {
                    format!("use a smaller {buffer}, or other {other}").into()
                }
                (None, None) => format!("use a smaller {buffer}").into(),
            }),
            Self::NeedsSimulation { .. } => {
                Some("use --solver event, or auto, which simulates line by line if necessary".into())
            }
            Self::NoThread { .. } => Some(
                "raise the limit on threads (`ulimit -u`; pids.max of the cgroup, `docker run --pids-limit`): zerohop starts one on each CPU \
                 that it measures, and a few more"
                    .into(),
            ),
            Self::OutOfTime => Some("allow more time with --budget".into()),
            Self::Unsupported { .. } | Self::System { .. } | Self::Interrupted => None,
        }
    }
}

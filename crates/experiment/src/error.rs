//! Reasons why an experiment could not be run.

use std::borrow::Cow;

use zerohop_machine::{NodeId, PuSet};
use zerohop_units::{Bytes, counted};
use zerohop_workload::{EngineError, InstructionSet, OptionNames};

use crate::ForegroundThread;
use zerohop_result::{Choice, ExperimentName, SameCell};

/// Reason why an experiment could not be run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExperimentError {
    /// Nodes were named that the machine does not have.
    #[error("no node {}; this machine has {}", list(.unknown), only("node", .known))]
    UnknownNodes {
        /// The nodes that do not exist.
        unknown: Vec<NodeId>,
        /// The nodes that exist.
        known: Vec<NodeId>,
    },
    /// CPUs were named that the machine does not have, or that are offline.
    #[error("no CPU {unknown} online; this machine has {}", only_cpus(.online))]
    UnknownCpus {
        /// The CPUs that are not online.
        unknown: PuSet,
        /// The CPUs that are online.
        online: PuSet,
    },
    /// CPUs were named on which this process may not run.
    #[error("this process may not use CPU {forbidden}; it may use {}", only_cpus(.allowed))]
    ForbiddenCpus {
        forbidden: PuSet,
        allowed: PuSet,
        /// Whether the kernel isolates all of them.
        isolated: bool,
    },
    /// Memory was requested on nodes without memory that this process may use.
    #[error("no usable memory on node {}; nodes with usable memory: {}", list(.nodes), only("node", .usable))]
    NoMemoryThere { nodes: Vec<NodeId>, usable: Vec<NodeId> },
    /// Initiators were named that have no CPUs that this process may use.
    #[error("no usable CPU on node {}; nodes with usable CPUs: {}", list(.nodes), only("node", .usable))]
    NoCpuThere { nodes: Vec<NodeId>, usable: Vec<NodeId> },
    /// A case names a core or a node's memory that does not take part.
    #[error("cannot place thread `{thread}`: {reason}")]
    NoSuchThread { thread: ForegroundThread, reason: String },
    /// There are too many cases to run.
    #[error("{cases} cases exceed the limit of {most}")]
    TooManyCases {
        cases: usize,
        /// Maximum number.
        most: usize,
    },
    /// Two choices exclude each other.
    #[error("{one} and {other} conflict")]
    Contradiction { one: String, other: String },
    /// Detail was requested from an engine that cannot see inside its machine.
    #[error("this machine does not expose its internals")]
    NothingInside,
    /// No usable node has a usable CPU.
    #[error("no CPU is left to run on")]
    NoInitiator,
    /// No usable node has usable memory.
    #[error("no node is left to use memory from")]
    NoTarget,
    /// The requested buffer does not fit.
    #[error("a buffer of {wanted} does not fit on node {node}: only {free} is free")]
    BufferTooLarge {
        /// Requested amount.
        wanted: Bytes,
        node: NodeId,
        free: Bytes,
    },
    /// There is too little memory to give every worker a measurable buffer.
    #[error("{available} of memory is too little for {}{}", counted(*.workers, "worker"), because(.why.as_deref()))]
    BufferTooSmall {
        /// The memory to share.
        available: Bytes,
        /// The number of workers.
        workers: usize,
        /// Explanation of the amount.
        why: Option<String>,
    },
    /// The engine has no kernels of that instruction set.
    #[error("this machine does not have {set} (it has {})", list(.available))]
    UnknownInstructionSet {
        /// Requested instruction set.
        set: InstructionSet,
        /// The available instruction sets.
        available: Vec<InstructionSet>,
    },
    /// There is no experiment with that name.
    #[error("no experiment `{name}`")]
    UnknownExperiment { name: ExperimentName },
    /// A choice was made that the experiment does not accept.
    #[error("{experiment} does not support a choice of {}", choice.words())]
    ChoiceNotAccepted {
        experiment: ExperimentName,
        choice: Choice,
        /// The choices that it accepts.
        accepts: &'static [Choice],
    },
    /// The experiment makes no sense on the nodes and CPUs that take part.
    #[error("cannot run {experiment} on this machine: {reason}")]
    Impossible { experiment: ExperimentName, reason: String },
    /// A plan contains a cell twice: a bug in zerohop.
    #[error("its plan is wrong: {0}")]
    SameCell(#[from] SameCell),
    /// The engine could not run the experiment's workload.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl ExperimentError {
    /// Hint for the user, with options by these names.
    pub fn hint(&self, options: &OptionNames) -> Option<Cow<'static, str>> {
        let OptionNames { buffer, cpus, instruction_set, nodes, .. } = options;
        let or_other_nodes = nodes.map_or_else(String::new, |nodes| format!(", or other {nodes}"));
        let cpus_or_nodes = nodes.map_or_else(|| (*cpus).to_owned(), |nodes| format!("{nodes} or {cpus}"));
        let hint = match self {
            Self::UnknownNodes { .. } | Self::NoMemoryThere { .. } => {
                "`zerohop machine show [MACHINE]` lists the nodes and their memory"
            }
            Self::UnknownCpus { .. } => "`zerohop machine show [MACHINE]` lists the usable CPUs",
            Self::ForbiddenCpus { forbidden, isolated: true, .. } => {
                return Some(
                    format!(
                        "they are isolated at boot; use them with `taskset --cpu-list {forbidden} zerohop …`"
                    )
                    .into(),
                );
            }
            Self::ForbiddenCpus { .. } | Self::NoInitiator | Self::NoTarget => {
                return Some(
                    format!("widen the cpuset or affinity of this process, or use other {cpus_or_nodes}")
                        .into(),
                );
            }
            Self::BufferTooLarge { .. } => {
                return Some(format!("use a smaller {buffer}{or_other_nodes}").into());
            }
            Self::BufferTooSmall { .. } => {
                return Some(
                    format!("free memory on that node, use a larger {buffer}, or fewer {cpus}").into(),
                );
            }
            Self::UnknownInstructionSet { .. } => {
                return Some(format!("omit {instruction_set} to use the fastest available").into());
            }
            Self::NoCpuThere { .. } => "`zerohop machine show [MACHINE]` lists the nodes and their CPUs",
            Self::NoSuchThread { .. } => {
                "a thread is node.core.mode.memory, and cores count from 0 on each node"
            }
            Self::TooManyCases { .. } => {
                return Some(format!("exclude nodes or cores with {cpus_or_nodes}").into());
            }
            Self::Contradiction { .. } => "omit one of them",
            Self::NothingInside => "use --detail only with a simulated machine (--on)",
            Self::UnknownExperiment { .. } => "`zerohop run --help` lists the experiments",
            Self::ChoiceNotAccepted { choice, accepts, .. } => {
                return Some(choice_not_accepted(*choice, accepts).into());
            }
            Self::SameCell(_) => "this is a bug in zerohop: please report it with the command",
            Self::Impossible { .. } => return None,
            Self::Engine(error) => return error.hint(options),
        };
        Some(hint.into())
    }
}

/// The option to leave out, and the options that the experiment accepts.
fn choice_not_accepted(choice: Choice, accepts: &[Choice]) -> String {
    let options: Vec<&str> = accepts.iter().map(|choice| choice.option()).collect();
    let instead =
        if options.is_empty() { String::new() } else { format!("; it accepts {}", options.join(", ")) };
    format!("leave {} out{instead}", choice.option())
}

fn because(why: Option<&str>) -> String {
    why.map_or_else(String::new, |why| format!(": {why}"))
}

/// All items of a kind: `only node 0`, or `nodes 0, 1`.
fn only<T: ToString>(kind: &str, all: &[T]) -> String {
    match all {
        [] => format!("no {kind} at all"),
        [one] => format!("only {kind} {}", one.to_string()),
        several => format!("{kind}s {}", list(several)),
    }
}

/// The same for CPUs, with ranges.
fn only_cpus(all: &PuSet) -> String {
    match all.len() {
        0 => "no CPU at all".to_owned(),
        1 => format!("only CPU {all}"),
        _ => format!("CPUs {all}"),
    }
}

/// A comma-separated list.
fn list<T: ToString>(things: &[T]) -> String {
    things.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

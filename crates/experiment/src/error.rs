//! Why an experiment could not be run.

use std::borrow::Cow;

use zerohop_machine::{NodeId, PuSet};
use zerohop_units::Bytes;
use zerohop_workload::{EngineError, InstructionSet};

use crate::ForegroundThread;
use zerohop_result::{Choice, ExperimentName, SameCell};

/// Why an experiment could not be run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExperimentError {
    /// Nodes were named that the machine does not have.
    #[error("no node {}; this machine has {}", list(.unknown), only("node", .known))]
    UnknownNodes {
        /// Those that do not exist.
        unknown: Vec<NodeId>,
        /// Those that do.
        known: Vec<NodeId>,
    },
    /// CPUs were named that the machine does not have, or that are offline.
    #[error("no CPU {unknown} online; this machine has {}", only_cpus(.online))]
    UnknownCpus {
        /// Those that are not there.
        unknown: PuSet,
        /// Those that are.
        online: PuSet,
    },
    /// CPUs were named on which this process may not run.
    #[error("CPU {forbidden} may not be used by this process, which may use {}", only_cpus(.allowed))]
    ForbiddenCpus {
        /// Those that may not be used.
        forbidden: PuSet,
        /// Those that may.
        allowed: PuSet,
    },
    /// Memory is wanted on nodes that have none, or none that this process may take.
    #[error("no memory that can be used on node {}; this machine has some on {}", list(.nodes), only("node", .usable))]
    NoMemoryThere {
        /// Those without.
        nodes: Vec<NodeId>,
        /// Those with.
        usable: Vec<NodeId>,
    },
    /// Nodes are to ask that have no CPUs, or none that may be used.
    #[error("no CPU that can be used on node {}; this machine has some on {}", list(.nodes), only("node", .usable))]
    NoCpuThere {
        /// Those without.
        nodes: Vec<NodeId>,
        /// Those with.
        usable: Vec<NodeId>,
    },
    /// A case names a core or a node's memory that takes no part.
    #[error("no thread `{thread}` here: {reason}")]
    NoSuchThread {
        /// Which.
        thread: ForegroundThread,
        /// Why not.
        reason: String,
    },
    /// There are more cases than anybody would wait for.
    #[error("there are {cases} cases, more than {most}")]
    TooManyCases {
        /// How many.
        cases: usize,
        /// How many there may be.
        most: usize,
    },
    /// Two choices cannot both be met.
    #[error("{one} and {other} contradict each other")]
    Contradiction {
        /// A choice.
        one: String,
        /// The other.
        other: String,
    },
    /// What happens inside the machine is wanted of an engine that cannot see it.
    #[error("this machine does not show what happens inside it")]
    NothingInside,
    /// No node that may be used has a CPU that may be used.
    #[error("no CPU is left to run on")]
    NoInitiator,
    /// No node that may be used has memory that may be used.
    #[error("no node is left to take memory from")]
    NoTarget,
    /// The buffer asked for does not fit.
    #[error("a buffer of {wanted} does not fit on node {node}: {free} is free")]
    BufferTooLarge {
        /// What was asked for.
        wanted: Bytes,
        /// Where.
        node: NodeId,
        /// What could be had.
        free: Bytes,
    },
    /// There is too little memory for every worker to have a buffer that can be measured.
    #[error("{available} of memory is too little for {workers} workers")]
    BufferTooSmall {
        /// What there is to share.
        available: Bytes,
        /// Among how many.
        workers: usize,
    },
    /// The engine has no kernels of that instruction set.
    #[error("this machine does not have {set} (it has {})", list(.available))]
    UnknownInstructionSet {
        /// What was asked for.
        set: InstructionSet,
        /// What there is.
        available: Vec<InstructionSet>,
    },
    /// There is no experiment of that name.
    #[error("there is no experiment `{name}`")]
    UnknownExperiment {
        /// The name.
        name: ExperimentName,
    },
    /// Something was chosen that the experiment does not heed.
    #[error("{experiment} leaves no choice of {}", choice.words())]
    NotHeeded {
        /// Which.
        experiment: ExperimentName,
        /// What was chosen.
        choice: Choice,
        /// What it does heed.
        heeds: &'static [Choice],
    },
    /// The experiment makes no sense on what may be used.
    #[error("{experiment} cannot be done here: {reason}")]
    Impossible {
        /// Which.
        experiment: ExperimentName,
        /// Why not.
        reason: String,
    },
    /// A plan has one cell twice: a defect of zerohop.
    #[error("its plan is wrong: {0}")]
    SameCell(#[from] SameCell),
    /// The engine could not do what the experiment asked of it.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl ExperimentError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<Cow<'static, str>> {
        let hint = match self {
            Self::UnknownNodes { .. } | Self::NoMemoryThere { .. } => {
                "`zerohop machine show [MACHINE]` lists the nodes and their memory"
            }
            Self::UnknownCpus { .. } => "`zerohop machine show [MACHINE]` lists the CPUs that can be used",
            Self::ForbiddenCpus { .. } | Self::NoInitiator | Self::NoTarget => {
                "widen the cpuset or affinity of this process, or use other --cpus or --nodes"
            }
            Self::BufferTooLarge { .. } => "use a smaller --buffer, or other --nodes",
            Self::BufferTooSmall { .. } => "use a larger --buffer, or fewer --cpus",
            Self::UnknownInstructionSet { .. } => "leave --isa out for the fastest there is",
            Self::NoCpuThere { .. } => "`zerohop machine show [MACHINE]` lists the nodes and their CPUs",
            Self::NoSuchThread { .. } => {
                "a thread is node.core.mode.memory, and cores count from 0 on each node"
            }
            Self::TooManyCases { .. } => "leave nodes or cores out with --nodes or --cpus",
            Self::Contradiction { .. } => "leave one of them out",
            Self::NothingInside => {
                "use --detail with a simulated machine (--on), which shows links and queues"
            }
            Self::UnknownExperiment { .. } => "`zerohop run --help` lists the experiments",
            Self::NotHeeded { choice, heeds, .. } => return Some(not_heeded(*choice, heeds).into()),
            Self::SameCell(_) => "this is a defect of zerohop: please report it with the command",
            Self::Impossible { .. } => return None,
            Self::Engine(error) => return error.hint().map(Cow::Borrowed),
        };
        Some(hint.into())
    }
}

/// What to leave out, and what could be chosen instead.
fn not_heeded(choice: Choice, heeds: &[Choice]) -> String {
    let heeded: Vec<&str> = heeds.iter().map(|heeded| heeded.option()).collect();
    let instead = if heeded.is_empty() { String::new() } else { format!("; it heeds {}", heeded.join(", ")) };
    format!("leave {} out{instead}", choice.option())
}

/// All that there are of a kind: `only node 0`, or `nodes 0, 1`.
fn only<T: ToString>(kind: &str, all: &[T]) -> String {
    match all {
        [] => format!("no {kind} at all"),
        [one] => format!("only {kind} {}", one.to_string()),
        several => format!("{kind}s {}", list(several)),
    }
}

/// The same of CPUs, with ranges.
fn only_cpus(all: &PuSet) -> String {
    match all.len() {
        0 => "no CPU at all".to_owned(),
        1 => format!("only CPU {all}"),
        _ => format!("CPUs {all}"),
    }
}

/// Words for a list of things with names.
fn list<T: ToString>(things: &[T]) -> String {
    things.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

//! Why there is no advice.

use zerohop_machine::NodeId;
use zerohop_units::{Bytes, counted};
use zerohop_workload::{EngineError, OptionNames};

/// Why there is no advice.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AdviceError {
    /// There are fewer CPUs than threads.
    #[error("{} do not fit on {} of this machine", counted(*threads, "thread"), counted(*cpus, "free CPU"))]
    TooManyThreads {
        threads: usize,
        /// The CPUs that are free for them.
        cpus: usize,
    },
    /// A node has fewer CPUs than other programs' threads.
    #[error("{} of other programs do not fit on {} of node {node}", counted(*threads, "thread"), counted(*cpus, "CPU"))]
    TooMuchBackground { threads: usize, node: NodeId, cpus: usize },
    /// Nothing is known of the machine's CPUs, as in the output of some tools.
    #[error("the CPUs of this machine are unknown")]
    NoCpus,
    /// There is less memory than data.
    #[error("{bytes} of data do not fit in {memory} of memory")]
    TooMuchData {
        bytes: Bytes,
        /// The memory of all nodes.
        memory: Bytes,
    },
    /// The machine has no such node, or the node has no CPU to use.
    #[error("no thread can run on node {node}: {reason}")]
    NoThreads { node: NodeId, reason: &'static str },
    /// There is nothing to place.
    #[error("{what} is zero")]
    Nothing { what: &'static str },
    /// No kernel does that in that order.
    #[error("{kernel} does not support {access} access")]
    NoSuchAccess { kernel: &'static str, access: &'static str },
    /// A survey lacks what the advice is computed from.
    #[error("{name} has no {missing}")]
    NotMeasured { name: String, missing: String },
    /// A model cannot run a placement.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl AdviceError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::TooManyThreads { cpus, .. } => {
                Some(format!("use at most {cpus} with --threads: more threads than CPUs have to take turns"))
            }
            Self::TooMuchBackground { node, cpus, .. } => {
                Some(format!("use at most {cpus} for node {node} with --background"))
            }
            Self::NoCpus => Some(
                "`zerohop survey -o DIR` on the machine records them; the output of other tools does not contain them".to_owned(),
            ),
            Self::TooMuchData { .. } => {
                Some("give the program's memory use with --bytes, or the bytes read per step with --bytes-per-step".to_owned())
            }
            Self::NoThreads { .. } => Some("`zerohop machine show` lists the nodes and their CPUs".to_owned()),
            Self::Nothing { .. } => Some("use at least 1".to_owned()),
            Self::NoSuchAccess { .. } => Some("use --mix read or --mix write, or omit --access".to_owned()),
            Self::NotMeasured { .. } => Some(
                "`zerohop survey -o DIR` measures the latency and bandwidth matrices; a simulated machine needs none: --on MACHINE"
                    .to_owned(),
            ),
            Self::Engine(error) => error.hint(&OptionNames::default()).map(Into::into),
        }
    }

    /// Whether the user or a signal stopped it.
    pub const fn is_interruption(&self) -> bool {
        matches!(self, Self::Engine(EngineError::Interrupted))
    }
}

//! What whoever runs an experiment may choose.

use std::time::Duration;

use zerohop_machine::{NodeId, PuSet};
use zerohop_units::Bytes;
use zerohop_workload::{InstructionSet, Kernel, Pages};

use zerohop_result::Choice;

use crate::{Background, Cases, LoadPlace, Subscription};

/// How much time and memory an experiment may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// A survey of two nodes within a minute: intervals of 1 %, at most 1 GiB a node and a quarter of what is free.
    Quick,
    /// What it takes: intervals of 0.5 %, every core, finer steps, up to half of what is free.
    Full,
}

/// How to run experiments. `None` leaves the choice to the experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Time and memory.
    pub effort: Effort,
    /// Nodes to use, as initiators and as targets. If none of them has PUs, every node with PUs is an initiator; if
    /// none of them has memory, every node with memory is a target.
    pub nodes: Option<Vec<NodeId>>,
    /// PUs to use. Left out, workers run on the first PU of each core; named, on each of them.
    pub cpus: Option<PuSet>,
    /// Memory that buffers on one node take together.
    pub buffer: Option<Bytes>,
    /// Pages that buffers are made of.
    pub pages: Pages,
    /// Bandwidth kernel, where the experiment leaves a choice.
    pub kernel: Option<Kernel>,
    /// Instructions of the bandwidth kernels.
    pub instruction_set: Option<InstructionSet>,
    /// Spread buffers page by page over these nodes.
    pub interleave: Option<Vec<NodeId>>,
    /// Time of one sample.
    pub window: Option<Duration>,
    /// Half width, relative to the median, of the confidence interval at which to stop.
    pub interval: Option<f64>,
    /// Time for everything. It is shared out among the cells; every cell gets a few samples, whatever the budget.
    pub budget: Option<Duration>,
    /// Chains that latency experiments follow at once; 1 is latency itself.
    pub chains: Option<u8>,
    /// Which cases crossfire runs.
    pub cases: Option<Cases>,
    /// How much each of crossfire's background threads asks for. Left out, [`Background::Low`] where there are any.
    pub background: Option<Background>,
    /// How many background threads crossfire has. Left out, [`Subscription::High`] where a background is asked for.
    pub subscription: Option<Subscription>,
    /// Nodes whose cores work, in experiments that set these apart from those whose memory is used (hops, ramp).
    pub initiators: Option<Vec<NodeId>>,
    /// Nodes whose memory is used, in the same experiments. A ramp spreads its buffers over several.
    pub targets: Option<Vec<NodeId>>,
    /// Where the load of loaded latency lies.
    pub load: Option<LoadPlace>,
    /// Whether to tell what happened inside the machine as well: traffic and queues of links, channels and home agents, and
    /// where a line's time went. Only an engine that simulates its machine can.
    pub detail: bool,
    /// Decides the order in which pairs and cores are measured, so that a drift does not look like a place.
    pub seed: u64,
}

impl Options {
    /// Every choice left to the experiment.
    pub fn new(effort: Effort) -> Self {
        Self {
            effort,
            nodes: None,
            cpus: None,
            buffer: None,
            pages: Pages::Best,
            kernel: None,
            instruction_set: None,
            interleave: None,
            window: None,
            interval: None,
            budget: None,
            chains: None,
            cases: None,
            background: None,
            subscription: None,
            initiators: None,
            targets: None,
            load: None,
            detail: false,
            seed: 1,
        }
    }

    /// Whether a choice was made.
    pub(crate) const fn has_chosen(&self, choice: Choice) -> bool {
        match choice {
            Choice::Kernel => self.kernel.is_some(),
            Choice::Chains => self.chains.is_some(),
            Choice::InstructionSet => self.instruction_set.is_some(),
            Choice::Buffer => self.buffer.is_some(),
            Choice::Interleave => self.interleave.is_some(),
            Choice::Cases => self.cases.is_some(),
            Choice::Background => self.background.is_some(),
            Choice::Subscription => self.subscription.is_some(),
            Choice::Initiators => self.initiators.is_some(),
            Choice::Targets => self.targets.is_some(),
            Choice::Load => self.load.is_some(),
        }
    }
}

//! What whoever runs an experiment may choose.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use zerohop_machine::{NodeId, PuSet};
use zerohop_units::Bytes;
use zerohop_workload::{InstructionSet, Kernel, Pages};

use zerohop_result::Choice;

use crate::{Background, Cases, LoadPlace, Subscription};

/// How much time and memory an experiment may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// A survey of two nodes within a minute: intervals of 1 %, at most 1 GiB a node and a quarter of what is free.
    Quick,
    /// What it takes: intervals of 0.5 %, every core, finer steps, up to half of what is free.
    Full,
}

/// How to run experiments. `None` leaves the choice to the experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Time and memory.
    pub effort: Effort,
    /// Nodes to use, as initiators and as targets. If none of them has PUs, every node with PUs is an initiator; if
    /// none of them has memory, every node with memory is a target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<NodeId>>,
    /// PUs to use. Left out, workers run on the first PU of each core; named, on each of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<PuSet>,
    /// Memory that buffers on one node take together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Bytes>,
    /// Pages that buffers are made of.
    pub pages: Pages,
    /// Bandwidth kernel, where the experiment leaves a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Kernel>,
    /// Instructions of the bandwidth kernels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction_set: Option<InstructionSet>,
    /// Spread buffers page by page over these nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interleave: Option<Vec<NodeId>>,
    /// Time of one sample.
    #[serde(rename = "window_ns", with = "nanoseconds", skip_serializing_if = "Option::is_none")]
    pub window: Option<Duration>,
    /// Half width, relative to the median, of the confidence interval at which to stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<f64>,
    /// Time for everything. It is shared out among the cells; every cell gets a few samples, whatever the budget.
    #[serde(rename = "budget_ns", with = "nanoseconds", skip_serializing_if = "Option::is_none")]
    pub budget: Option<Duration>,
    /// Chains that latency experiments follow at once; 1 is latency itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chains: Option<u8>,
    /// Which cases crossfire runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cases: Option<Cases>,
    /// How much each of crossfire's background threads asks for. Left out, [`Background::Low`] where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<Background>,
    /// How many background threads crossfire has. Left out, [`Subscription::High`] where a background is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription: Option<Subscription>,
    /// Nodes whose cores work, in experiments that set these apart from those whose memory is used (hops, ramp).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiators: Option<Vec<NodeId>>,
    /// Nodes whose memory is used, in the same experiments. A ramp spreads its buffers over several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<NodeId>>,
    /// Where the load of loaded latency lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadPlace>,
    /// Whether to tell what happened inside the machine as well: traffic and queues of links, channels and home agents, and
    /// where a line's time went. Only an engine that simulates its machine can.
    #[serde(skip_serializing_if = "is_false")]
    pub detail: bool,
    /// Decides the order in which pairs and cores are measured, so that a drift does not look like a place.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self::new(Effort::Quick)
    }
}

const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Times in files: whole nanoseconds, so that none is rounded.
mod nanoseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        time: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let nanoseconds = time.map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        nanoseconds.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(deserializer)?.map(Duration::from_nanos))
    }
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

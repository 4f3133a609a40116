//! The options of experiments.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use zerohop_machine::{NodeId, PuSet};
use zerohop_units::Bytes;
use zerohop_workload::{InstructionSet, Kernel, Pages};

use zerohop_result::{Choice, Coordinates};

use crate::{Background, Cases, LoadPlace, Subscription};

/// Amount of time and memory for an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Surveys two nodes within a minute: intervals of 1 %, and at most a quarter of a node's free memory (half where caches need
    /// it).
    Quick,
    /// Takes as long as necessary: intervals of 0.5 %, every core, finer steps, up to half of the free memory.
    Full,
}

/// Options of experiments. `None` leaves the choice to the experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    pub effort: Effort,
    /// Nodes to use, as initiators and as targets. If none of them has PUs, every node with PUs is an initiator; if
    /// none of them has memory, every node with memory is a target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<NodeId>>,
    /// PUs to use. By default, workers run on the first PU of each core; if PUs are named, on each of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<PuSet>,
    /// Total size of the buffers on one node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Bytes>,
    /// Pages that back the buffers.
    pub pages: Pages,
    /// Bandwidth kernel, where the experiment accepts a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Kernel>,
    /// Instruction set of the bandwidth kernels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction_set: Option<InstructionSet>,
    /// Interleave buffers page by page over these nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interleave: Option<Vec<NodeId>>,
    /// Time of one sample.
    #[serde(rename = "window_ns", with = "nanoseconds", skip_serializing_if = "Option::is_none")]
    pub window: Option<Duration>,
    /// Sampling stops at this half width of the confidence interval, relative to the median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<f64>,
    /// Time for everything. It is divided among the cells; on a busy host, those without their turn are left out.
    #[serde(rename = "budget_ns", with = "nanoseconds", skip_serializing_if = "Option::is_none")]
    pub budget: Option<Duration>,
    /// Chains that latency experiments follow concurrently; 1 measures latency itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chains: Option<u8>,
    /// The cases that crossfire runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cases: Option<Cases>,
    /// The rate that each of crossfire's background threads demands. Default: [`Background::Low`] if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<Background>,
    /// The number of crossfire's background threads. Default: [`Subscription::High`] if a background rate is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription: Option<Subscription>,
    /// Nodes whose cores work, in experiments that distinguish initiators from targets (hops, ramp).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiators: Option<Vec<NodeId>>,
    /// Nodes whose memory is used, in the same experiments. A ramp interleaves its buffers over several targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<NodeId>>,
    /// Whether to pair every core with every other, however many there are, where pairs of cores are measured.
    #[serde(skip_serializing_if = "is_false")]
    pub all_pairs: bool,
    /// The memory that the load of loaded latency uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadPlace>,
    /// Measures only what fills cells at these places, and what other cells are computed from. Footprints, delays and threads of a core
    /// may be others. Default: everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<Vec<Coordinates>>,
    /// Whether to report what happened inside the machine as well: traffic and queues of links, channels and home agents, and
    /// the time of a line fill by stage. Only an engine that simulates its machine can do so.
    #[serde(skip_serializing_if = "is_false")]
    pub detail: bool,
    /// Seed of the order in which pairs and cores are measured: a random order prevents mistaking drift for a difference between them.
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

/// Times in files: integer nanoseconds, to avoid rounding.
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
    /// Leaves every choice to the experiment.
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
            all_pairs: false,
            load: None,
            places: None,
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
            Choice::AllPairs => self.all_pairs,
        }
    }
}

//! Choices that some experiments accept and others do not.

use serde::Serialize;

/// A choice that an experiment may accept. Choices that all experiments accept (nodes, CPUs, pages, effort, times) are not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    Kernel,
    /// The number of chains of dependent loads followed concurrently.
    Chains,
    /// The instruction set of bandwidth kernels.
    InstructionSet,
    /// The size of each buffer.
    Buffer,
    /// The nodes over which buffers are interleaved.
    Interleave,
    /// The cases that are run.
    Cases,
    /// The rate that background threads demand.
    Background,
    /// The number of cores with a thread.
    Subscription,
    /// The nodes whose cores work, chosen separately from the targets.
    Initiators,
    /// The nodes whose memory is used, chosen separately from the initiators.
    Targets,
    /// The memory that the load uses.
    Load,
    /// All pairs of cores instead of a selection.
    AllPairs,
}

impl Choice {
    pub const ALL: [Self; 12] = [
        Self::Kernel,
        Self::Chains,
        Self::InstructionSet,
        Self::Buffer,
        Self::Interleave,
        Self::Cases,
        Self::Background,
        Self::Subscription,
        Self::Initiators,
        Self::Targets,
        Self::Load,
        Self::AllPairs,
    ];

    /// Words for the phrase "… does not support a choice of WORDS".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Chains => "chains",
            Self::InstructionSet => "instruction set",
            Self::Buffer => "buffer",
            Self::Interleave => "interleave set",
            Self::Cases => "cases",
            Self::Background => "background",
            Self::Subscription => "subscription",
            Self::Initiators => "initiators",
            Self::Targets => "targets",
            Self::Load => "place of the load",
            Self::AllPairs => "pairs of cores",
        }
    }

    pub const fn option(self) -> &'static str {
        match self {
            Self::Kernel => "--kernel",
            Self::Chains => "--chains",
            Self::InstructionSet => "--isa",
            Self::Buffer => "--buffer",
            Self::Interleave => "--interleave",
            Self::Cases => "--case",
            Self::Background => "--background",
            Self::Subscription => "--subscription",
            Self::Initiators => "--initiators",
            Self::Targets => "--targets",
            Self::Load => "--load",
            Self::AllPairs => "--all-pairs",
        }
    }
}

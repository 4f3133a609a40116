//! What a user may choose of some experiments and not of others.

use serde::Serialize;

/// A choice that an experiment may heed. What every experiment heeds (nodes, CPUs, pages, effort, times) is none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// The bandwidth kernel.
    Kernel,
    /// How many chains of loads are followed at once.
    Chains,
    /// The instruction set of bandwidth kernels.
    InstructionSet,
    /// The size of each buffer.
    Buffer,
    /// The nodes over which buffers are interleaved.
    Interleave,
    /// The cases that are run.
    Cases,
    /// What background threads ask for.
    Background,
    /// How many cores work.
    Subscription,
    /// The nodes whose cores work, apart from those whose memory is used.
    Initiators,
    /// The nodes whose memory is used, apart from those whose cores work.
    Targets,
    /// Where the load lies.
    Load,
}

impl Choice {
    /// Every one.
    pub const ALL: [Self; 11] = [
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
    ];

    /// In words: "… leaves no choice of WORDS".
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
        }
    }

    /// The option of the command line that makes it.
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
        }
    }
}

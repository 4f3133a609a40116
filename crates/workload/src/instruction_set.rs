//! The instruction sets that a kernel may use.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::Bytes;

/// A family of load and store instructions. It determines the width of one access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InstructionSet {
    /// 4-byte scalar accesses, on any processor.
    Scalar32,
    /// 8-byte scalar accesses, on any processor.
    Scalar64,
    /// 16-byte vectors of x86-64.
    Sse2,
    /// 32-byte vectors of x86-64.
    Avx2,
    /// 64-byte vectors of x86-64.
    Avx512,
    /// 16-byte vectors of aarch64.
    Neon,
    /// Scalable vectors of aarch64, where the processor has them (reads only).
    Sve,
}

impl InstructionSet {
    pub const ALL: [Self; 7] =
        [Self::Scalar32, Self::Scalar64, Self::Sse2, Self::Avx2, Self::Avx512, Self::Neon, Self::Sve];

    /// Name of the instruction set on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar32 => "scalar32",
            Self::Scalar64 => "scalar64",
            Self::Sse2 => "sse2",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
            Self::Sve => "sve",
        }
    }

    /// Whether one access is a single value.
    pub const fn is_scalar(self) -> bool {
        matches!(self, Self::Scalar32 | Self::Scalar64)
    }

    /// Width of one access; `None` where the processor decides it.
    pub const fn width(self) -> Option<Bytes> {
        match self {
            Self::Scalar32 => Some(Bytes(4)),
            Self::Scalar64 => Some(Bytes(8)),
            Self::Sse2 | Self::Neon => Some(Bytes(16)),
            Self::Avx2 => Some(Bytes(32)),
            Self::Avx512 => Some(Bytes(64)),
            Self::Sve => None,
        }
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for InstructionSet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|set| set.name().eq_ignore_ascii_case(text)).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.into_iter().map(Self::name).collect();
            format!("no instruction set `{text}` (expected one of {})", names.join(", "))
        })
    }
}

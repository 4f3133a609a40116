//! The bandwidth kernels by name, and the traffic of each.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Operation that a bandwidth worker repeats on its arrays.
///
/// The four STREAM kernels are McCalpin's (<https://www.cs.virginia.edu/stream/ref.html>); a `_nt` kernel writes with non-temporal stores. The mixes
/// update in place, so that bus traffic equals the traffic that the program requests: of every n lines loaded, m are stored back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kernel {
    /// Load every byte of one array.
    Read,
    /// Store every byte of one array.
    Write,
    /// `write` with non-temporal stores.
    WriteNt,
    /// `c[i] = a[i]`
    Copy,
    /// `copy` with non-temporal stores.
    CopyNt,
    /// `b[i] = s * c[i]`
    Scale,
    /// `scale` with non-temporal stores.
    ScaleNt,
    /// `c[i] = a[i] + b[i]`
    Add,
    /// `add` with non-temporal stores.
    AddNt,
    /// `a[i] = b[i] + s * c[i]`
    Triad,
    /// `triad` with non-temporal stores.
    TriadNt,
    /// Eight lines loaded, one of them stored.
    #[serde(rename = "mix_8_1")]
    Mix8To1,
    /// Four lines loaded, one of them stored.
    #[serde(rename = "mix_4_1")]
    Mix4To1,
    /// Three lines loaded, one of them stored.
    #[serde(rename = "mix_3_1")]
    Mix3To1,
    /// Two lines loaded, one of them stored.
    #[serde(rename = "mix_2_1")]
    Mix2To1,
    /// Three lines loaded, two of them stored.
    #[serde(rename = "mix_3_2")]
    Mix3To2,
    /// Every line loaded and stored.
    #[serde(rename = "mix_1_1")]
    Mix1To1,
}

/// Form that runs, in words, for each kernel (by name) whose code has several forms.
pub type KernelForms = BTreeMap<String, String>;

/// Lines moved in one period of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// Lines the program loads.
    pub loads: u32,
    /// Lines the program stores.
    pub stores: u32,
    /// Lines that the caches fetch only because a regular store misses (write allocate).
    pub allocates: u32,
}

impl Traffic {
    /// Lines the program asks for: what "bandwidth" counts.
    pub const fn asked(self) -> u32 {
        self.loads + self.stores
    }

    /// Share of reads in the traffic on the memory bus, 0 to 1.
    pub fn read_share(self) -> f64 {
        f64::from(self.loads + self.allocates) / f64::from(self.bus())
    }

    /// Lines the memory bus carries: fills, write allocates and write-backs.
    pub const fn bus(self) -> u32 {
        self.loads + self.stores + self.allocates
    }
}

/// Each kernel with its name, its number of arrays and its traffic, in display order.
const TABLE: [(Kernel, &str, u32, Traffic); 17] = [
    (Kernel::Read, "read", 1, Traffic { loads: 1, stores: 0, allocates: 0 }),
    (Kernel::Write, "write", 1, Traffic { loads: 0, stores: 1, allocates: 1 }),
    (Kernel::WriteNt, "write_nt", 1, Traffic { loads: 0, stores: 1, allocates: 0 }),
    (Kernel::Copy, "copy", 2, Traffic { loads: 1, stores: 1, allocates: 1 }),
    (Kernel::CopyNt, "copy_nt", 2, Traffic { loads: 1, stores: 1, allocates: 0 }),
    (Kernel::Scale, "scale", 2, Traffic { loads: 1, stores: 1, allocates: 1 }),
    (Kernel::ScaleNt, "scale_nt", 2, Traffic { loads: 1, stores: 1, allocates: 0 }),
    (Kernel::Add, "add", 3, Traffic { loads: 2, stores: 1, allocates: 1 }),
    (Kernel::AddNt, "add_nt", 3, Traffic { loads: 2, stores: 1, allocates: 0 }),
    (Kernel::Triad, "triad", 3, Traffic { loads: 2, stores: 1, allocates: 1 }),
    (Kernel::TriadNt, "triad_nt", 3, Traffic { loads: 2, stores: 1, allocates: 0 }),
    (Kernel::Mix8To1, "mix_8_1", 1, Traffic { loads: 8, stores: 1, allocates: 0 }),
    (Kernel::Mix4To1, "mix_4_1", 1, Traffic { loads: 4, stores: 1, allocates: 0 }),
    (Kernel::Mix3To1, "mix_3_1", 1, Traffic { loads: 3, stores: 1, allocates: 0 }),
    (Kernel::Mix2To1, "mix_2_1", 1, Traffic { loads: 2, stores: 1, allocates: 0 }),
    (Kernel::Mix3To2, "mix_3_2", 1, Traffic { loads: 3, stores: 2, allocates: 0 }),
    (Kernel::Mix1To1, "mix_1_1", 1, Traffic { loads: 1, stores: 1, allocates: 0 }),
];

impl Kernel {
    /// All kernels, in display order.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    /// The four STREAM kernels with regular and with non-temporal stores, in STREAM's order.
    pub const STREAM: [Self; 8] = [
        Self::Copy,
        Self::Scale,
        Self::Add,
        Self::Triad,
        Self::CopyNt,
        Self::ScaleNt,
        Self::AddNt,
        Self::TriadNt,
    ];

    fn row(self) -> &'static (Self, &'static str, u32, Traffic) {
        // The table lists the variants in order; a test checks that.
        &TABLE[self as usize]
    }

    /// Name of the kernel on the command line and in results.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The number of equal arrays into which a worker's buffer is split.
    pub fn arrays(self) -> u32 {
        self.row().2
    }

    /// First kernel in display order that moves the same lines in the same order: `copy` for `scale`, `add` for `triad`. A model that only moves
    /// lines cannot distinguish them.
    pub fn moves_like(self) -> Self {
        let (_, _, arrays, traffic) = self.row();
        let first = TABLE.iter().find(|(_, _, others, other)| (others, other) == (arrays, traffic));
        first.map_or(self, |row| row.0)
    }

    /// The lines it moves.
    pub fn traffic(self) -> Traffic {
        self.row().3
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Kernel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted = text.to_ascii_lowercase().replace('-', "_");
        Self::all().find(|kernel| kernel.name() == wanted).ok_or_else(|| {
            let names: Vec<_> = Self::all().map(Self::name).collect();
            format!("no kernel `{text}` (expected one of {})", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_the_order_of_the_variants() {
        for (rank, kernel) in Kernel::all().enumerate() {
            assert_eq!(kernel as usize, rank);
            assert_eq!(kernel.name().parse(), Ok(kernel));
            assert_eq!(serde_json::to_value(kernel).unwrap(), kernel.name());
        }
    }

    #[test]
    fn only_the_arithmetic_of_kernels_that_move_the_same_lines_differs() {
        for kernel in Kernel::all() {
            let like = match kernel {
                Kernel::Scale => Kernel::Copy,
                Kernel::ScaleNt => Kernel::CopyNt,
                Kernel::Triad => Kernel::Add,
                Kernel::TriadNt => Kernel::AddNt,
                other => other,
            };
            assert_eq!(kernel.moves_like(), like);
        }
    }

    #[test]
    fn a_mix_is_named_after_its_loads_and_stores() {
        for kernel in Kernel::all() {
            let traffic = kernel.traffic();
            if let Some(ratio) = kernel.name().strip_prefix("mix_") {
                assert_eq!(ratio, format!("{}_{}", traffic.loads, traffic.stores));
            }
        }
        let shares = [Kernel::Read, Kernel::Mix4To1, Kernel::Mix3To2, Kernel::Write];
        assert_eq!(shares.map(|kernel| kernel.traffic().read_share()), [1.0, 0.8, 0.6, 0.5]);
    }

    #[test]
    fn regular_stores_to_lines_not_loaded_allocate_first() {
        for kernel in Kernel::all() {
            let traffic = kernel.traffic();
            let in_place = kernel.name().starts_with("mix_");
            let expected = if kernel.name().ends_with("_nt") || in_place { 0 } else { traffic.stores };
            assert_eq!(traffic.allocates, expected, "{kernel}");
        }
    }
}

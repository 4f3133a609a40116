//! What a program does, as far as its placement depends on it.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::NodeId;
use zerohop_units::{Bytes, GigabytesPerSecond};
use zerohop_workload::{Access, Kernel};

/// A program whose threads and memory are to be placed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Program {
    /// Number of threads. At least one.
    pub threads: usize,
    /// Sharing of the data among the threads.
    pub data: DataUse,
    /// Size of all data, in bytes.
    pub bytes: Bytes,
    /// Operation of the threads on the data: a bandwidth kernel.
    pub kernel: Kernel,
    /// Order in which the threads visit the data.
    pub access: Access,
    /// Performance limit of the program.
    pub sensitivity: Sensitivity,
    /// The nodes that its threads may run on; all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thread_nodes: Vec<NodeId>,
    /// Other threads that run at the same time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<Background>,
}

/// Sharing of a program's data among its threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataUse {
    /// Every thread uses all data.
    Shared,
    /// Every thread has its own, equal part of the data.
    Private,
}

/// Performance limit of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sensitivity {
    /// Bandwidth: the threads stream through memory.
    Bandwidth,
    /// Latency: the threads wait for one load after another.
    Latency,
}

/// Threads of other programs on a node, which read their own node's memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Background {
    /// The node.
    pub node: NodeId,
    /// Number of threads.
    pub threads: usize,
    /// Rate of each thread, in GB/s; unlimited if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<GigabytesPerSecond>,
}

impl DataUse {
    /// As it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Private => "private",
        }
    }
}

impl Sensitivity {
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Bandwidth => "GB/s",
            Self::Latency => "ns",
        }
    }

    /// How many times as good `one` is as `other`.
    pub fn times(self, one: f64, other: f64) -> f64 {
        match self {
            Self::Bandwidth => one / other,
            Self::Latency => other / one,
        }
    }
}

impl Program {
    /// Background threads on a node.
    pub fn background_on(&self, node: NodeId) -> usize {
        self.background.iter().filter(|other| other.node == node).map(|other| other.threads).sum()
    }

    /// Whether its threads may run there.
    pub fn may_run_on(&self, node: NodeId) -> bool {
        self.thread_nodes.is_empty() || self.thread_nodes.contains(&node)
    }

    /// The data of each thread that no other thread has; all of it where it is shared.
    pub fn bytes_of_thread(&self) -> Bytes {
        match self.data {
            DataUse::Shared => self.bytes,
            DataUse::Private => self.bytes / self.threads.max(1) as u64,
        }
    }
}

/// Reads a mix of reads and writes: `2:1`, or the name of a kernel.
///
/// # Errors
/// When no kernel moves such a mix: those that do.
pub fn parse_mix(text: &str) -> Result<Kernel, String> {
    let text = text.trim();
    let ratio = text.split_once(':').and_then(|(reads, writes)| {
        Some((reads.trim().parse::<u32>().ok()?, writes.trim().parse::<u32>().ok()?))
    });
    let found = match ratio {
        Some(ratio) => mixes().find(|(_, of)| *of == ratio).map(|(kernel, _)| kernel),
        None => text.parse().ok(),
    };
    found.ok_or_else(|| {
        let names: Vec<String> = mixes().map(|(_, (reads, writes))| format!("{reads}:{writes}")).collect();
        format!(
            "unsupported mix `{text}` (expected reads:writes, one of {}, or the name of a kernel)",
            names.join(", ")
        )
    })
}

/// A kernel as a mix, if it is one: `2:1 reads:writes`; otherwise its name.
pub fn mix_name(kernel: Kernel) -> String {
    match mixes().find(|(mix, _)| *mix == kernel) {
        _ if kernel == Kernel::Read => "reads".to_owned(),
        Some((_, (reads, writes))) => format!("{reads}:{writes} reads:writes"),
        None => kernel.name().to_owned(),
    }
}

/// Kernels whose bus traffic is a mix without write allocates, with the reads and writes of each.
fn mixes() -> impl Iterator<Item = (Kernel, (u32, u32))> {
    let plain = Kernel::all().filter(|kernel| kernel.arrays() == 1 && kernel.traffic().allocates == 0);
    plain.map(|kernel| (kernel, (kernel.traffic().loads, kernel.traffic().stores)))
}

/// Reads background threads: `NODE:THREADS` or `NODE:THREADS@RATE`.
///
/// # Errors
/// When the text is something else.
pub fn parse_background(text: &str) -> Result<Background, String> {
    let expected = || {
        format!(
            "invalid background load `{text}` (expected NODE:THREADS or NODE:THREADS@RATE, such as `1:4@2GB/s`)"
        )
    };
    let (node, rest) = text.trim().split_once(':').ok_or_else(expected)?;
    let (threads, rate) = match rest.split_once('@') {
        Some((threads, rate)) => (threads, Some(rate.parse().map_err(|_| expected())?)),
        None => (rest, None),
    };
    let threads = threads.trim().parse().ok().filter(|threads| *threads > 0).ok_or_else(expected)?;
    if rate.is_some_and(|rate: GigabytesPerSecond| rate.get() <= 0.0) {
        return Err(expected());
    }
    Ok(Background { node: node.parse().map_err(|_| expected())?, threads, rate })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_is_reads_and_writes_or_a_kernel() {
        assert_eq!(parse_mix("2:1"), Ok(Kernel::Mix2To1));
        assert_eq!(parse_mix("1:0"), Ok(Kernel::Read));
        assert_eq!(parse_mix("0:1"), Ok(Kernel::WriteNt));
        assert_eq!(parse_mix("triad"), Ok(Kernel::Triad));
        assert_eq!(mix_name(Kernel::Mix2To1), "2:1 reads:writes");
        assert_eq!(mix_name(Kernel::Triad), "triad");
        let refused = parse_mix("5:4").unwrap_err();
        assert!(refused.contains("1:0, 0:1, 8:1"), "{refused}");
    }

    #[test]
    fn background_names_a_node_its_threads_and_their_rate() {
        let plain = parse_background("1:4").unwrap();
        assert_eq!((plain.node, plain.threads, plain.rate), (NodeId(1), 4, None));
        assert_eq!(parse_background("0:1@0.5GB/s").unwrap().rate, Some(GigabytesPerSecond(0.5)));
        for wrong in ["4", "0:0", "a:1", "0:1@fast", "0:1@0GB/s"] {
            assert!(parse_background(wrong).is_err(), "{wrong}");
        }
    }
}

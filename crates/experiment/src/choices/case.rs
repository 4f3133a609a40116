//! Threads and the location of their memory, in the notation of AMD's application note 40555 (section 2.3.2): `0.0.w.1`
//! is node 0, core 0, writing, memory of node 1.

use std::fmt;
use std::str::FromStr;

use zerohop_machine::NodeId;
use zerohop_workload::Kernel;

/// Operation of a foreground thread on each line of its array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadMode {
    /// One load per line: `r`.
    Read,
    /// One store per line: `w`.
    Write,
}

/// A foreground thread: its core, its operation, and the node of its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ForegroundThread {
    /// The node it runs on.
    pub node: NodeId,
    /// The rank of its core among that node's participating cores, from zero.
    pub core: usize,
    /// Whether it reads or writes.
    pub mode: ThreadMode,
    /// The node whose memory holds its array.
    pub memory: NodeId,
}

/// Foreground threads that run together, each on its own core. Not empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Case(Vec<ForegroundThread>);

impl ThreadMode {
    pub const ALL: [Self; 2] = [Self::Read, Self::Write];

    /// Letter in labels.
    pub const fn letter(self) -> char {
        match self {
            Self::Read => 'r',
            Self::Write => 'w',
        }
    }

    pub const fn kernel(self) -> Kernel {
        match self {
            Self::Read => Kernel::Read,
            Self::Write => Kernel::Write,
        }
    }
}

impl Case {
    /// A case of these threads, in this order.
    ///
    /// # Errors
    /// When there is no thread, or two share a core.
    pub fn new(threads: Vec<ForegroundThread>) -> Result<Self, String> {
        if threads.is_empty() {
            return Err("a case needs a thread (for example `0.0.w.1 1.0.w.0`)".to_owned());
        }
        let same_core = |one: &ForegroundThread, other: &ForegroundThread| {
            (one.node, one.core) == (other.node, other.core)
        };
        for (rank, thread) in threads.iter().enumerate() {
            if let Some(other) = threads[..rank].iter().find(|other| same_core(other, thread)) {
                return Err(format!("`{other}` and `{thread}` share a core; each thread needs its own"));
            }
        }
        Ok(Self(threads))
    }

    pub fn threads(&self) -> &[ForegroundThread] {
        &self.0
    }
}

impl fmt::Display for ForegroundThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}.{}", self.node, self.core, self.mode.letter(), self.memory)
    }
}

impl FromStr for ForegroundThread {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |why: &str| {
            format!("invalid thread `{text}`: {why} (expected node.core.mode.memory, for example `0.0.w.1`)")
        };
        let parts: Vec<&str> = text.split('.').collect();
        let [node, core, mode, memory] = parts[..] else {
            return Err(wrong("it does not have four parts"));
        };
        let node_of = |part: &str| part.parse().map(NodeId).map_err(|_| wrong("a node is a number"));
        Ok(Self {
            node: node_of(node)?,
            core: core.parse().map_err(|_| wrong("a core is a number"))?,
            mode: match mode {
                "r" | "R" => ThreadMode::Read,
                "w" | "W" => ThreadMode::Write,
                _ => return Err(wrong("the mode is `r` or `w`")),
            },
            memory: node_of(memory)?,
        })
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.pad(&labels.join(" "))
    }
}

impl FromStr for Case {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let threads: Result<Vec<_>, _> = text.split_whitespace().map(str::parse).collect();
        Self::new(threads?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_case_reads_as_in_the_note() {
        let case: Case = "0.0.w.1  1.0.r.3".parse().unwrap();
        let [first, second] = case.threads() else { panic!("{case:?}") };
        assert_eq!((first.node, first.core, first.mode), (NodeId(0), 0, ThreadMode::Write));
        assert_eq!((first.memory, second.mode, second.memory), (NodeId(1), ThreadMode::Read, NodeId(3)));
        assert_eq!(case.to_string(), "0.0.w.1 1.0.r.3");
    }

    #[test]
    fn errors_in_a_case_are_named() {
        let error = |text: &str| text.parse::<Case>().unwrap_err();
        assert!(error("").contains("needs a thread"));
        assert!(error("0.0.w").contains("four parts"));
        assert!(error("0.0.x.1").contains("`r` or `w`"));
        assert!(error("a.0.r.1").contains("a node is a number"));
        assert!(error("0.-1.r.1").contains("a core is a number"));
        assert_eq!(
            error("0.0.w.1 1.0.r.1 0.0.r.0"),
            "`0.0.w.1` and `0.0.r.0` share a core; each thread needs its own"
        );
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(
            parts in proptest::collection::vec((0u32..200, any::<bool>(), 0u32..200), 1..5)
        ) {
            let threads = parts.into_iter().enumerate().map(|(core, (node, reads, memory))| ForegroundThread {
                node: NodeId(node),
                core,
                mode: if reads { ThreadMode::Read } else { ThreadMode::Write },
                memory: NodeId(memory),
            });
            let case = Case::new(threads.collect()).unwrap();
            prop_assert_eq!(case.to_string().parse(), Ok(case));
        }
    }
}

//! Memory that the load uses when latency is measured under load.

use std::fmt;
use std::str::FromStr;

use super::{by_name, name_of};

/// Memory that the load uses when latency is measured under load. The chase goes through the same memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadPlace {
    /// A node's cores load their local memory, and the chase goes through it: latency of local memory.
    #[default]
    Local,
    /// A node's cores load the memory of the node farthest from them, and the chase goes through it: latency of remote
    /// memory when one direction of the path carries the requests and the other the data.
    Remote,
    /// A node's cores load a neighbor's memory while the neighbor's cores load theirs, so the path between them carries data in both directions. The
    /// chase goes through the neighbor's memory.
    Crossing,
    /// All nodes load their local memory at the same time, and the chase goes through its own node's.
    Machine,
    /// Each node loads the memory of all other nodes at the same time, and the chase goes through the memory that its own node
    /// loads.
    MachineRemote,
    /// All nodes load memory that is interleaved over all of them, and the chase goes through it.
    MachineInterleaved,
}

impl LoadPlace {
    const NAMES: [(&'static str, Self); 6] = [
        ("local", Self::Local),
        ("remote", Self::Remote),
        ("crossing", Self::Crossing),
        ("machine", Self::Machine),
        ("machine-remote", Self::MachineRemote),
        ("machine-interleaved", Self::MachineInterleaved),
    ];

    pub const ALL: [Self; 6] = [
        Self::Local,
        Self::Remote,
        Self::Crossing,
        Self::Machine,
        Self::MachineRemote,
        Self::MachineInterleaved,
    ];

    /// Name of the place on the command line and in results.
    pub fn name(self) -> &'static str {
        name_of(&self, &Self::NAMES)
    }
}

impl fmt::Display for LoadPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for LoadPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        by_name(text, "place of load", &Self::NAMES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_read_back() {
        for place in LoadPlace::ALL {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        assert!("far".parse::<LoadPlace>().unwrap_err().contains("local, remote, crossing, machine"));
    }
}

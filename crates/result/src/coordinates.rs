//! The coordinates of a cell among the others of its experiment.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use zerohop_machine::NodeId;
use zerohop_workload::UnknownName;

/// What a coordinate along an axis denotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    /// A part of a measurement: a thread, a link, a statistic.
    Part,
}

/// Generates the enum, the list and the lookups from one declaration per axis.
macro_rules! axes {
    ($($(#[$doc:meta])* $axis:ident = $name:literal, $extent:ident;)*) => {
        /// An axis that distinguishes the cells of an experiment.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(expecting = "expected the name of an axis")]
        #[schemars(transform = zerohop_workload::open_schema)]
        pub enum Axis {
            $($(#[$doc])* #[serde(rename = $name)] $axis,)*
            /// An axis of a later version, unknown to this one.
            #[serde(untagged)]
            Unknown(UnknownName),
        }

        impl Axis {
            /// All axes that this version knows, in the order of columns.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$axis),*];

            /// Name of the axis in files and column heads.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$axis => $name,)*
                    Self::Unknown(name) => name.as_str(),
                }
            }

            const fn extent(self) -> Extent {
                match self {
                    $(Self::$axis => Extent::$extent,)*
                    Self::Unknown(_) => Extent::Whole,
                }
            }
        }
    };
}

// In the order of columns.
axes! {
    /// Node (number) whose PUs issue the accesses, or `all`.
    Initiator = "initiator", Whole;
    /// Node (number) whose memory is accessed, `local` (each initiator its own), `remote` (each initiator that of all other nodes)
    /// or `interleaved`.
    Target = "target", Whole;
    /// PU that issues the accesses.
    Cpu = "cpu", Whole;
    /// PU that sends the line (core-to-core).
    From = "from", Whole;
    /// PU that receives the line.
    To = "to", Whole;
    /// Name of a group of cases to compare (`local`, `no-crossfire`, `crossfire`, `same-node`), or `base`, to which
    /// their times are relative; or which nodes use whose memory (`alone`, `all-local`, `ring`, `others-to-one`, …);
    /// or the state in which another core holds the lines that a core loads (`clean`, `modified`).
    Scenario = "scenario", Whole;
    /// The foreground threads, each as node.core.mode.memory (`0.0.w.1 1.0.w.0`).
    Case = "case", Whole;
    /// One of a case's threads (`0.0.w.1`).
    Thread = "thread", Part;
    /// The rate that each background thread demands (`none`, `low`, …, or a rate).
    Background = "background", Whole;
    /// The number of cores that have a thread (`none`, `high`, `full`).
    Subscription = "subscription", Whole;
    /// The memory that the load uses (`remote`, `crossing`, `machine`, `machine-remote`, `machine-interleaved`); absent where it is
    /// the chaser's own node's alone.
    Load = "load", Whole;
    /// Bandwidth kernel, by name.
    Kernel = "kernel", Whole;
    /// Read:write mix in words (`all_reads`, `3:1`, `2:1`, `1:1`, `stream_triad_like`, …).
    Mix = "mix", Whole;
    /// Number of cores per initiator that work; an initiator with fewer uses all of its cores.
    CoresPerNode = "cores_per_node", Whole;
    /// Number of threads that work on each core, where several numbers are compared.
    ThreadsPerCore = "threads_per_core", Whole;
    /// Share of reads in the traffic on the memory bus, in percent, rounded.
    ReadPercent = "read_percent", Whole;
    /// Injected delay in cycles (loaded latency); the larger, the lighter the load.
    Delay = "delay", Whole;
    /// For a latency that a comparison reads off a curve: the bandwidth there, in percent of the base's highest.
    LoadPercent = "load_percent", Whole;
    /// Level of the hierarchy (`L1`, `L2`, `L3`, `memory`).
    Level = "level", Whole;
    /// Size of the buffer, in bytes.
    Footprint = "footprint", Whole;
    /// For a histogram: the longest time that counts, in ns; the shortest is the next smaller of these.
    UpTo = "up_to_ns", Part;
    /// Width of one access, in bytes.
    Width = "width", Whole;
    /// Placement of a shared buffer (`first_touch_one`, `first_touch_users`, `interleaved`); or the node, relative to two cores, whose memory holds
    /// the lines that they pass (`local` to both, `reader_node`, `owner_node`, `third_node`).
    Placement = "placement", Whole;
    /// Independent chains of loads followed concurrently.
    Chains = "chains", Whole;
    /// Link, by its name in the machine file.
    Link = "link", Part;
    /// Memory channel, by its name in the machine file.
    Channel = "channel", Part;
    /// Home agent, by its name in the machine file.
    Home = "home", Part;
    /// For a link, its sender and its receiver (`0->1`); for a channel, what its bus carries (`read`, `written`).
    Direction = "direction", Whole;
    /// Stage of a line fill (`core`, `request`, `home`, `memory`, `data`, `probes`).
    Stage = "stage", Part;
    /// For summaries over an axis: `min`, `mean`, `max`, `standard_deviation`, and `over_lines`, the mean spread over cache lines; for a curve: `peak`, `knee`, `fall`; for a
    /// distribution: `p50`, `p99`, `p99.9`.
    Statistic = "statistic", Part;
}

/// A position along an axis.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Coordinate {
    /// A number: a node, a PU, a count or a size.
    Number(u64),
    /// A name.
    Word(String),
}

/// Fleets hold millions of them. What is derived would write an error for each word, and forget it.
impl<'de> Deserialize<'de> for Coordinate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfCoordinate;

        impl Visitor<'_> for OfCoordinate {
            type Value = Coordinate;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a word as a coordinate")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Coordinate, E> {
                Ok(Coordinate::Number(number))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Coordinate, E> {
                let number = u64::try_from(number);
                number
                    .map(Coordinate::Number)
                    .map_err(|_| E::custom(format_args!("expected {}", &self as &dyn de::Expected)))
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Coordinate, E> {
                Ok(Coordinate::Word(word.to_owned()))
            }

            fn visit_string<E: de::Error>(self, word: String) -> Result<Coordinate, E> {
                Ok(Coordinate::Word(word))
            }
        }

        deserializer.deserialize_any(OfCoordinate)
    }
}

/// The coordinates of a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Coordinates(pub BTreeMap<Axis, Coordinate>);

impl Coordinates {
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn with(mut self, axis: Axis, place: impl Into<Coordinate>) -> Self {
        self.0.insert(axis, place.into());
        self
    }

    /// The others, without the one along `axis`.
    #[must_use]
    pub fn without(&self, axis: Axis) -> Self {
        let others = self.0.iter().filter(|(known, _)| **known != axis);
        Self(others.map(|(axis, place)| (*axis, place.clone())).collect())
    }

    /// The place along `axis`.
    pub fn get(&self, axis: Axis) -> Option<&Coordinate> {
        self.0.get(&axis)
    }

    /// The number along `axis`, if it is one.
    pub fn number(&self, axis: Axis) -> Option<u64> {
        match self.get(axis) {
            Some(Coordinate::Number(number)) => Some(*number),
            Some(Coordinate::Word(_)) | None => None,
        }
    }

    /// The initiator and the target, if both are nodes. The target `local` is the initiator's own memory.
    pub fn between_nodes(&self) -> Option<(NodeId, NodeId)> {
        self.initiator_node().zip(self.target_node())
    }

    /// The initiator, if it is one node.
    pub fn initiator_node(&self) -> Option<NodeId> {
        self.node(Axis::Initiator)
    }

    /// The target, if it is one node. `local` is the initiator's own memory.
    pub fn target_node(&self) -> Option<NodeId> {
        if self.is(Axis::Target, "local") { self.initiator_node() } else { self.node(Axis::Target) }
    }

    fn node(&self, axis: Axis) -> Option<NodeId> {
        u32::try_from(self.number(axis)?).ok().map(NodeId)
    }

    /// Whether these are the coordinates of a whole measurement rather than of a part of it.
    pub fn is_whole(&self) -> bool {
        !self.0.keys().any(|axis| axis.is_part())
    }

    /// Whether the place along `axis` is `place`.
    pub fn is(&self, axis: Axis, place: impl Into<Coordinate>) -> bool {
        self.get(axis) == Some(&place.into())
    }
}

/// `initiator 0, target 1`.
impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("no coordinates");
        }
        for (rank, (axis, place)) in self.0.iter().enumerate() {
            write!(f, "{}{} {place}", if rank == 0 { "" } else { ", " }, axis.name())?;
        }
        Ok(())
    }
}

impl From<u64> for Coordinate {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Coordinate {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<usize> for Coordinate {
    fn from(number: usize) -> Self {
        Self::Number(number as u64)
    }
}

impl From<&str> for Coordinate {
    fn from(word: &str) -> Self {
        Self::Word(word.to_owned())
    }
}

impl From<String> for Coordinate {
    fn from(word: String) -> Self {
        Self::Word(word)
    }
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => fmt::Display::fmt(number, f),
            Self::Word(word) => f.pad(word),
        }
    }
}

impl Axis {
    /// Whether the axis denotes a part of a measurement. A direction only appears together with such a part.
    pub const fn is_part(self) -> bool {
        matches!(self.extent(), Extent::Part)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use zerohop_workload::{Carries, Part};

    use super::*;

    #[test]
    fn every_axis_is_listed_once_in_the_order_of_the_variants() {
        for (rank, axis) in Axis::ALL.into_iter().enumerate() {
            assert_eq!(Axis::ALL.iter().filter(|other| **other < axis).count(), rank);
            assert_eq!(serde_json::to_value(axis).unwrap(), axis.name());
        }
        assert!(Axis::ALL.is_sorted());
    }

    #[test]
    fn an_axis_of_a_later_version_keeps_its_name_and_its_place() {
        let json = r#"{"initiator":0,"rank_of_dimm":"b1"}"#;
        let at: Coordinates = serde_json::from_str(json).unwrap();
        let later = Axis::Unknown(UnknownName::new("rank_of_dimm"));
        assert_eq!((at.number(Axis::Initiator), at.get(later)), (Some(0), Some(&"b1".into())));
        assert_eq!(serde_json::to_string(&at).unwrap(), json);
    }

    #[test]
    fn no_two_parts_of_a_machine_have_the_same_coordinates() {
        let link = |name: &str, from: &str, to: &str| Part::Link {
            name: name.into(),
            ends: [from.into(), to.into()],
        };
        let parts = [
            link("0-1", "0", "1"),
            link("0-1", "1", "0"),
            link("0-1b", "0", "1"),
            Part::Channel { name: "0".into() },
            Part::ChannelBus { name: "0".into(), carries: Carries::Reads },
            Part::ChannelBus { name: "0".into(), carries: Carries::Writes },
            Part::Home { name: "0".into() },
        ];
        let places: BTreeSet<Coordinates> =
            parts.iter().map(|part| Coordinates::new().at_part(part)).collect();
        assert_eq!(places.len(), parts.len());
    }

    #[test]
    fn coordinates_are_plain_json() {
        let at = Coordinates::new().with(Axis::Initiator, 0u32).with(Axis::Target, "local");
        let json = serde_json::to_string(&at).unwrap();
        assert_eq!(json, r#"{"initiator":0,"target":"local"}"#);
        assert_eq!(serde_json::from_str::<Coordinates>(&json).unwrap(), at);
    }
}

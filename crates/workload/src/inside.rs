//! Observations inside a machine while a workload runs: a model sees them, a host hardly any.
//!
//! An engine emits observations: a part of the machine, a measure, a value. A new counter needs a declaration of its measure and an engine that
//! counts; the code that stores, prints and compares observations needs no change.

use std::fmt;
use std::sync::Arc;

use zerohop_units::Nanoseconds;

use crate::Measure;

/// Observations inside a machine during one sample. Every sample of a workload has the same parts and measures in the same
/// order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inside(pub Vec<Observation>);

/// A value observed at a part of the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    pub part: Part,
    pub measure: Measure,
    /// Observed value, in the unit of the measure. Zero is a valid observation.
    pub value: f64,
}

/// A part of a machine, named as in the machine file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// One direction of a link.
    Link {
        name: Arc<str>,
        /// Names of the routers at its ends, sender first.
        ends: [Arc<str>; 2],
    },
    Channel {
        name: Arc<str>,
    },
    /// One direction of a memory channel's bus.
    ChannelBus {
        name: Arc<str>,
        carries: Carries,
    },
    Home {
        name: Arc<str>,
    },
    /// A stage of the foreground workers' line fills.
    Stage(Stage),
    /// Loads whose times were in a range. A host sees these too.
    Loads {
        /// The longest of these times, in ns.
        up_to_ns: u64,
    },
    /// All cache lines that the workers pass to each other. A host sees these too.
    Lines,
}

/// Traffic on the bus of a memory channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carries {
    /// Lines from memory.
    Reads,
    /// Lines to memory.
    Writes,
}

/// Stages of a line fill. Their times add up to the mean time of a fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// From the core to its router, and back.
    Core,
    /// The request's path over links to the home agent, including queueing for links.
    Request,
    /// Queueing for the home agent and its lookup, including rejections and retries.
    Home,
    /// Queueing for the memory channel, and the access itself.
    Memory,
    /// The data's path over links to the requester, including queueing for links.
    Data,
    /// Waiting for the last probe response after the data has arrived.
    Probes,
}

impl Inside {
    /// Adds observations at a part.
    pub fn observe(&mut self, part: &Part, seen: impl IntoIterator<Item = (Measure, f64)>) {
        let observations =
            seen.into_iter().map(|(measure, value)| Observation { part: part.clone(), measure, value });
        self.0.extend(observations);
    }

    /// All values of a measure at parts of a kind, in the order of the parts.
    pub fn all(&self, is_meant: impl Fn(&Part) -> bool, measure: Measure) -> Vec<f64> {
        let meant = self.0.iter().filter(|seen| seen.measure == measure && is_meant(&seen.part));
        meant.map(|seen| seen.value).collect()
    }

    /// Difference in latency between the slowest and the fastest of the lines that workers pass to each other.
    pub fn spread_over_lines(&self) -> Option<Nanoseconds> {
        let spread = self.all(|part| matches!(part, Part::Lines), Measure::LatencySpread);
        spread.first().copied().map(Nanoseconds)
    }

    /// The mean time of a foreground worker's line fill, if there were fills.
    pub fn fill_time(&self) -> Option<Nanoseconds> {
        let stages = self.all(|part| matches!(part, Part::Stage(_)), Measure::Latency);
        let time: f64 = stages.into_iter().sum();
        (time > 0.0).then_some(Nanoseconds(time))
    }
}

/// A link is named by its direction (`0->1`), any other part by its name.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link { ends: [from, to], .. } => write!(f, "{from}->{to}"),
            Self::Channel { name } | Self::ChannelBus { name, .. } | Self::Home { name } => f.pad(name),
            Self::Stage(stage) => f.pad(stage.name()),
            Self::Loads { up_to_ns } => write!(f, "loads up to {up_to_ns} ns"),
            Self::Lines => f.pad("lines"),
        }
    }
}

impl Carries {
    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reads => "read",
            Self::Writes => "written",
        }
    }
}

impl Stage {
    /// All stages, in the order in which a line passes them.
    pub const ALL: [Self; 6] =
        [Self::Core, Self::Request, Self::Home, Self::Memory, Self::Data, Self::Probes];

    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Request => "request",
            Self::Home => "home",
            Self::Memory => "memory",
            Self::Data => "data",
            Self::Probes => "probes",
        }
    }
}

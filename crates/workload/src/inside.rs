//! What happened inside a machine while a workload ran: what a model sees and a host cannot.
//!
//! An engine emits observations: a part of the machine, a measure, a number. A new counter is its measure's declaration and the
//! engine that counts; all that keeps, prints and compares observations takes it as it comes.

use std::fmt;
use std::sync::Arc;

use zerohop_units::Nanoseconds;

use crate::Measure;

/// The inside of a machine during one sample: the same parts and measures in the same order in every sample of a workload.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inside(pub Vec<Observation>);

/// A number seen at a part of the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Where.
    pub part: Part,
    /// What.
    pub measure: Measure,
    /// How much, in the measure's unit. Zero is a number here.
    pub value: f64,
}

/// A part of a machine. Names are those of the machine file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// One direction of a link.
    Link {
        /// The link's name.
        name: Arc<str>,
        /// Names of the routers at its ends, sender first.
        ends: [Arc<str>; 2],
    },
    /// A memory channel.
    Channel {
        /// Its name.
        name: Arc<str>,
    },
    /// What goes one way over a memory channel.
    ChannelBus {
        /// The channel's name.
        name: Arc<str>,
        /// Which way.
        carries: Carries,
    },
    /// A home agent.
    Home {
        /// Its name.
        name: Arc<str>,
    },
    /// A stage of the way of the foreground workers' line fills.
    Stage(Stage),
}

/// What a memory channel's bus carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carries {
    /// Lines from memory.
    Reads,
    /// Lines to memory.
    Writes,
}

/// Stages of a line's way. The times of all of them add up to the mean time of a fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// From the core to its router, and from its router back.
    Core,
    /// The request's way over links to the home agent, waiting for links included.
    Request,
    /// Waiting for room at the home agent, and being looked at; rejections and their repetition included.
    Home,
    /// Waiting for the memory channel, and its access.
    Memory,
    /// The data's way over links to the requester, waiting for links included.
    Data,
    /// Waiting for the last answer to a probe after the data was there.
    Probes,
}

impl Inside {
    /// Adds what was seen at a part.
    pub fn observe(&mut self, part: &Part, seen: impl IntoIterator<Item = (Measure, f64)>) {
        let observations =
            seen.into_iter().map(|(measure, value)| Observation { part: part.clone(), measure, value });
        self.0.extend(observations);
    }

    /// Every number of a measure at parts of a kind, in the order of the parts.
    pub fn all(&self, is_meant: impl Fn(&Part) -> bool, measure: Measure) -> Vec<f64> {
        let meant = self.0.iter().filter(|seen| seen.measure == measure && is_meant(&seen.part));
        meant.map(|seen| seen.value).collect()
    }

    /// The mean time of a foreground worker's line fill, if there were fills.
    pub fn fill_time(&self) -> Option<Nanoseconds> {
        let stages = self.all(|part| matches!(part, Part::Stage(_)), Measure::Latency);
        let time: f64 = stages.into_iter().sum();
        (time > 0.0).then_some(Nanoseconds(time))
    }
}

/// As a message names it: a link by its direction (`0->1`), any other part by its name.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link { ends: [from, to], .. } => write!(f, "{from}->{to}"),
            Self::Channel { name } | Self::ChannelBus { name, .. } | Self::Home { name } => f.pad(name),
            Self::Stage(stage) => f.pad(stage.name()),
        }
    }
}

impl Carries {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reads => "read",
            Self::Writes => "written",
        }
    }
}

impl Stage {
    /// All, in the order of a line's way.
    pub const ALL: [Self; 6] =
        [Self::Core, Self::Request, Self::Home, Self::Memory, Self::Data, Self::Probes];

    /// Its name in results.
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

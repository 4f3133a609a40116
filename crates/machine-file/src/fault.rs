//! Faults injected into a described machine, to try fault detection on machines with a known fault.
//!
//! ```text
//! "link:0-1=x8" ── parse ──> Fault ── Hardware::inject ──> the machine with that fault
//! ```
//!
//! Some faults change the machine; the others change the reports of its engine, and are only recorded here.

mod error;
mod inject;
mod link;
mod memory;
mod one_node;

use std::fmt;
use std::str::FromStr;

use zerohop_units::TransfersPerSecond;

use zerohop_machine::NodeId;

pub use error::FaultError;

#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// A link between two nodes or two routers is down, narrow or slow.
    Link {
        /// Two nodes or two routers, as typed.
        ends: [String; 2],
        /// State of the link.
        state: LinkState,
    },
    /// Only this many of a node's memory channels work.
    Channels {
        node: NodeId,
        /// Channels that work; with 0, the node has no memory.
        working: u32,
    },
    /// A slow DIMM: all channels of its node run at its rate.
    SlowDimm { node: NodeId, rate: TransfersPerSecond },
    /// Memory is interleaved over all nodes, which the system shows as one.
    OneNode(OneNodeWord),
    /// The limit of every home agent on requests of its own cores to remote memory.
    Threshold(u32),
    /// A fault of what surrounds a measurement.
    Measuring(MeasuringFault),
}

/// The state of a faulty link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinkState {
    /// One of its wires carries nothing; if it has only one, routes avoid it.
    Down,
    /// It has this many lanes.
    Lanes(u32),
    /// It runs at this rate.
    Rate(TransfersPerSecond),
}

/// The name of the setting that interleaves all memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OneNodeWord {
    Interleaving,
    /// AMD's NPS0.
    Nps0,
}

/// A fault of what surrounds a measurement: of the system, or of the settings of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasuringFault {
    /// All memory comes from the first node that has any, wherever it was asked for.
    DataOnOneNode,
    /// Other programs share the CPUs.
    Busy,
    /// Buffers are on 4 KiB pages although huge ones were asked for.
    SmallPages,
    /// The machine is virtual, and its hypervisor gives CPU time to others.
    Steal,
}

impl MeasuringFault {
    /// All of them, with their spelling.
    const NAMES: [(Self, &'static str); 4] = [
        (Self::DataOnOneNode, "data-on-one-node"),
        (Self::Busy, "noise=busy"),
        (Self::SmallPages, "pages=4k"),
        (Self::Steal, "vm=steal"),
    ];

    /// Faults of this kind among a machine's faults.
    pub fn among(faults: &[String]) -> Vec<Self> {
        let known =
            |text: &String| Self::NAMES.iter().find(|(_, name)| name == text).map(|(fault, _)| *fault);
        faults.iter().filter_map(known).collect()
    }
}

/// Reason why a text is not a fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid fault `{text}` (expected {})", EXPECTED)]
pub struct ParseFaultError {
    text: String,
}

/// The forms of faults, for messages and help.
const EXPECTED: &str = "link:A-B=x8, link:A-B=down, link:A-B=10.4GT/s, channels:nodeN=COUNT, slow-dimm:nodeN=RATE, interleaving=on, nps=0, \
     data-on-one-node, noise=busy, pages=4k, vm=steal or threshold=COUNT";

impl FromStr for Fault {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, ParseFaultError> {
        parse(text.trim()).ok_or_else(|| ParseFaultError { text: text.to_owned() })
    }
}

fn parse(text: &str) -> Option<Fault> {
    if let Some((fault, _)) = MeasuringFault::NAMES.iter().find(|(_, name)| *name == text) {
        return Some(Fault::Measuring(*fault));
    }
    let (what, value) = text.split_once('=').map(|(what, value)| (what.trim(), value.trim()))?;
    let node = |what: &str| what.strip_prefix("node")?.parse().ok();
    Some(match what.split_once(':') {
        Some(("link", ends)) => {
            let (from, to) = ends.split_once('-')?;
            let ends = [from.trim().to_owned(), to.trim().to_owned()];
            Fault::Link {
                ends: ends.iter().all(|end| !end.is_empty()).then_some(ends)?,
                state: link_state(value)?,
            }
        }
        Some(("channels", at)) => Fault::Channels { node: node(at)?, working: value.parse().ok()? },
        Some(("slow-dimm", at)) => Fault::SlowDimm { node: node(at)?, rate: rate(value, "MT/s")? },
        Some(_) => return None,
        None => match (what, value) {
            ("interleaving", "on") => Fault::OneNode(OneNodeWord::Interleaving),
            ("nps", "0") => Fault::OneNode(OneNodeWord::Nps0),
            ("threshold", count) => Fault::Threshold(count.parse().ok().filter(|&count| count > 0)?),
            _ => return None,
        },
    })
}

fn link_state(value: &str) -> Option<LinkState> {
    if value == "down" {
        return Some(LinkState::Down);
    }
    match value.strip_prefix('x') {
        Some(lanes) => Some(LinkState::Lanes(lanes.parse().ok().filter(|&lanes| lanes > 0)?)),
        None => Some(LinkState::Rate(rate(value, "GT/s")?)),
    }
}

/// A transfer rate; a bare number is in `unit`.
fn rate(value: &str, unit: &str) -> Option<TransfersPerSecond> {
    let bare = value.parse::<f64>().is_ok();
    let text = if bare { format!("{value} {unit}") } else { value.to_owned() };
    text.parse::<TransfersPerSecond>().ok().filter(|rate| rate.get() > 0.0 && rate.get().is_finite())
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link { ends: [from, to], state } => {
                write!(f, "link:{from}-{to}=")?;
                match state {
                    LinkState::Down => f.write_str("down"),
                    LinkState::Lanes(lanes) => write!(f, "x{lanes}"),
                    LinkState::Rate(rate) => write!(f, "{}GT/s", rate.get() / 1e9),
                }
            }
            Self::Channels { node, working } => write!(f, "channels:node{node}={working}"),
            Self::SlowDimm { node, rate } => write!(f, "slow-dimm:node{node}={}", rate.get() / 1e6),
            Self::OneNode(OneNodeWord::Interleaving) => f.write_str("interleaving=on"),
            Self::OneNode(OneNodeWord::Nps0) => f.write_str("nps=0"),
            Self::Threshold(count) => write!(f, "threshold={count}"),
            Self::Measuring(measuring) => {
                let name = MeasuringFault::NAMES.iter().find(|(fault, _)| fault == measuring);
                f.write_str(name.map_or("", |(_, name)| name))
            }
        }
    }
}

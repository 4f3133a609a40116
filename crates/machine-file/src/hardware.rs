//! The structure of a machine in enough detail for a simulation: routers and links, cores and their limits on lines in
//! flight, home agents, memory channels, coherence, routes and address maps.
//!
//! A [`Machine`](zerohop_machine::Machine) is what an operating system shows; [`Hardware`] is what data sheets describe. It is read
//! from a machine file. Parts are in lists and refer to each other by rank: every rank in a validated `Hardware` is in
//! range.

mod agent;
mod ceiling;
mod channel;
mod core;
mod fabric;
mod idle;
mod line;
mod node_memory;
mod option;
mod probe_tree;
mod route;
mod theoretical;
mod way;

use std::sync::Arc;

use zerohop_document::{FittedTo, KeyValue, Parameter};

use zerohop_machine::{Machine, NodeId};

pub(crate) use agent::{CoherenceTable, CoherenceWord, HomeTable};
pub(crate) use channel::{ChannelTable, RefreshTable};
pub(crate) use core::{CoreTable, Holds};
pub(crate) use fabric::{NarrowingTable, WireTable};
pub(crate) use node_memory::{SideCacheTable, UnitsTable};

pub use agent::{Coherence, Collector, HomeAgent, HomeAgentParameters, OnFull, OutboundFrom, Release};
pub use channel::{Channel, ChannelParameters, Refresh, Turnaround};
pub use core::{CacheLatency, CoreKind, CoreParameters, CorePlace, InFlight};
pub use fabric::{Buffers, Control, Link, Narrowing, Networks, Packets, PassesOn, Router, WireParameters};
pub use idle::{IdlePart, IdleRead};
pub use line::LINE;
pub use node_memory::{
    AddressHash, NodeMemory, PagesInUse, SideCache, SideCacheParameters, Spread, TagReadBy,
};
pub use option::MachineOption;
pub use route::{DirectedLink, Routes};

/// The structure of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Hardware {
    /// One-sentence description of the machine.
    pub title: String,
    /// The machine as an operating system shows it. Its `name` is that of the machine file.
    pub machine: Machine,
    /// Routers. Not empty.
    pub routers: Vec<Router>,
    /// Links between routers, each with both directions.
    pub links: Vec<Link>,
    /// The route from every router to every other.
    pub routes: Routes,
    pub core_kinds: Vec<CoreKind>,
    /// Every core, in the order of `machine.cores`.
    pub cores: Vec<CorePlace>,
    pub homes: Vec<HomeAgent>,
    pub channels: Vec<Channel>,
    pub coherence: Coherence,
    /// Distribution of each node's memory, in the order of `machine.nodes`; a node without memory has no entry.
    pub memories: Vec<NodeMemory>,
    /// Every value of the machine file, with its path and its source.
    pub parameters: Arc<[Parameter]>,
    /// Every key of the machine file's tables and its value, defaults included.
    pub keys: Arc<[KeyValue]>,
    /// The options of the machine file, and the current choices.
    pub options: Vec<MachineOption>,
}

impl Hardware {
    /// Whether both have the same structure, regardless of settings and sources: simulations cannot distinguish them.
    pub fn works_like(&self, other: &Self) -> bool {
        let Self {
            title: _,
            machine,
            routers,
            links,
            routes,
            core_kinds,
            cores,
            homes,
            channels,
            coherence,
            memories,
            parameters: _,
            keys: _,
            options: _,
        } = self;
        let without_settings = |machine: &Machine| Machine { settings: Vec::new(), ..machine.clone() };
        (routers, links, routes) == (&other.routers, &other.links, &other.routes)
            && (core_kinds, cores, homes) == (&other.core_kinds, &other.cores, &other.homes)
            && (channels, coherence, memories) == (&other.channels, &other.coherence, &other.memories)
            && without_settings(machine) == without_settings(&other.machine)
    }

    /// Distribution of a node's memory; `None` if it has none.
    pub fn memory(&self, node: NodeId) -> Option<&NodeMemory> {
        self.memories.iter().find(|memory| memory.node == node)
    }

    /// The core of a PU, by rank.
    pub fn core_of(&self, pu: zerohop_machine::PuId) -> Option<usize> {
        self.machine.cores.iter().position(|core| core.pus.contains(pu))
    }

    /// The values of the machine file that were fitted to published figures, with those figures.
    pub fn fitted(&self) -> impl Iterator<Item = (&Parameter, &FittedTo)> {
        self.parameters.iter().filter_map(|parameter| Some((parameter, parameter.fitted.as_ref()?)))
    }
}

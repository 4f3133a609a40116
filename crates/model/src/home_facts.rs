//! The facts of a home agent that do not change while its machine is simulated.

use std::collections::BTreeSet;

use zerohop_machine::PackageId;
use zerohop_machine_file::{Hardware, HomeAgentParameters, NodeMemory, OnFull, OutboundFrom, Release};

use crate::time::{Fine, Ticks, fine, ticks};

/// The facts of a home agent that do not change.
#[derive(Debug)]
pub(crate) struct HomeFacts {
    pub(crate) router: u16,
    pub(crate) latency: Ticks,
    pub(crate) slot: Fine,
    pub(crate) table: u32,
    /// By class: local, remote.
    pub(crate) limits: [u32; 2],
    /// Delay before a rejected request is resent, where requests are rejected.
    pub(crate) retry: Option<Ticks>,
    /// Delay before it looks again at a request that stays, where requests stay.
    pub(crate) recirculation: Option<Ticks>,
    /// The package whose cores are local to it.
    pub(crate) package: Option<PackageId>,
    /// Whether a line keeps its place in the table until it is on its first link.
    pub(crate) holds_until_sent: bool,
    /// Requests in a row after which an answer or a write gets its turn, where requests have priority.
    pub(crate) requests_in_a_row: Option<u32>,
    /// Its rank among the home agents of its memory: the same rank elsewhere serves the lines that hash alike.
    pub(crate) slice: usize,
    /// Its limit on outstanding requests to memory elsewhere, and whose requests these are.
    pub(crate) outbound_limit: u32,
    pub(crate) outbound_from: OutboundFrom,
}

impl HomeFacts {
    /// The facts of the home agent with that rank.
    pub(crate) fn new(hardware: &Hardware, rank: usize) -> Self {
        let agent = &hardware.homes[rank];
        let of_node = |memory: &&NodeMemory| memory.homes.contains(&rank);
        let memory = hardware.memories.iter().find(of_node);
        let node = memory.map(|memory| memory.node);
        // A node may span several packages: the agent's own is that of the nearest of the node's cores.
        let cores = hardware.machine.cores.iter().zip(&hardware.cores);
        let pus = hardware.machine.pus.iter().filter(|pu| Some(pu.node) == node);
        let on_node: BTreeSet<_> = pus.map(|pu| pu.core).collect();
        let of_node = cores.filter(|(core, _)| on_node.contains(&core.id));
        let nearest = of_node.min_by_key(|(_, place)| hardware.path(place.router, agent.router).len());
        let package =
            nearest.map_or_else(|| attached_to(hardware, agent.router), |(core, _)| Some(core.package));
        let HomeAgentParameters {
            latency,
            slot,
            table,
            local_limit,
            remote_limit,
            on_full,
            retry_delay,
            requests_in_a_row,
            release,
            outbound_limit,
            outbound_from,
        } = agent.parameters;
        let delay = ticks(retry_delay.unwrap_or_default());
        Self {
            router: agent.router as u16,
            latency: ticks(latency),
            slot: fine(slot),
            table: table.max(1),
            limits: [local_limit.max(1), remote_limit.max(1)],
            retry: (on_full == OnFull::Retry).then_some(delay),
            // Time has to pass, or one request could be looked at forever.
            recirculation: (on_full == OnFull::Recirculate).then_some(delay.max(1)),
            package,
            holds_until_sent: release == Release::Sent,
            requests_in_a_row: requests_in_a_row.map(|count| count.max(1)),
            slice: memory.and_then(|memory| memory.homes.iter().position(|&home| home == rank)).unwrap_or(0),
            outbound_limit: outbound_limit.map_or(u32::MAX, |count| count.max(1)),
            outbound_from,
        }
    }
}

/// The package to which a router without cores of its node is attached, such as that of a CXL device: the one whose cores
/// are nearest, if it is one.
fn attached_to(hardware: &Hardware, router: usize) -> Option<PackageId> {
    let cores = hardware.machine.cores.iter().zip(&hardware.cores);
    let hops = cores.map(|(core, place)| (hardware.path(place.router, router).len(), core.package));
    let nearest = hops.clone().map(|(hops, _)| hops).min()?;
    let packages: BTreeSet<PackageId> =
        hops.filter(|(hops, _)| *hops == nearest).map(|(_, package)| package).collect();
    packages.first().copied().filter(|_| packages.len() == 1)
}

//! Laws that hold on every machine: nothing is lost, nothing waits forever, nothing carries more than its capacity.

use std::sync::Arc;

use proptest::prelude::*;
use zerohop_document::FractionalBytes;
use zerohop_machine::NodeId;
use zerohop_machine_file::{
    Buffers, Coherence, Collector, Control, Hardware, HomeAgent, HomeAgentParameters, Link, Networks, OnFull,
    OutboundFrom, Packets, PassesOn, Release, Turnaround, WireParameters,
};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};
use zerohop_workload::{
    Access, Activity, Demand, EngineError, Kernel, Passing, Placement, Role, StopFlag, Worker, Workload,
};

use super::Simulation;
use crate::blueprint::Blueprint;
use crate::home::Home;
use crate::machines::nodes;
use crate::requester::Requester;
use crate::tests::{worker, workload};
use crate::time::{Ticks, of_tick};
use crate::token::Packet;
use crate::wire::Wire;
use crate::worker_roles::WorkerRoles;

/// Ticks between two checks of the accounts: 2 us.
const STRETCH: Ticks = 32_000;

/// Time after which everything in flight has drained: 2 ms.
const PATIENCE: Ticks = 32_000_000;

/// A simulation that nobody stops.
fn started(machine: &Hardware, requesters: Vec<Requester>) -> Simulation {
    Simulation::new(machine, &Blueprint::new(machine), requesters, &StopFlag::new()).unwrap()
}

fn coherence() -> impl Strategy<Value = Coherence> {
    let lookup = (0.0..40.0).prop_map(Nanoseconds);
    let collector = prop_oneof![Just(Collector::Requester), Just(Collector::Home)];
    prop_oneof![
        lookup.clone().prop_map(|lookup| Coherence::Directory { lookup }),
        (lookup, collector).prop_map(|(lookup, collector)| Coherence::Broadcast { lookup, collector }),
    ]
}

prop_compose! {
    fn link()(
        capacity in 2.0..30.0,
        back in prop_oneof![2 => Just(None), 1 => (2.0..30.0).prop_map(Some)],
        latency in 0.0..50.0,
        credit in prop_oneof![Just(0.0), 1.0..8.0],
        inserts_control in any::<bool>(),
        separate_networks in any::<bool>(),
        buffers in (1u32..=8, 1u32..=8, 1u32..=8, 1u32..=8),
    ) -> Link {
        let (request, write, probe, response) = buffers;
        Link {
            name: String::new(),
            kind: String::new(),
            ends: [0, 0],
            capacity: GigabytesPerSecond(capacity),
            back: back.map(GigabytesPerSecond),
            wires: 1,
            buffers: Buffers { request, write, probe, response },
            parameters: WireParameters {
                latency: Nanoseconds(latency),
                passes_on: PassesOn::Head,
                control: if inserts_control { Control::Inserted } else { Control::Waits },
                narrowing: None,
                networks: if separate_networks { Networks::Separate } else { Networks::Shared },
                packets: Packets {
                    request: Bytes(8),
                    probe: Bytes(8),
                    response: Bytes(4),
                    data: Bytes(68),
                    write: Bytes(72),
                    credit: FractionalBytes(credit),
                },
            },
        }
    }
}

prop_compose! {
    fn home()(
        latency in 0.0..20.0,
        slot in 0.0..4.0,
        table in 1u32..=12,
        limits in (1u32..=12, 1u32..=12),
        (on_full, retry_delay) in prop_oneof![
            Just((OnFull::Wait, None)),
            (0.0..100.0).prop_map(|delay| (OnFull::Retry, Some(Nanoseconds(delay)))),
            (0.1..100.0).prop_map(|delay| (OnFull::Recirculate, Some(Nanoseconds(delay)))),
        ],
        priority in prop::option::of(1u32..=32),
        sent in any::<bool>(),
        outbound in prop::option::of(1u32..=8),
        by_router in any::<bool>(),
    ) -> HomeAgent {
        HomeAgent {
            name: String::new(),
            kind: String::new(),
            router: 0,
            parameters: HomeAgentParameters {
                latency: Nanoseconds(latency),
                slot: Nanoseconds(slot),
                table,
                local_limit: limits.0,
                remote_limit: limits.1,
                on_full,
                retry_delay,
                release: if sent { Release::Sent } else { Release::Read },
                requests_in_a_row: priority,
                outbound_limit: outbound,
                outbound_from: if by_router { OutboundFrom::Router } else { OutboundFrom::Package },
            },
        }
    }
}

/// A number of nodes and the links between them: a tree, and some more.
fn graph() -> impl Strategy<Value = (usize, Vec<[usize; 2]>)> {
    (1usize..=16).prop_flat_map(|count| {
        let parents = prop::collection::vec(any::<prop::sample::Index>(), count - 1);
        let more = prop::collection::vec([0..count, 0..count], 0..6);
        (parents, more).prop_map(move |(parents, more)| {
            let tree = parents.iter().enumerate().map(|(at, parent)| [parent.index(at + 1), at + 1]);
            let links = tree.chain(more.into_iter().filter(|[one, other]| one != other));
            (count, links.collect())
        })
    })
}

prop_compose! {
    /// Machines of 1 to 16 nodes: any connected graph, small buffers and tables, several channels and home agents per
    /// node, and occasionally a node whose cores are at another node's router.
    fn machine()((count, links) in graph(), cores in 1usize..=4, coherence in coherence())(
        parts in prop::collection::vec(link(), links.len()),
        homes in prop::collection::vec(home(), 2 * count),
        channels in 1usize..=3,
        both in any::<bool>(),
        elsewhere in any::<bool>(),
        moved in prop::option::of((0..count, 0..count)),
        bandwidth in 2.0..20.0,
        row_miss in 0.0..40.0,
        close_after in prop::option::of(50.0..2000.0),
        turnaround in (0.0..10.0, 0.0..10.0),
        write_batch in 1u32..=64,
        core in (1u32..=16, 1u32..=8, 1u32..=8),
        (count, links, cores, coherence) in Just((count, links, cores, coherence)),
    ) -> Hardware {
        let mut machine = nodes(count, cores, &links, coherence);
        for (link, part) in machine.links.iter_mut().zip(parts) {
            *link = Link { ends: link.ends, name: link.name.clone(), ..part };
        }
        let kind = &mut machine.core_kinds[0];
        kind.parameters.in_flight.sequential = core.0;
        (kind.parameters.evictions, kind.parameters.write_combining) = (core.1, core.2);
        machine.homes.clear();
        let channel = machine.channels[0].clone();
        machine.channels.clear();
        let mut homes = homes.into_iter();
        for (router, memory) in machine.memories.iter_mut().enumerate() {
            memory.homes.clear();
            memory.channels.clear();
            for home in homes.by_ref().take(if both { 2 } else { 1 }) {
                memory.homes.push(machine.homes.len());
                machine.homes.push(HomeAgent { router, ..home });
            }
            for rank in 0..channels {
                memory.channels.push(machine.channels.len());
                let mut channel = channel.clone();
                // A channel need not be at its home agent's router.
                channel.router = if elsewhere && rank == 1 { (router + 1) % count } else { router };
                channel.bandwidth = GigabytesPerSecond(bandwidth);
                channel.parameters.row_miss = Nanoseconds(row_miss);
                channel.parameters.row_cycle = Nanoseconds(2.0 * row_miss);
                channel.parameters.precharge = Nanoseconds(row_miss / 2.0);
                channel.parameters.close_after = close_after.map(Nanoseconds);
                let (to_write, to_read) = turnaround;
                channel.parameters.turnaround =
                    Turnaround { to_write: Nanoseconds(to_write), to_read: Nanoseconds(to_read) };
                channel.parameters.write_batch = write_batch;
                machine.channels.push(channel);
            }
        }
        if let Some((from, to)) = moved {
            for core in machine.cores.iter_mut().filter(|core| core.router == from) {
                core.router = to;
            }
        }
        machine
    }
}

fn demand() -> impl Strategy<Value = Demand> {
    prop_oneof![
        4 => Just(Demand::Unlimited),
        1 => (0.2..8.0).prop_map(|rate| Demand::Rate(GigabytesPerSecond(rate))),
        1 => (0u32..2000).prop_map(Demand::Delay),
    ]
}

fn activity() -> impl Strategy<Value = Activity> {
    let kernel = prop::sample::select(Kernel::all().collect::<Vec<_>>());
    let access = prop::sample::select(vec![Access::Sequential, Access::Strided, Access::Random]);
    prop_oneof![
        8 => (kernel, access).prop_map(|(kernel, access)| Activity::Kernel { kernel, access }),
        1 => (1u8..4).prop_map(|chains| Activity::Chase { chains, pages: None }),
    ]
}

prop_compose! {
    fn one(nodes: usize)(
        activity in activity(),
        demand in demand(),
        foreground in any::<bool>(),
        places in prop::collection::vec(0..nodes as u32, 1..4),
    ) -> Worker {
        let placement = match places[..] {
            [node] => Placement::Node(NodeId(node)),
            _ => Placement::Interleaved(places.iter().copied().map(NodeId).collect()),
        };
        let role = if foreground { Role::Foreground } else { Role::Background };
        Worker { demand, role, placement, ..worker(0, 0, activity) }
    }
}

prop_compose! {
    /// A machine, and an activity for each of its cores; two of them may bounce a line.
    fn cases()(machine in machine())(
        workers in prop::collection::vec(one(machine.memories.len()), machine.cores.len()),
        bounce in any::<bool>(),
        machine in Just(machine),
    ) -> (Hardware, Workload) {
        let mut workers = workers;
        let last = workers.len() - 1;
        for (rank, worker) in workers.iter_mut().enumerate() {
            worker.pu = zerohop_machine::PuId(rank as u32);
            if bounce && last > 0 && (rank == 0 || rank == last) {
                worker.activity = Activity::LineTransfer { line: 0, passing: Passing::Exchange };
                worker.demand = Demand::Unlimited;
            }
        }
        (machine, workload(workers))
    }
}

fn audit(simulation: &Simulation) {
    #[cfg(debug_assertions)]
    simulation.audit();
    let in_use = simulation.tokens.iter().count();
    assert_eq!(in_use, simulation.tokens.in_use(), "the count of tokens in use is right");
}

/// Packets of each kind that every wire must have carried: all packets sent, over the links of their routes.
#[cfg(debug_assertions)]
fn walked(simulation: &Simulation, machine: &Hardware) -> Vec<[u64; Packet::COUNT]> {
    let count = machine.routers.len();
    let mut carried = vec![[0; Packet::COUNT]; 2 * machine.links.len()];
    for (rank, packets) in simulation.set_out.iter().enumerate() {
        for link in machine.routes.path(&machine.links, rank / count, rank % count) {
            for (sum, packets) in carried[link.0].iter_mut().zip(packets) {
                *sum += packets;
            }
        }
    }
    carried
}

/// No worker issues any more: everything in flight drains, and all resources are free.
fn drain(simulation: &mut Simulation, machine: &Hardware) {
    simulation.asking = false;
    let mut last = (simulation.now(), simulation.completed);
    while simulation.tokens.in_use() > 0 {
        if simulation.completed > last.1 {
            last = (simulation.now(), simulation.completed);
        }
        // Requests that are rejected and retried drain slowly, but one after the other.
        let late = simulation.now() >= last.0 + PATIENCE;
        assert!(!late, "tokens wait forever: {:#?}", simulation.tokens.iter().collect::<Vec<_>>());
        simulation.run_until(simulation.now() + STRETCH / 8).unwrap();
    }
    // Credits, and wake-ups that find nothing.
    simulation.run_until(simulation.now() + STRETCH).unwrap();
    assert_eq!(simulation.issued, simulation.completed);
    audit(simulation);
    for lane in simulation.links.lanes() {
        let (all, free) = lane.buffers();
        assert_eq!(all, free, "every buffer must be free");
        assert!(lane.is_empty());
    }
    simulation.homes.iter().for_each(Home::assert_is_idle);
    for worker in &simulation.requesters {
        let in_use = worker.fills.used + worker.evictions.used + worker.combining.used + worker.stalled;
        assert_eq!(in_use, 0, "every worker must have all its lines");
    }
    let now = of_tick(simulation.now());
    let wires: Vec<&Wire> = simulation.links.iter().map(|(wire, _)| wire).collect();
    for wire in &wires {
        assert_eq!(wire.waiting(), 0);
        assert!(wire.carrying() <= now, "a link carries more than it can");
    }
    let mut orders = vec![0; wires.len()];
    for (rank, wire) in wires.iter().enumerate() {
        if let Some(beside) = simulation.tables.wire_of_orders(rank as u32) {
            orders[beside as usize] = wire.sent(Packet::Write);
        }
    }
    let ordered: Vec<u64> = wires.iter().map(|wire| wire.orders()).collect();
    assert_eq!(ordered, orders, "each write on wires of its own has an order on the wires beside");
    for (channel, described) in simulation.channels.iter().zip(&machine.channels) {
        // The last batch may still be in flight into the memory.
        let batch = crate::time::fine(described.line_time() * 64.0);
        assert!(channel.carrying() <= now + batch, "a channel carries more than it can");
    }
    #[cfg(debug_assertions)]
    for (wires, expected) in
        wires.chunks(simulation.tables.networks as usize).zip(walked(simulation, machine))
    {
        let sent = Packet::ALL.map(|packet| wires.iter().map(|wire| wire.sent(packet)).sum::<u64>());
        assert_eq!(
            sent, expected,
            "each direction of a link must carry the packets whose route leads over it"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_and_nothing_waits_forever((machine, workload) in cases()) {
        let WorkerRoles { requesters, .. } = WorkerRoles::new(&machine, &workload, 1).unwrap();
        let mut simulation = started(&machine, requesters);
        simulation.begin();
        for stretch in 1..=8 {
            simulation.run_until(stretch * STRETCH).unwrap();
            prop_assert_eq!(simulation.now(), stretch * STRETCH);
            audit(&simulation);
        }
        drain(&mut simulation, &machine);
    }
}

/// A ring whose links have a single buffer for each channel: with shortest routes, packets could wait for one another
/// in a circle if those with different numbers of hops shared a buffer.
#[test]
fn rings_with_single_buffers_do_not_deadlock() {
    for coherence in [crate::machines::DIRECTORY, crate::machines::BROADCAST] {
        for count in [4, 5, 8, 16] {
            let links: Vec<[usize; 2]> = (0..count).map(|node| [node, (node + 1) % count]).collect();
            let mut machine = nodes(count, 1, &links, coherence);
            for link in &mut machine.links {
                link.buffers = Buffers { request: 1, write: 1, probe: 1, response: 1 };
            }
            // Every core writes to and reads from the opposite side.
            let across = |pu: u32| (pu + count as u32 / 2) % count as u32;
            let walk = |kernel| Activity::Kernel { kernel, access: Access::Sequential };
            let workers = (0..count as u32).map(|pu| worker(pu, across(pu), walk(Kernel::Triad)));
            let requesters = WorkerRoles::new(&machine, &workload(workers.collect()), 1).unwrap().requesters;
            let mut simulation = started(&machine, requesters);
            simulation.begin();
            simulation.run_until(100 * STRETCH).unwrap();
            let steps: Vec<u64> = simulation.requesters.iter().map(|worker| worker.done.steps()).collect();
            assert!(steps.iter().all(|&steps| steps > 10), "some of {count} make no progress: {steps:?}");
            drain(&mut simulation, &machine);
        }
    }
}

/// The trees of a machine with a thousand nodes were laid for every workload, and took seconds in which no signal was looked for.
#[test]
fn trees_are_laid_for_home_agents_in_use_until_it_is_stopped() {
    let links: Vec<[usize; 2]> = (0..8).map(|node| [node, (node + 1) % 8]).collect();
    let machine = nodes(8, 1, &links, crate::machines::BROADCAST);
    let chase = workload(vec![worker(0, 5, Activity::Chase { chains: 1, pages: None })]);
    let requesters = || WorkerRoles::new(&machine, &chase, 1).unwrap().requesters;
    let simulation = started(&machine, requesters());
    let laid = |simulation: &Simulation| -> Vec<u16> {
        (0..8).filter(|&root| simulation.tables.probes.is_laid(root)).collect()
    };
    assert_eq!(laid(&simulation), [5]);
    // Simulations with the same blueprint share their trees; one that runs keeps those that it has.
    let blueprint = Blueprint::new(&machine);
    let begun = |node: u32| {
        let chase = workload(vec![worker(0, node, Activity::Chase { chains: 1, pages: None })]);
        let requesters = WorkerRoles::new(&machine, &chase, 1).unwrap().requesters;
        Simulation::new(&machine, &blueprint, requesters, &StopFlag::new()).unwrap()
    };
    let (first, second, again) = (begun(5), begun(2), begun(5));
    assert_eq!([&first, &second, &again].map(laid), [vec![5], vec![2, 5], vec![2, 5]]);
    assert!(Arc::ptr_eq(&second.tables.probes, &again.tables.probes));
    assert!(Arc::ptr_eq(&first.tables.homes, &again.tables.homes));
    let stop = StopFlag::new();
    stop.raise();
    let stopped = Simulation::new(&machine, &Blueprint::new(&machine), requesters(), &stop);
    assert!(matches!(stopped, Err(EngineError::Interrupted)));
}

/// Home agents whose only channel is at the other node, with tables of one place and single buffers: requests that
/// wait for that place must not hold up the packets that will free it.
#[test]
fn a_read_in_flight_to_memory_elsewhere_does_not_wait_behind_requests() {
    let mut machine = nodes(2, 4, &[[0, 1]], crate::machines::DIRECTORY);
    machine.links[0].buffers = Buffers { request: 1, write: 1, probe: 1, response: 1 };
    for home in &mut machine.homes {
        home.parameters.table = 1;
    }
    for (channel, router) in machine.channels.iter_mut().zip([1, 0]) {
        channel.router = router;
    }
    let kernel = Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential };
    let workers = (0..8).map(|pu| worker(pu, 1 - pu / 4, kernel)).collect();
    let mut simulation =
        started(&machine, WorkerRoles::new(&machine, &workload(workers), 1).unwrap().requesters);
    simulation.begin();
    simulation.run_until(20 * STRETCH).unwrap();
    drain(&mut simulation, &machine);
    assert!(simulation.completed > 200, "{} lines", simulation.completed);
}

//! Workloads are refused near the solver's limits, and solved far from them.

use std::sync::Arc;

use zerohop_document::Share;
use zerohop_machine_file::{
    Buffers, Hardware, Narrowing, Networks, OnFull, PagesInUse, SideCache, SideCacheParameters, Spread,
    TagReadBy,
};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};
use zerohop_workload::{Access, Activity, Kernel, OptionNames, Worker};

use crate::machines::{BROADCAST, DIRECTORY, nodes};
use crate::tests::{worker, workload};
use crate::{FlowEngine, Refusal};

/// Two nodes whose links and channels limit nobody.
fn machine() -> Hardware {
    let mut machine = nodes(2, 4, &[[0, 1]], DIRECTORY);
    for link in &mut machine.links {
        link.capacity = GigabytesPerSecond(100.0);
        let buffers = &mut link.buffers;
        (buffers.request, buffers.response) = (1000, 1000);
        (buffers.write, buffers.probe) = (1000, 1000);
    }
    for channel in &mut machine.channels {
        channel.bandwidth = GigabytesPerSecond(50.0);
    }
    for home in &mut machine.homes {
        (home.parameters.table, home.parameters.local_limit, home.parameters.remote_limit) = (256, 256, 256);
    }
    machine
}

/// Why the solver refuses this many cores of the first node that read from the second.
fn refusal(machine: &Hardware, cores: u32) -> Option<Refusal> {
    let engine = FlowEngine::new(Arc::new(machine.clone()));
    engine.solve(&workload(readers(cores))).unwrap().refusal().cloned()
}

fn readers(cores: u32) -> Vec<Worker> {
    kernels(cores, Kernel::Read)
}

/// A kernel on this many cores of the first node, in the second's memory.
fn kernels(cores: u32, kernel: Kernel) -> Vec<Worker> {
    let activity = Activity::Kernel { kernel, access: Access::Sequential };
    (0..cores).map(|core| worker(core, 1, activity)).collect()
}

/// The message of that refusal.
fn reason(machine: &Hardware, cores: u32) -> String {
    refusal(machine, cores).map_or_else(String::new, |refusal| refusal.to_string())
}

/// Why the solver cannot model a machine.
fn unknown(machine: &Hardware) -> String {
    let engine = FlowEngine::new(Arc::new(machine.clone()));
    let refusal =
        engine.unknown().expect("the machine has a part that the solver does not model").to_string();
    let chase = workload(vec![worker(0, 0, Activity::Chase { chains: 1, pages: None })]);
    let error = engine.place(&chase).unwrap_err();
    assert!(error.to_string().ends_with(&refusal), "{error}");
    let hint = error.hint(&OptionNames::default()).unwrap_or_default();
    assert!(hint.contains("--solver event"), "{hint}");
    refusal
}

#[test]
fn a_table_that_sends_requests_back_is_refused_when_it_fills() {
    for on_full in [OnFull::Retry, OnFull::Recirculate] {
        let mut machine = machine();
        for home in &mut machine.homes {
            (home.parameters.on_full, home.parameters.retry_delay) = (on_full, Some(Nanoseconds(10.0)));
        }
        assert_eq!(refusal(&machine, 4), None);
        for home in &mut machine.homes {
            (home.parameters.table, home.parameters.local_limit, home.parameters.remote_limit) = (8, 8, 8);
        }
        let reason = reason(&machine, 4);
        let wanted = " % of the table of home agent 1 would be in use: rejected requests are retried";
        assert!(reason.ends_with(wanted), "{reason}");
        machine.homes.iter_mut().for_each(|home| home.parameters.on_full = OnFull::Wait);
        assert_eq!(refusal(&machine, 4), None, "requests that wait are solved");
    }
}

/// With a table that is far from full, the solver found the state without retries, and there was another.
#[test]
fn an_agent_is_refused_that_would_send_requests_back_if_all_came_at_once() {
    let mut machine = machine();
    for home in &mut machine.homes {
        (home.parameters.on_full, home.parameters.retry_delay) = (OnFull::Retry, Some(Nanoseconds(10.0)));
        // A core has ten lines in flight.
        (home.parameters.table, home.parameters.local_limit, home.parameters.remote_limit) = (256, 256, 56);
    }
    machine.channels.iter_mut().for_each(|channel| channel.bandwidth = GigabytesPerSecond(400.0));
    assert_eq!(refusal(&machine, 3), None);
    let Some(Refusal::SecondState { home, lines, limit }) = refusal(&machine, 4) else {
        panic!("{:?}", refusal(&machine, 4))
    };
    assert_eq!((home.as_str(), lines, limit), ("1", 40.0, 56.0));
    // As long as a package keeps its requests back, they cannot all come.
    machine.homes.iter_mut().for_each(|home| home.parameters.outbound_limit = Some(38));
    assert!(!matches!(refusal(&machine, 4), Some(Refusal::SecondState { .. })), "{:?}", refusal(&machine, 4));
}

#[test]
fn a_package_that_limits_outstanding_requests_is_refused_at_the_limit() {
    let mut machine = machine();
    machine.homes.iter_mut().for_each(|home| home.parameters.outbound_limit = Some(8));
    let reason = reason(&machine, 4);
    let wanted = " % of the outstanding requests that may leave through home agent 0 would be in use";
    assert!(reason.ends_with(wanted), "{reason}");
    machine.homes.iter_mut().for_each(|home| home.parameters.outbound_limit = Some(1000));
    assert_eq!(refusal(&machine, 4), None);
}

#[test]
fn an_agent_that_prioritizes_requests_is_refused_when_it_is_busy() {
    let mut machine = machine();
    for home in &mut machine.homes {
        (home.parameters.slot, home.parameters.requests_in_a_row) = (Nanoseconds(8.0), Some(64));
    }
    let reason = reason(&machine, 4);
    let wanted = "home agent 1, which prioritizes requests, would be busy for ";
    assert!(reason.starts_with(wanted), "{reason}");
    machine.homes.iter_mut().for_each(|home| home.parameters.slot = Nanoseconds(0.1));
    assert_eq!(refusal(&machine, 4), None);
}

#[test]
fn a_link_that_drops_lanes_is_refused_while_it_carries_little() {
    let mut machine = machine();
    let ns = Nanoseconds;
    let narrowing = Narrowing {
        to_one_in: 2,
        window: ns(1e4),
        below: Share(0.02),
        above: Share(0.05),
        change: ns(500.0),
    };
    machine.links[0].parameters.narrowing = Some(narrowing);
    let reason = reason(&machine, 1);
    assert!(reason.ends_with(" % of its capacity, at which it drops lanes"), "{reason}");
    assert!(reason.starts_with("link 0->1 would carry "), "{reason}");
    machine.links[0].capacity = GigabytesPerSecond(20.0);
    assert_eq!(refusal(&machine, 4), None, "with all its lanes it is solved");
}

#[test]
fn buffers_that_run_out_are_refused_where_there_are_probes_or_a_chase_beside_writes() {
    let mut machine = machine();
    for link in &mut machine.links {
        (link.capacity, link.buffers.response) = (GigabytesPerSecond(10.0), 4);
    }
    assert_eq!(refusal(&machine, 4), None, "each request has one answer");
    let engine = FlowEngine::new(Arc::new(machine.clone()));
    let beside = |kernel| {
        let mut workers = kernels(4, kernel);
        workers.push(worker(4, 0, Activity::Chase { chains: 1, pages: None }));
        engine.solve(&workload(workers)).unwrap().refusal().map_or_else(String::new, Refusal::to_string)
    };
    let wanted = " % of the buffers of link 1->0 would be in use: packets that wait for one block others";
    let (reads, copies) = (beside(Kernel::Read), beside(Kernel::Copy));
    assert!(reads.is_empty() && copies.ends_with(wanted), "{reads}; {copies}");
    machine.coherence = BROADCAST;
    let reason = reason(&machine, 4);
    assert!(reason.contains(" % of the buffers of link "), "{reason}");
}

/// Routers in a line: lines that cross all links wait at each for the next one's buffers, and a chase behind them.
#[test]
fn a_chase_through_a_chain_of_full_buffers_is_refused() {
    let mut machine = nodes(3, 8, &[[0, 1], [1, 2]], DIRECTORY);
    for link in &mut machine.links {
        (link.capacity, link.buffers.response) = (GigabytesPerSecond(10.0), 4);
    }
    let read = Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential };
    let beside = |far: u32| {
        let mut workers: Vec<Worker> = (0..7).map(|pu| worker(pu, far, read)).collect();
        workers.push(worker(7, far, Activity::Chase { chains: 1, pages: None }));
        let engine = FlowEngine::new(Arc::new(machine.clone()));
        engine.solve(&workload(workers)).unwrap().refusal().map_or_else(String::new, Refusal::to_string)
    };
    assert_eq!(beside(1), "");
    let reason = beside(2);
    assert!(reason.ends_with("packets that wait for one block others"), "{reason}");
}

#[test]
fn a_full_table_whose_probes_go_over_a_full_link_is_refused() {
    let mut machine = nodes(2, 16, &[[0, 1]], BROADCAST);
    for home in &mut machine.homes {
        (home.parameters.table, home.parameters.local_limit, home.parameters.remote_limit) = (16, 16, 16);
    }
    machine.links[0].capacity = GigabytesPerSecond(1.0);
    machine.links[0].buffers = Buffers { request: 4000, write: 4000, probe: 4000, response: 4000 };
    let reason = reason(&machine, 8);
    assert!(reason.ends_with(": responses come in bursts"), "{reason}");
    assert!(reason.contains(" % of the table of home agent 1 and "), "{reason}");
}

#[test]
fn a_chase_that_finds_rows_open_is_refused() {
    let mut machine = machine();
    machine.channels.iter_mut().for_each(|channel| channel.parameters.row_miss = Nanoseconds(30.0));
    let engine = FlowEngine::new(Arc::new(machine));
    let refusal = |buffer| {
        let chase = Worker { buffer, ..worker(0, 0, Activity::Chase { chains: 1, pages: None }) };
        engine.solve(&workload(vec![chase])).unwrap().refusal().map(Refusal::to_string)
    };
    // All banks' rows together are 128 KiB.
    let reason = refusal(Bytes::mib(1)).unwrap_or_default();
    let wanted = " % of the time of random lines in such a small buffer, and more the longer it is used";
    assert!(reason.starts_with("open rows would save ") && reason.ends_with(wanted), "{reason}");
    assert_eq!(refusal(Bytes::mib(64)), None);
}

#[test]
fn a_refusal_names_the_part_that_the_solver_does_not_model() {
    let mut mesh = machine();
    mesh.links[0].parameters.networks = Networks::Separate;
    let mut cached = machine();
    cached.memories[0].cache = Some(SideCache {
        channels: vec![1],
        spread: Spread::Interleaved(Bytes(64)),
        channels_of_home: Vec::new(),
        memory: Bytes::gib(1),
        parameters: SideCacheParameters {
            size: Bytes::mib(64),
            lookup: Nanoseconds(4.0),
            tag_read_by: TagReadBy::Write,
            pages: PagesInUse::InOrder,
        },
    });
    let mut finite = machine();
    finite.channels[0].parameters.queue = Some(32);
    let mut near = machine();
    near.core_kinds[0].parameters.in_flight.ahead = Some(16);
    let what = [
        (mesh, "meshes with wires for each kind of packet"),
        (cached, "memory-side caches"),
        (finite, "channels with a limited queue"),
        (near, "streams with a limited run-ahead"),
    ];
    for (machine, what) in what {
        assert_eq!(unknown(&machine), format!("the flow solver does not model {what}"));
    }
}

/// A ring of a thousand routers took all memory for its paths before anything was solved.
#[test]
fn a_machine_is_refused_whose_paths_take_too_much_memory() {
    let ring = |count: usize| {
        let links: Vec<[usize; 2]> = (0..count).map(|node| [node, (node + 1) % count]).collect();
        FlowEngine::new(Arc::new(nodes(count, 1, &links, DIRECTORY))).unknown().cloned()
    };
    assert_eq!(ring(64), None);
    assert_eq!(ring(300), Some(Refusal::TooLarge { routers: 300 }));
}

//! Home agents whose tables overflow: the cost of rejected requests, and the conditions that together cause a
//! collapse.

use std::sync::Arc;

use proptest::prelude::*;
use zerohop_machine_file::{Hardware, OnFull, OutboundFrom, Release};
use zerohop_units::{GigabytesPerSecond, Nanoseconds};
use zerohop_workload::Kernel;

use super::{READS, bandwidth, sample, walk, workers, workload};
use crate::machines::{DIRECTORY, nodes};
use crate::time::Ticks;
use crate::{ModelEngine, PreparedModel};

/// Two nodes of four cores whose home agents look at answers only after 64 requests in a row, and hold a line until
/// it is on the link.
fn machine(on_full: OnFull, table: u32) -> Hardware {
    let mut machine = nodes(2, 4, &[[0, 1]], DIRECTORY);
    machine.links[0].buffers.request = 64;
    machine.core_kinds[0].parameters.in_flight.sequential = 12;
    machine.channels[0].bandwidth = GigabytesPerSecond(50.0);
    machine.channels[1].bandwidth = GigabytesPerSecond(50.0);
    for home in &mut machine.homes {
        (home.parameters.table, home.parameters.local_limit, home.parameters.remote_limit) =
            (table, table, table);
        home.parameters.slot = Nanoseconds(2.0);
        (home.parameters.on_full, home.parameters.retry_delay) = (on_full, Some(Nanoseconds(10.0)));
        home.parameters.requests_in_a_row = Some(64);
        home.parameters.release = Release::Sent;
    }
    machine
}

const RECIRCULATE: OnFull = OnFull::Recirculate;

fn remote(machine: &Hardware, cores: u32) -> f64 {
    bandwidth(&sample(machine, workers(0..cores, 1, READS)))
}

#[test]
fn retried_requests_starve_the_answers_that_would_make_room() {
    let machine = machine(RECIRCULATE, 16);
    let (few, many) = (remote(&machine, 1), remote(&machine, 4));
    assert!(many < 0.2 * few, "{many} of {few} GB/s");
    // A line leaves the table after 64 requests and itself, 2 ns each.
    let floor = 64.0 / (65.0 * 2.0);
    assert!((many / floor - 1.0).abs() < 0.1, "{many} is not {floor}");
}

/// Four cores read the other node's memory.
fn reads(machine: &Hardware) -> PreparedModel {
    let engine = ModelEngine::new(Arc::new(machine.clone()), 1);
    engine.place(&workload(workers(0..4, 1, READS))).unwrap()
}

/// Requests that the serving agent has rejected so far.
fn rejected(prepared: &PreparedModel) -> u64 {
    prepared.simulation.homes()[1].rejected()
}

const TWENTY_MICROSECONDS: Ticks = 320_000;

#[test]
fn requests_that_circulate_are_not_events() {
    let mut collapsed = reads(&machine(RECIRCULATE, 16));
    let (events, before) = (collapsed.events(), rejected(&collapsed));
    collapsed.simulation.run_until(collapsed.simulation.now() + TWENTY_MICROSECONDS).unwrap();
    let (events, rejected) = (collapsed.events() - events, rejected(&collapsed) - before);
    assert!(rejected > 9_000, "{rejected} of 10,000 slots");
    assert!(events < rejected / 5, "{events} events");
}

#[test]
fn when_an_agent_catches_up_changes_nothing() {
    for (table, row) in [(16, 64), (16, 3), (24, 64), (30, 8)] {
        let mut machine = machine(RECIRCULATE, table);
        machine.homes.iter_mut().for_each(|home| home.parameters.requests_in_a_row = Some(row));
        let [mut often, mut once] = [reads(&machine), reads(&machine)];
        let end = once.simulation.now() + TWENTY_MICROSECONDS;
        once.simulation.run_until(end).unwrap();
        for time in (often.simulation.now()..end).step_by(37).skip(1).chain([end]) {
            often.simulation.run_until(time).unwrap();
        }
        let seen = |of: &PreparedModel| {
            (of.events(), of.lines(), rejected(of), of.simulation.homes()[1].waited(end))
        };
        assert_eq!(seen(&often), seen(&once), "{table} entries, {row} in a row");
        assert!(rejected(&once) > 0);
    }
}

#[test]
fn throughput_collapses_only_if_all_conditions_hold() {
    let whole = remote(&machine(RECIRCULATE, 64), 4);
    let collapsed = remote(&machine(RECIRCULATE, 16), 4);
    assert!(collapsed < 0.2 * whole);
    // Requests that wait take no slots.
    assert!(remote(&machine(OnFull::Wait, 16), 4) > 0.9 * whole);
    // Without priority, answers get their turn among the rejected requests.
    let mut fair = machine(RECIRCULATE, 16);
    fair.homes.iter_mut().for_each(|home| home.parameters.requests_in_a_row = None);
    let fair = remote(&fair, 4);
    assert!(fair > 3.0 * collapsed, "{fair} of {whole}, collapsed {collapsed}");
    // Requests that do not leave cannot be rejected: then it makes no difference whether rejected requests stay or
    // wait.
    let limited = |on_full| {
        let mut machine = machine(on_full, 16);
        machine.homes.iter_mut().for_each(|home| home.parameters.outbound_limit = Some(16));
        remote(&machine, 4)
    };
    assert_eq!(limited(RECIRCULATE), limited(OnFull::Wait));
    assert!(limited(RECIRCULATE) > 3.0 * collapsed);
}

#[test]
fn outstanding_requests_are_limited() {
    let mut machine = machine(OnFull::Wait, 64);
    let free = remote(&machine, 1);
    machine.homes[0].parameters.outbound_limit = Some(3);
    let limited = remote(&machine, 1);
    assert!((limited / (free * 3.0 / 12.0) - 1.0).abs() < 0.25, "{limited} of {free}");
    // Only requests that leave the package count.
    let local = |machine: &Hardware| bandwidth(&sample(machine, workers(0..1, 0, READS)));
    let with_limit = local(&machine);
    machine.homes[0].parameters.outbound_limit = None;
    assert_eq!(with_limit, local(&machine));
}

/// Two nodes of one package: what its cores have in flight in the other node's memory counts only where the limit is that of a router.
#[test]
fn a_router_limits_requests_to_other_nodes_of_its_package() {
    let mut machine = machine(OnFull::Wait, 64);
    for core in &mut machine.machine.cores {
        core.package = machine.machine.packages[0].id;
    }
    let free = remote(&machine, 1);
    machine.homes[0].parameters.outbound_limit = Some(3);
    assert_eq!(remote(&machine, 1), free, "nothing leaves the package");
    machine.homes[0].parameters.outbound_from = OutboundFrom::Router;
    let limited = remote(&machine, 1);
    assert!((limited / (free * 3.0 / 12.0) - 1.0).abs() < 0.25, "{limited} of {free}");
    let local = bandwidth(&sample(&machine, workers(0..1, 0, READS)));
    machine.homes[0].parameters.outbound_limit = None;
    assert_eq!(local, bandwidth(&sample(&machine, workers(0..1, 0, READS))));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever the tables, slots and limits: where nothing is rejected, four cores get at least what one gets.
    #[test]
    fn without_retries_nothing_collapses(
        table in 1u32..=48,
        slot in 0.5..4.0,
        row in 1u32..=256,
        outbound in prop::option::of(1u32..=32),
        sent in any::<bool>(),
        triad in any::<bool>(),
    ) {
        let mut machine = machine(OnFull::Wait, table);
        for home in &mut machine.homes {
            home.parameters.slot = Nanoseconds(slot);
            home.parameters.requests_in_a_row = Some(row);
            home.parameters.outbound_limit = outbound;
            home.parameters.release = if sent { Release::Sent } else { Release::Read };
        }
        let kernel = walk(if triad { Kernel::Triad } else { Kernel::Read });
        let rate = |cores| bandwidth(&sample(&machine, workers(0..cores, 1, kernel)));
        let (one, all) = (rate(1), rate(4));
        prop_assert!(all > 0.9 * one, "one core {}, all {}", one, all);
    }
}

//! What is refused near its limits, and told where it is far from them.

use std::sync::Arc;

use zerohop_machine::{Hardware, OnFull};
use zerohop_units::{GigabytesPerSecond, Nanoseconds};
use zerohop_workload::{Access, Activity, Kernel};

use crate::machines::{DIRECTORY, nodes};
use crate::tests::{worker, workload};
use crate::{FlowEngine, Refusal};

/// Two nodes whose links and channels hold nobody back.
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
        (home.table, home.local_limit, home.remote_limit) = (256, 256, 256);
    }
    machine
}

/// Why it is not told what so many cores of the first node read from the second.
fn refusal(machine: &Hardware, cores: u32) -> Option<Refusal> {
    let reads = Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential };
    let workers = (0..cores).map(|core| worker(core, 1, reads)).collect();
    let engine = FlowEngine::new(Arc::new(machine.clone()));
    engine.solve(&workload(workers)).unwrap().refusal().cloned()
}

#[test]
fn a_table_that_sends_requests_back_is_refused_when_it_fills() {
    let mut machine = machine();
    for home in &mut machine.homes {
        home.on_full = OnFull::Recirculate { delay: Nanoseconds(10.0) };
    }
    assert_eq!(refusal(&machine, 4), None);
    for home in &mut machine.homes {
        (home.table, home.local_limit, home.remote_limit) = (8, 8, 8);
    }
    assert!(matches!(refusal(&machine, 4), Some(Refusal::Retries { .. })));
    machine.homes.iter_mut().for_each(|home| home.on_full = OnFull::Wait);
    assert_eq!(refusal(&machine, 4), None, "those that wait are told");
}

#[test]
fn a_package_that_lets_few_out_is_refused_when_more_would_leave() {
    let mut machine = machine();
    machine.homes.iter_mut().for_each(|home| home.outbound_limit = Some(8));
    assert!(matches!(refusal(&machine, 4), Some(Refusal::Outbound { .. })));
    machine.homes.iter_mut().for_each(|home| home.outbound_limit = Some(1000));
    assert_eq!(refusal(&machine, 4), None);
}

#[test]
fn an_agent_that_prefers_requests_is_refused_when_it_is_busy() {
    let mut machine = machine();
    for home in &mut machine.homes {
        (home.slot, home.requests_in_a_row) = (Nanoseconds(8.0), Some(64));
    }
    assert!(matches!(refusal(&machine, 4), Some(Refusal::Preference { .. })));
    machine.homes.iter_mut().for_each(|home| home.slot = Nanoseconds(0.1));
    assert_eq!(refusal(&machine, 4), None);
}

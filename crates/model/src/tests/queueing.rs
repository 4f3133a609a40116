//! Waiting at one server against queueing theory: Poisson arrivals at a constant service time, M/D/1. F. Pollaczek and
//! A. Khinchine: the mean wait is rho / (2 (1 - rho)) service times.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use zerohop_units::Bytes;

use super::assert_close;
use crate::channel::Channel;
use crate::machines::{DIRECTORY, nodes};
use crate::tables::Tables;
use crate::time::{Fine, Ticks, fine_in_ticks, of_tick};
use crate::token::Packet;

const ARRIVALS: u32 = 1_000_000;

/// Mean wait, in service times, of arrivals at a server that is busy for `load` of the time. `serve` takes an arrival
/// and returns the end of its service without any waiting, and its actual end.
fn mean_wait(service: f64, load: f64, mut serve: impl FnMut(Ticks) -> Fine, unloaded: Fine) -> f64 {
    let mut random = Pcg64Mcg::seed_from_u64(7);
    let (mut at, mut waited) = (0.0, 0.0);
    for _ in 0..ARRIVALS {
        let even = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        at += -libm::log(1.0 - even) * service / load;
        let arrival = at.round() as Ticks;
        waited += fine_in_ticks(serve(arrival) - of_tick(arrival) - unloaded);
    }
    waited / f64::from(ARRIVALS) / service
}

fn expected(load: f64) -> f64 {
    load / (2.0 * (1.0 - load))
}

#[test]
fn packets_wait_for_a_wire_as_in_an_m_d_1_queue() {
    let mut machine = nodes(2, 1, &[[0, 1]], DIRECTORY);
    // Slow enough for the tick rounding of arrivals not to matter: 680 bytes of data at 20 GB/s are 34 ns.
    machine.links[0].parameters.packets.data = Bytes(680);
    let tables = Tables::new(&machine);
    for load in [0.2, 0.5, 0.8] {
        let mut wire = tables.wires(&machine).remove(0);
        let service = wire.send(Packet::Data);
        let wait = mean_wait(fine_in_ticks(service), load, |now| wire.put(Packet::Data, now).1, service);
        assert_close(wait, expected(load), 0.03);
    }
}

#[test]
fn reads_wait_for_a_channel_as_in_an_m_d_1_queue() {
    let mut machine = nodes(1, 1, &[], DIRECTORY);
    // 64 bytes at 2 GB/s: 32 ns.
    machine.channels[0].bandwidth = zerohop_units::GigabytesPerSecond(2.0);
    let service = 32.0 * 16.0;
    for load in [0.2, 0.5, 0.8] {
        let mut channel = Channel::new(&machine.channels[0], 0);
        let unloaded = of_tick(50 * 16);
        // The row stays open, so the only wait is for the bus.
        let wait = mean_wait(service, load, |now| channel.read(0, of_tick(now)), unloaded);
        assert_close(wait, expected(load), 0.03);
    }
}

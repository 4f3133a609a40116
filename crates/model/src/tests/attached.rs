//! Links whose directions differ, and memory devices behind them.

use zerohop_machine::{NodeId, PuId};
use zerohop_machine_file::MachineFile;
use zerohop_units::GigabytesPerSecond;
use zerohop_workload::{Activity, Kernel};

use super::{READS, assert_close, bandwidth, long_sample, sample, walk, worker, workers};
use crate::machines::{DIRECTORY, nodes};

#[test]
fn each_direction_of_a_link_carries_what_it_can() {
    let mut machine = nodes(2, 16, &[[0, 1]], DIRECTORY);
    machine.links[0].back = Some(GigabytesPerSecond(6.0));
    // Lines read take 68 bytes towards the reader, lines written past the caches 72 bytes towards memory.
    let peak = |capacity: f64, bytes: f64| capacity * 64.0 / bytes;
    assert_close(bandwidth(&sample(&machine, workers(0..16, 1, READS))), peak(6.0, 68.0), 0.003);
    assert_close(bandwidth(&sample(&machine, workers(16..32, 0, READS))), peak(20.0, 68.0), 0.003);
    let past = walk(Kernel::WriteNt);
    assert_close(bandwidth(&sample(&machine, workers(16..32, 0, past))), peak(6.0, 72.0), 0.01);
}

const CXL: &str = include_str!("../../../machine-file/tests/files/cxl.toml");

/// Two sockets of 12 cores, and a device of one DDR4-3200 channel at the second one that holds six lines for the first.
#[test]
fn a_device_without_cores_limits_requests_of_the_far_socket_alone() {
    let machine = MachineFile::parse("cxl.toml", CXL, &()).unwrap().hardware().unwrap();
    let near = bandwidth(&sample(&machine, workers(12..24, 2, READS)));
    let far = bandwidth(&sample(&machine, workers(0..12, 2, READS)));
    assert!((17.0..22.0).contains(&near) && (6.0..8.5).contains(&far), "{near} and {far} GB/s");
}

#[test]
fn a_device_is_as_far_as_its_wire_and_its_controller() {
    let machine = MachineFile::parse("cxl.toml", CXL, &()).unwrap().hardware().unwrap();
    let chase = Activity::Chase { chains: 1, pages: None };
    for (pu, node) in [(0, 0), (0, 1), (0, 2), (12, 2)] {
        let step = long_sample(&machine, vec![worker(pu, node, chase)], 10, 1).step_time(0).unwrap();
        let idle = machine.idle_read(PuId(pu), NodeId(node)).unwrap();
        // A lone chase may fall into step with the refreshes of a single channel: then it meets more or fewer of them.
        assert_close(step.get(), idle.time().get(), 0.03);
    }
}

//! Little's law: the occupancy of a stage is its throughput times its mean time. All that a model reports of queues,
//! rates and times has to fit together.

use zerohop_machine_file::{Coherence, Collector, Hardware};
use zerohop_units::Nanoseconds;
use zerohop_workload::{Inside, Measure, Sample, Stage};

use super::{READS, assert_close, at_channels, at_homes, at_links, bandwidth, long_sample, time_in, workers};
use crate::machines::{BROADCAST, DIRECTORY, nodes};

/// Lines per ns.
fn throughput(sample: &Sample) -> f64 {
    bandwidth(sample) / 64.0
}

/// Two nodes whose home agents look at requests in no time.
fn pair() -> Hardware {
    let mut machine = nodes(2, 16, &[[0, 1]], DIRECTORY);
    for home in &mut machine.homes {
        home.parameters.slot = Nanoseconds(0.0);
    }
    machine
}

fn all_stages(inside: &Inside) -> f64 {
    Stage::ALL.into_iter().map(|stage| time_in(inside, stage)).sum()
}

#[test]
fn lines_in_flight_are_throughput_times_their_stages() {
    for machine in [pair(), nodes(2, 16, &[[0, 1]], BROADCAST)] {
        for node in [0, 1] {
            let sample = long_sample(&machine, workers(0..16, node, READS), 40, 1);
            let inside = sample.inside.as_ref().unwrap();
            assert_close(throughput(&sample) * all_stages(inside), 160.0, 0.01);
        }
    }
}

#[test]
fn a_home_agent_s_table_and_queue_fit_its_stages() {
    let mut machine = pair();
    machine.homes[0].parameters.table = 96;
    machine.homes[0].parameters.local_limit = 96;
    let sample = long_sample(&machine, workers(0..16, 0, READS), 40, 1);
    let inside = sample.inside.as_ref().unwrap();
    let rate = throughput(&sample);
    // A request holds its place until its line has been read, and its stage at the home agent begins 10 ns before it
    // waits.
    assert_close(at_homes(&sample, Measure::Occupancy)[0], rate * time_in(inside, Stage::Memory), 0.01);
    assert_close(
        at_homes(&sample, Measure::QueueLength)[0],
        rate * (time_in(inside, Stage::Home) - 10.0),
        0.02,
    );
    assert_close(at_homes(&sample, Measure::Occupancy)[0], 96.0, 0.01);
}

/// Where the home agent collects the answers, an answer that is still on its link keeps the request in the table.
#[test]
fn a_place_in_the_table_is_held_until_the_last_answer_is_in() {
    let collector = Coherence::Broadcast { lookup: Nanoseconds(40.0), collector: Collector::Home };
    let sample = long_sample(&nodes(2, 4, &[[0, 1]], collector), workers(0..4, 0, READS), 40, 1);
    let inside = sample.inside.as_ref().unwrap();
    let time = time_in(inside, Stage::Memory) + time_in(inside, Stage::Probes);
    assert!(time_in(inside, Stage::Probes) > 20.0);
    assert_close(at_homes(&sample, Measure::Occupancy)[0], throughput(&sample) * time, 0.01);
}

#[test]
fn a_channel_s_queue_fits_the_time_lines_wait_for_it() {
    let machine = pair();
    let sample = long_sample(&machine, workers(0..10, 0, READS), 40, 1);
    let inside = sample.inside.as_ref().unwrap();
    let waited = time_in(inside, Stage::Memory) - 50.0;
    assert!(waited > 50.0, "the channel is not saturated: {waited}");
    assert_close(at_channels(&sample, Measure::QueueLength)[0], throughput(&sample) * waited, 0.01);
    let other = |measure| at_channels(&sample, measure)[1];
    assert_eq!((other(Measure::Utilization), other(Measure::QueueLength)), (0.0, 0.0));
}

#[test]
fn a_link_s_queue_fits_the_time_packets_wait_for_it() {
    let machine = pair();
    let sample = long_sample(&machine, workers(0..16, 1, READS), 40, 1);
    let inside = sample.inside.as_ref().unwrap();
    // A packet that does not wait takes 25 ns and the time of 68 bytes; a packet that has left the queue may still
    // wait behind the packets that the link has committed itself to, the time of two lines.
    let line = 68.0 / 20.0;
    let waited = time_in(inside, Stage::Data) - 25.0 - line;
    assert!(waited > 50.0, "the link is not saturated: {waited}");
    let queued = at_links(&sample, Measure::QueueLength)[1] / throughput(&sample);
    assert!(
        (0.0..=2.0 * line + 0.2).contains(&(waited - queued)),
        "waited {waited} ns, {queued} ns of it in the queue"
    );
    // Requests on the idle direction hardly wait.
    assert!(time_in(inside, Stage::Request) < 25.4 + 1.0);
}

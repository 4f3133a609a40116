//! Lines followed one by one.

use crate::flow::walk::walk;
use crate::flow::walker::{End, FollowedChannel, Legs, Path, Walker};
use crate::token::Intent;

/// One worker that has this many lines of a kind in flight, each of which takes 80 ns besides its waits.
fn worker(intent: Intent, lines: u32) -> Walker {
    let legs = Legs { to_home: 40.0, to_channel: 0.0, back: 40.0 };
    let end = End::Followed {
        channel: 0,
        fill: legs,
        write: legs,
        answers: 0.0,
        bank: 0.0,
        holds: 0.0,
        data_over: None,
        write_over: None,
    };
    Walker {
        workers: 1,
        pattern: vec![intent],
        window: lines,
        evictions: lines,
        combining: lines,
        paths: vec![Path { share: 1.0, end }],
        page: 1,
        behind: 0,
        eviction: 0.0,
        spacing: 0.0,
        paced: 0.0,
        pause: None,
    }
}

/// A channel with batches of this many writes, which take 100 ns.
fn channel(batch: f64) -> FollowedChannel {
    FollowedChannel {
        slot: 0.0,
        table: u32::MAX,
        line: 100.0 / batch,
        ahead: 0.0,
        batch,
        turning: 0.0,
        store_gap: 0.0,
    }
}

#[test]
fn lines_of_one_batch_make_whole_rounds_until_the_next() {
    // All wait for the end of a batch that has already been gathered; then eight more have to arrive once, or six
    // twice.
    for (lines, rounds) in [(8, 1.0), (6, 2.0)] {
        let walked = walk(&[worker(Intent::StorePast, lines)], &[channel(16.0)], 0);
        let per_batch = 16.0 / walked[0].rate;
        assert!((per_batch / (100.0 + rounds * 80.0) - 1.0).abs() < 0.03, "{lines} lines: {per_batch} ns");
    }
}

#[test]
fn many_writes_keep_the_bus_busy_and_a_lone_read_takes_its_latency() {
    let rate = |walker: Walker| walk(&[walker], &[channel(8.0)], 0)[0].rate;
    assert!((rate(worker(Intent::StorePast, 200)) / (8.0 / 100.0) - 1.0).abs() < 0.02);
    // A line is on the bus for 12.5 ns; the store keeps the walk going.
    let reads = Walker { pattern: vec![Intent::Load], ..worker(Intent::Load, 1) };
    let store = Walker { spacing: 1000.0, ..worker(Intent::StorePast, 1) };
    let walked = walk(&[reads, store], &[channel(8.0)], 0);
    assert!((walked[0].rate * (80.0 + 12.5) - 1.0).abs() < 0.05, "{:?}", walked[0]);
}

#[test]
fn a_table_lets_in_only_what_it_holds() {
    let table = FollowedChannel { table: 4, ..channel(8.0) };
    let fast = FollowedChannel { line: 0.1, ahead: 50.0, ..table };
    let store = Walker { spacing: 1000.0, ..worker(Intent::StorePast, 1) };
    let walked = walk(&[worker(Intent::Load, 32), store], &[fast], 0);
    // Four are read at a time, in 50 ns.
    assert!((walked[0].rate / (4.0 / 50.1) - 1.0).abs() < 0.02, "{:?}", walked[0]);
}

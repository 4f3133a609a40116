//! Which results are of which machine, and which of them counts.

use zerohop_result::{MachineKey, Timestamp};

use super::*;

fn of_host(name: &str, key: Option<u128>, share: f64) -> Observation {
    let node = key.unwrap_or(0) as usize;
    let one = machine(name, &[], |from, to| usual(from, to) * jitter(node, from, to) * share);
    Observation { key: key.map(|key| MachineKey(uuid::Uuid::from_u128(key << 104))), ..one }
}

fn at(second: i64, one: Observation) -> Observation {
    let time = format!("2026-11-27T00:00:{second:02}Z");
    let time = serde_json::from_value::<Timestamp>(serde_json::json!(time)).unwrap();
    Observation { began_at: Some(time), ..one }
}

/// Eight hosts that are all called `localhost` were one node, and the slow one vanished in its average.
#[test]
fn machines_of_one_name_are_told_apart_by_their_keys() {
    let hosts = (1..=8).map(|key| of_host("localhost", Some(key), if key == 4 { 0.7 } else { 1.0 }));
    let file = analysed(hosts);
    assert_eq!(file.groups[0].nodes, 8);
    assert_eq!(names(&file.groups[0]), ["localhost-000004"]);
    let mut all: Vec<&str> = file.groups[0].members.iter().map(|member| member.node.as_str()).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 8, "each has a name of its own: {all:?}");
    assert!(all.iter().all(|name| name.starts_with("localhost-")), "{all:?}");
}

#[test]
fn a_result_without_a_key_is_of_the_machine_that_has_its_name() {
    let mut roster = Roster::default();
    assert_eq!(roster.add(of_host("a", None, 1.0)), Added::Node(0));
    assert_eq!(roster.add(of_host("a", Some(1), 0.9)), Added::Repeat { number: 0, is_latest: true });
    assert_eq!(roster.add(of_host("a", Some(1), 0.8)), Added::Repeat { number: 0, is_latest: true });
    assert_eq!(roster.add(of_host("a", Some(2), 0.8)), Added::Node(1));
    assert_eq!(roster.add(of_host("b", Some(3), 0.8)), Added::Node(2));
    assert_eq!(roster.number_of("a"), None);
    assert_eq!(roster.number_of("b"), Some(2));
    // A file may be called anything.
    assert_eq!(
        roster.add(of_host("a file of b", Some(3), 0.7)),
        Added::Repeat { number: 2, is_latest: true }
    );
}

/// The mean of a node that is bad by now and was good before hid half of what it lost.
#[test]
fn the_latest_result_of_a_node_counts_in_whatever_order_they_are_read() {
    for order in [[1, 2, 3], [3, 1, 2], [2, 3, 1]] {
        let mut roster = Roster::default();
        for second in order {
            let share = if second == 3 { 0.5 } else { 1.0 };
            let mut one = at(second, of_host("a", None, share));
            one.facts = vec![Fact { name: "kernel".into(), value: second.to_string() }];
            let added = roster.add(one);
            assert!(second != 3 || !matches!(added, Added::Repeat { is_latest: false, .. }), "{added:?}");
        }
        let own = libm::exp(f64::from(roster.members[0].values()[0].1.value));
        assert!((own - 50.0).abs() < 1.0, "{order:?}: {own}");
        assert_eq!(roster.members[0].fact("kernel"), Some("3"));
    }
}

#[test]
fn a_later_result_of_other_values_leaves_the_earlier_ones() {
    let mut roster = Roster::default();
    roster.add(at(1, of_host("a", None, 1.0)));
    let place = Coordinates::new().with(Axis::Kernel, "triad");
    let later = Observation {
        values: vec![value("stream", Measure::Bandwidth, place, 70.0)],
        ..at(2, of_host("a", None, 1.0))
    };
    roster.add(later);
    assert_eq!(roster.members[0].values().len(), 5);
}

#[test]
fn what_cannot_be_judged_is_left_open() {
    let whole =
        |count: usize| (0..count).map(|node| of_host(&format!("n{node}"), Some(node as u128 + 1), 1.0));
    assert!(analysed(whole(2)).leaves_open());
    assert!(!analysed(whole(5)).leaves_open());
    let place = Coordinates::new().with(Axis::Kernel, "triad");
    let values = vec![value("stream", Measure::Bandwidth, place, 70.0)];
    let alone = Observation { values, ..of_host("n9", None, 1.0) };
    let file = analysed(whole(5).chain([alone]));
    assert_eq!(file.groups[0].not_compared, ["n9"]);
    assert!(file.leaves_open());
}

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
    assert_eq!(file.groups[0].not_compared, [NotCompared { node: "n9".into(), lacks: Vec::new() }]);
    assert!(file.leaves_open());
}

/// Eight values, more than two nodes have by chance.
fn text(name: &str, run: Option<u128>) -> Observation {
    let places =
        (0..8_u64).map(|rank| Coordinates::new().with(Axis::Initiator, rank).with(Axis::Target, rank));
    let values = places.map(|at| value("bandwidth-matrix", Measure::Bandwidth, at, 160.0)).collect();
    let run = run.map(|run| zerohop_result::RunId(uuid::Uuid::from_u128(run)));
    Observation { digest: Some(7), run, ..observation(name, Vec::new(), values) }
}

/// Two nodes both at 160.0 were one, and "no node is bad, of 8".
#[test]
fn equal_values_are_a_copy_only_of_the_same_run_or_of_a_whole_text_of_the_same_node() {
    let mut roster = Roster::default();
    assert_eq!(roster.add(text("a", None)), Added::Node(0));
    assert_eq!(roster.add(text("b", None)), Added::Node(1), "another node");
    assert_eq!(roster.add(text("b", None)), Added::Copy(1));
    assert_eq!(roster.add(text("c", Some(1))), Added::Node(2));
    assert_eq!(roster.add(text("d", Some(2))), Added::Node(3), "another run");
    assert_eq!(roster.add(text("e", Some(1))), Added::Copy(2), "the same run under another name");
    let short = |name: &str| {
        let mut one = text(name, None);
        one.values.truncate(1);
        Observation { digest: Some(8), ..one }
    };
    assert_eq!(roster.add(short("f")), Added::Node(4));
    assert!(matches!(roster.add(short("f")), Added::Repeat { number: 4, .. }));
}

/// A good result of the year 2099, or one without a time, stood for half of what the latest one showed.
#[test]
fn a_time_that_cannot_be_right_is_none_and_a_result_with_a_time_counts_before_one_without() {
    let now: Timestamp = "2026-11-27T12:00:00Z".parse().unwrap();
    let mut roster = Roster::default();
    for (time, share) in
        [("2099-01-01T00:00:00Z", 1.0), ("2026-11-27T00:00:00Z", 0.5), ("1970-01-01T00:00:00Z", 1.0)]
    {
        let mut one = Observation { began_at: Some(time.parse().unwrap()), ..of_host("a", None, share) };
        assert_eq!(one.forget_wrong_time(now), !time.starts_with("2026"), "{time}");
        roster.add(one);
    }
    let own = libm::exp(f64::from(roster.members[0].values()[0].1.value));
    assert!((own - 50.0).abs() < 1.0, "{own}");
    assert_eq!(roster.runs_of(0), (1, 2));
}

/// A node with 5 of 8 DIMMs was left out, since its values were in doubt.
#[test]
fn parts_are_those_of_the_latest_result_whether_it_has_values_or_not() {
    for earlier in [true, false] {
        let mut all: Vec<Observation> =
            (1..=6).map(|key| with_dimms(of_host(&format!("n{key}"), Some(key), 1.0), 8, true)).collect();
        let short = with_dimms(at(2, of_host("b", Some(50), 1.0)), 5, false).of_parts();
        if earlier {
            all.push(with_dimms(at(1, of_host("b", Some(50), 1.0)), 8, true));
        }
        all.push(short);
        let file = analysed(all);
        assert_eq!(names(&file.groups[0]), ["b"], "{earlier}");
        assert_eq!(file.groups[0].bad[0].lost[0].to_string(), "5 of 8 DIMMs");
    }
    let mut roster = Roster::default();
    roster.add(at(1, of_host("b", Some(50), 1.0)));
    roster.add(with_dimms(at(2, of_host("b", Some(50), 1.0)), 5, false).of_parts());
    assert!(roster.is_latest_empty(0) && roster.has_values());
    assert_eq!(roster.add(at(3, of_host("c", Some(51), 1.0)).of_parts()), Added::Empty);
}

/// "no node is bad", of which one had hardly anything that could be judged.
#[test]
fn a_node_without_values_that_most_others_have_is_named_with_these() {
    let stream = || {
        let place = Coordinates::new().with(Axis::Kernel, "triad");
        value("stream", Measure::Bandwidth, place, 70.0)
    };
    let fleet = |odd: &dyn Fn(&mut Observation)| {
        let all = (1..=6).map(|key| {
            let mut one = of_host(&format!("n{key}"), Some(key), 1.0);
            one.values.push(stream());
            if key == 4 {
                odd(&mut one);
            }
            one
        });
        analysed(all)
    };
    assert!(!fleet(&|_| ()).leaves_open());
    let lacks = |odd: &dyn Fn(&mut Observation)| {
        let file = fleet(odd);
        assert!(file.leaves_open() && !file.has_bad());
        let [one] = &file.groups[0].not_compared[..] else { panic!("{file:?}") };
        assert_eq!(one.node, "n4");
        assert!(file.notes.iter().any(|note| note.about == ["n4"]), "{:?}", file.notes);
        one.lacks.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let of_stream = ["bandwidth (stream)"];
    assert_eq!(lacks(&|one| one.values.truncate(4)), of_stream);
    let own = || Scope::all_of(&ExperimentName::known("stream"), Measure::Bandwidth, &stream().place.at);
    // What it has is in doubt, or of half an experiment.
    assert_eq!(lacks(&|one| one.gaps.extend(own().into_iter().take(1))), of_stream);
    let in_doubt = |share: f64| {
        move |one: &mut Observation| {
            let mut stream = one.values.pop().unwrap();
            one.gaps.insert(stream.place.family());
            stream.value.value += libm::log(share) as f32;
            one.doubtful.push(stream);
        }
    };
    assert_eq!(lacks(&in_doubt(0.5)), of_stream);
    assert!(!fleet(&in_doubt(1.0)).leaves_open(), "in doubt, and as usual");
    // Nothing that works has this value.
    assert_eq!(lacks(&|one| one.gaps.extend(own().pop())), ["bandwidth at kernel triad (stream)"]);
}

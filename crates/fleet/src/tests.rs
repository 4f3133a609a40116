use std::collections::{BTreeSet, HashSet};

use zerohop_result::{Axis, Coordinates, ExperimentName, Measure};

use super::observation::{Logarithm, Observed, Place};
use super::parts::Build;
use super::*;

mod checked;
mod drawn;
mod scored;
mod since;
mod told_apart;

/// A machine whose bandwidth and latency matrices have these values, of two nodes each.
fn machine(name: &str, facts: &[(&str, &str)], bandwidth: impl Fn(u64, u64) -> f64) -> Observation {
    let mut values = Vec::new();
    for (from, to) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let at = Coordinates::new().with(Axis::Initiator, from).with(Axis::Target, to);
        values.push(value("bandwidth-matrix", Measure::Bandwidth, at, bandwidth(from, to)));
    }
    let facts: Vec<Fact> =
        facts.iter().map(|(name, value)| Fact { name: (*name).into(), value: (*value).into() }).collect();
    observation(name, facts, values)
}

fn observation(name: &str, facts: Vec<Fact>, values: Vec<Observed>) -> Observation {
    let kind = facts.iter().filter(|fact| fact.name == "processor").cloned().collect();
    let build = Build { kind, is_even: true, ..Build::default() };
    Observation {
        name: name.into(),
        key: None,
        began_at: None,
        run: None,
        build,
        facts,
        digest: None,
        values,
        gaps: BTreeSet::new(),
        doubtful: Vec::new(),
    }
}

/// The same machine with DIMMs, `full` or of a node that has lost some.
fn with_dimms(mut one: Observation, dimms: u64, is_even: bool) -> Observation {
    one.build.parts = Parts([(Part::Dimms, dimms)].into());
    one.build.is_even = is_even;
    one.facts.push(Fact { name: "DIMMs".to_owned(), value: format!("{dimms} × 96 GiB") });
    one
}

fn value(experiment: &'static str, measure: Measure, at: Coordinates, value: f64) -> Observed {
    let sign = if measure.larger_is_better() { 1.0 } else { -1.0 };
    let value = Logarithm { value: (sign * libm::log(value)) as f32, error: 0.0 };
    Observed { place: Place { experiment: ExperimentName::known(experiment), measure, at }, value }
}

fn usual(from: u64, to: u64) -> f64 {
    if from == to { 100.0 } else { 40.0 }
}

fn analysed(all: impl IntoIterator<Item = Observation>) -> FleetFile {
    let mut roster = Roster::default();
    all.into_iter().for_each(|one| {
        roster.add(one);
    });
    analyse(&roster, &GroupBy::Kind, Vec::new()).unwrap().file
}

fn names(group: &FleetGroup) -> Vec<&str> {
    group.bad.iter().map(|bad| bad.node.as_str()).collect()
}

/// Values that differ by up to half a percent, each node's in another way.
fn jitter(node: usize, from: u64, to: u64) -> f64 {
    1.0 + 0.001 * ((node * 7 + from as usize * 3 + to as usize * 5) % 11) as f64 - 0.005
}

#[test]
fn the_bad_ones_are_ranked_by_what_a_program_loses() {
    let fleet = (0..20).map(|node| {
        machine(&format!("n{node}"), &[], |from, to| {
            let share = match (node, from, to) {
                (3, _, _) => 0.5,
                (4, 0, 1) => 0.5,
                (5, _, 1) => 0.8,
                _ => 1.0,
            };
            usual(from, to) * jitter(node, from, to) * share
        })
    });
    let file = analysed(fleet);
    let [group] = &file.groups[..] else { panic!("{file:?}") };
    assert_eq!(names(group), ["n3", "n4", "n5"]);
    let of = |rank: usize| group.bad[rank].deficits[0].scope.to_string();
    assert!(group.bad[0].deficits[0].scope.is_family(), "{:?}", group.bad[0]);
    assert_eq!(of(1), "bandwidth from node 0 to node 1's memory (bandwidth-matrix)");
    assert_eq!(of(2), "bandwidth of node 1's memory (bandwidth-matrix)");
    assert!((group.bad[0].loss - 0.5).abs() < 0.01, "{:?}", group.bad[0]);
    // One of two ways between the nodes at half its rate: a quarter of what all of them carry.
    assert!((0.25..0.35).contains(&group.bad[1].loss), "{:?}", group.bad[1]);
    let deficit = &group.bad[2].deficits[0];
    assert!(
        (deficit.loss - 0.2).abs() < 0.01 && (deficit.found / deficit.usual - 0.8).abs() < 0.01,
        "{deficit:?}"
    );
}

/// One of six whose data all went to one node: other nodes' memory seemed faster by as much as its own was slower, which looked like chance.
#[test]
fn a_bad_machine_that_is_better_elsewhere_is_bad() {
    let fleet = (0..6).map(|node| {
        let share = |from, to| match node {
            3 if from == to => 0.4,
            3 => 2.4,
            _ => 1.0,
        };
        machine(&format!("n{node}"), &[], |from, to| {
            usual(from, to) * jitter(node, from, to) * share(from, to)
        })
    });
    assert_eq!(names(&analysed(fleet).groups[0]), ["n3"]);
}

#[test]
fn better_values_and_small_losses_are_not_bad() {
    let fleet = (0..30).map(|node| {
        let share =
            [(7, 1.3), (8, 0.97)].iter().find(|(odd, _)| *odd == node).map_or(1.0, |(_, share)| *share);
        machine(&format!("n{node}"), &[], |from, to| usual(from, to) * jitter(node, from, to) * share)
    });
    assert!(names(&analysed(fleet).groups[0]).is_empty());
}

#[test]
fn what_all_bad_nodes_have_and_no_other_is_named_first_with_what_cannot_be_told_from_it() {
    let fleet = (0..40).map(|node| {
        let bad = node % 10 == 3;
        let interleaving = if bad { "off" } else { "on" };
        let rack = ["r1", "r2", "r3"][node % 3];
        let serial = node.to_string();
        let facts =
            [("interleaving", interleaving), ("also", interleaving), ("rack", rack), ("serial", &serial)];
        let share = if bad { 0.8 } else { 1.0 };
        machine(&format!("n{node}"), &facts, |from, to| usual(from, to) * jitter(node, from, to) * share)
    });
    let file = analysed(fleet);
    let relation = &file.groups[0].relations[0];
    assert_eq!((relation.bad, relation.others, relation.effect), ((4, 4), (0, 36), 1.0));
    assert_eq!((relation.fact.name.as_str(), relation.same.len()), ("also", 1));
    assert_eq!(relation.same[0].name, "interleaving");
    assert_eq!(
        file.groups[0].relations.len(),
        1,
        "racks explain nothing, and a serial number names one node"
    );
}

#[test]
fn few_of_another_build_are_odd_and_many_are_a_group() {
    let fleet = |other: usize| {
        (0..30).map(move |node| {
            let dimms = if node < other { "8 × 16 GiB" } else { "16 × 16 GiB" };
            machine(&format!("n{node}"), &[("processor", "x"), ("DIMMs", dimms)], usual)
        })
    };
    let file = analysed(fleet(3));
    assert_eq!((file.groups.len(), file.groups[0].odd[0].nodes.len()), (1, 3));
    assert_eq!(file.groups[0].odd[0].usual, "16 × 16 GiB");
    let file = analysed(fleet(10));
    assert_eq!(file.groups.iter().map(|group| group.nodes).collect::<Vec<_>>(), [20, 10]);
}

#[test]
fn the_user_says_what_should_be_alike() {
    let mut roster = Roster::default();
    for node in 0..8 {
        let rack = if node < 3 { "r1" } else { "r2" };
        roster.add(machine(&format!("n{node}"), &[("rack", rack)], usual));
    }
    let by = |name: &str| analyse(&roster, &GroupBy::Facts(vec![name.to_owned()]), Vec::new());
    let sizes: Vec<usize> = by("rack").unwrap().file.groups.iter().map(|group| group.nodes).collect();
    assert_eq!(sizes, [5, 3]);
    assert_eq!(by("row").unwrap_err().known, ["rack"]);
}

#[test]
fn half_a_fleet_is_two_modes() {
    let fleet = (0..20).map(|node| {
        let late = node % 2 == 0;
        let share = if late { 0.7 } else { 1.0 };
        let kernel = if late { "5.1" } else { "6.1" };
        machine(&format!("n{node}"), &[("kernel", kernel)], |from, to| {
            usual(from, to) * jitter(node, from, to) * share
        })
    });
    let file = analysed(fleet);
    let modes = &file.groups[0].modes[0];
    assert!((modes.worse / modes.better - 0.7).abs() < 0.02, "{modes:?}");
    assert_eq!((modes.nodes.len(), modes.relations[0].fact.value.as_str()), (10, "5.1"));
}

#[test]
fn a_group_of_two_is_not_judged_and_one_of_three_is() {
    let fleet = |nodes: usize| {
        (0..nodes).map(|node| {
            let share = if node == 0 { 0.5 } else { 1.0 };
            machine(&format!("n{node}"), &[], move |from, to| usual(from, to) * share)
        })
    };
    let two = analysed(fleet(2));
    assert!(two.groups[0].bad.is_empty() && two.groups[0].not_judged.is_some());
    assert_eq!(names(&analysed(fleet(3)).groups[0]), ["n0"]);
}

#[test]
fn a_copy_counts_once_and_a_repeat_adds_its_values() {
    let mut roster = Roster::default();
    let one = |name: &str, bandwidth: f64| {
        let mut one = machine(name, &[], |_, _| bandwidth);
        one.digest = Some(bandwidth.to_bits());
        one.run = Some(zerohop_result::RunId(uuid::Uuid::from_u128(bandwidth.to_bits().into())));
        one
    };
    assert_eq!(roster.add(one("a", 100.0)), Added::Node(0));
    assert_eq!(roster.add(one("b", 100.0)), Added::Copy(0));
    assert_eq!(roster.add(one("a", 121.0)), Added::Repeat { number: 0, is_latest: true });
    assert_eq!(roster.add(Observation { values: Vec::new(), ..one("c", 1.0) }), Added::Empty);
    let values = roster.members[0].values();
    assert_eq!(values.len(), 4);
    assert!((f64::from(values[0].1.value) - libm::log(110.0)).abs() < 1e-5);
}

#[test]
fn values_of_other_experiments_do_not_make_a_node_bad() {
    let mut fleet: Vec<Observation> = (0..12)
        .map(|node| machine(&format!("n{node}"), &[], |from, to| usual(from, to) * jitter(node, from, to)))
        .collect();
    let at = Coordinates::new().with(Axis::Kernel, "triad");
    fleet[0].values = vec![value("stream", Measure::Bandwidth, at, 1.0)];
    fleet[1].values.truncate(1);
    let file = analysed(fleet);
    assert!(names(&file.groups[0]).is_empty());
    let known: HashSet<usize> = file.groups[0].usual.iter().map(|usual| usual.nodes).collect();
    assert!(known.contains(&11) && known.contains(&10), "{known:?}");
}

#[test]
fn a_node_is_checked_against_its_kind() {
    let mut roster = Roster::default();
    for node in 0..20 {
        let processor = if node < 12 { "x" } else { "y" };
        let share = if node == 3 { 0.5 } else { 1.0 };
        roster.add(machine(&format!("n{node}"), &[("processor", processor)], |from, to| {
            usual(from, to) * jitter(node, from, to) * share
        }));
    }
    let fleet = analyse(&roster, &GroupBy::Kind, Vec::new()).unwrap();
    let baseline = Baseline::of(&roster, &fleet, None);
    assert_eq!(baseline.kinds.iter().map(|kind| kind.nodes).collect::<Vec<_>>(), [12, 8]);
    assert!(baseline.kinds.iter().all(|kind| kind.false_alarms == 0.0), "{baseline:?}");
    let check = |processor: &str, share: f64| {
        let node = machine("here", &[("processor", processor)], |from, to| usual(from, to) * share);
        let checked = baseline.check_observation(&node, None);
        checked.map(|one| one.values.iter().map(|value| (value.is_bad(), value.loss)).collect::<Vec<_>>())
    };
    assert!(check("x", 1.0).unwrap().iter().all(|(bad, _)| !bad));
    assert!(check("y", 1.2).unwrap().iter().all(|(bad, loss)| !bad && *loss < 0.0));
    assert!(check("y", 0.7).unwrap().iter().all(|(bad, loss)| *bad && (loss - 0.3).abs() < 0.01));
    assert!(matches!(check("z", 1.0), Err(Unchecked::NoKind { .. })));
    let at = Coordinates::new().with(Axis::Kernel, "triad");
    let values = vec![value("stream", Measure::Bandwidth, at, 1.0)];
    let other = Observation { values, ..machine("here", &[("processor", "x")], usual) };
    assert_eq!(baseline.check_observation(&other, None), Err(Unchecked::NoValue));
}

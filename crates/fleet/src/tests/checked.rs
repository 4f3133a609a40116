//! Parts that are lost, by machines of a fleet and by one that is checked.

use super::super::check::{Checked, Unchecked};
use super::*;

fn dimms(node: usize, count: u64, is_even: bool, share: f64) -> Observation {
    let of = machine(&format!("n{node:02}"), &[("processor", "x")], |from, to| {
        usual(from, to) * jitter(node, from, to) * share
    });
    with_dimms(of, count, is_even)
}

fn baseline_of(fleet: impl IntoIterator<Item = Observation>, bound: Option<f64>) -> Baseline {
    let mut roster = Roster::default();
    fleet.into_iter().for_each(|one| {
        roster.add(one);
    });
    let fleet = analyse(&roster, &GroupBy::Kind, Vec::new()).unwrap();
    Baseline::of(&roster, &fleet, bound)
}

fn lost(checked: &Result<Checked, Unchecked>) -> Vec<String> {
    checked.iter().flat_map(|one| &one.lost).map(ToString::to_string).collect()
}

/// "no node is bad, of 20": five machines with 15 of 24 DIMMs were a kind of their own.
#[test]
fn a_fault_on_a_fifth_of_the_machines_and_on_more_is_a_fault() {
    for many in [1, 4, 5, 9, 12] {
        let fleet = (0..20).map(|node| match node < many {
            true => dimms(node, 15, false, 0.3),
            false => dimms(node, 24, true, 1.0),
        });
        let file = analysed(fleet);
        let [group] = &file.groups[..] else { panic!("{many}: {file:?}") };
        assert_eq!(group.bad.len(), many, "{group:?}");
        assert!(group.bad.iter().all(|bad| bad.lost[0].to_string() == "15 of 24 DIMMs"), "{group:?}");
        assert!(group.bad.iter().all(|bad| (bad.loss - 0.7).abs() < 0.02), "{many}: {group:?}");
        assert!(group.modes.is_empty(), "they are named already: {group:?}");
    }
}

#[test]
fn two_configurations_are_two_groups_and_a_remark() {
    for half in [5, 10] {
        let fleet = (0..20).map(|node| match node < half {
            true => dimms(node, 12, true, 0.5),
            false => dimms(node, 24, true, 1.0),
        });
        let file = analysed(fleet);
        assert_eq!(file.groups.len(), 2);
        assert!(!file.has_bad() && !file.leaves_open(), "{file:?}");
        let [note] = &file.notes[..] else { panic!("{:?}", file.notes) };
        assert!(
            note.words.starts_with("2 configurations of x") && note.words.contains("12 × 96 GiB"),
            "{note:?}"
        );
    }
    // Few are no configuration, however even: they are held against the others.
    let few = (0..20).map(|node| dimms(node, if node < 3 { 12 } else { 24 }, true, 1.0));
    let file = analysed(few);
    assert_eq!((file.groups.len(), file.groups[0].bad.len()), (1, 3));
    // Of two and two nobody knows which are whole.
    let pairs = (0..4).map(|node| dimms(node, if node < 2 { 12 } else { 24 }, true, 1.0));
    assert!(!analysed(pairs).has_bad());
}

#[test]
fn dimms_that_run_below_their_rating_are_no_configuration() {
    let fleet = |rated_so: bool| {
        (0..20).map(move |node| {
            let (rate, below) = if node < 6 { (3200, !rated_so) } else { (4800, false) };
            let mut one = dimms(node, 24, true, 1.0);
            one.build.parts.0.insert(Part::DimmRate, rate);
            one.build.is_below_rating = below;
            one.facts.last_mut().unwrap().value = format!("24 at {rate}");
            one
        })
    };
    assert_eq!(analysed(fleet(true)).groups.len(), 2);
    let file = analysed(fleet(false));
    assert_eq!((file.groups.len(), file.groups[0].bad.len()), (1, 6));
    assert_eq!(file.groups[0].bad[0].lost[0].to_string(), "DIMMs at 3200 of 4800 MT/s");
}

/// Surveys without root show no DIMMs: such machines were a group of their own.
#[test]
fn machines_that_do_not_show_their_dimms_are_held_against_those_that_do() {
    let fleet = (0..20).map(|node| match node < 8 {
        true => machine(&format!("n{node:02}"), &[("processor", "x")], |from, to| {
            usual(from, to) * jitter(node, from, to) * if node == 2 { 0.5 } else { 1.0 }
        }),
        false => dimms(node, 24, true, 1.0),
    });
    let file = analysed(fleet);
    let [group] = &file.groups[..] else { panic!("{file:?}") };
    assert_eq!(names(group), ["n02"]);
    assert!(group.odd.is_empty(), "{:?}", group.odd);
}

/// Without root, thin nodes beside thick ones are known by their memory alone.
#[test]
fn many_machines_with_less_memory_that_show_no_dimms_may_be_bought_so_and_few_have_lost_some() {
    let fleet = |thin: usize| {
        (0..20).map(move |node| {
            let mut one = machine(&format!("n{node:02}"), &[("processor", "x")], |from, to| {
                usual(from, to) * jitter(node, from, to)
            });
            let gib = if node < thin { 128 } else { 255 };
            one.build.parts = Parts([(Part::Memory, (gib << 30) + node as u64)].into());
            one
        })
    };
    for (thin, bad) in [(1, 1), (4, 4), (5, 0), (10, 0)] {
        assert_eq!(analysed(fleet(thin)).groups[0].bad.len(), bad, "{thin}");
        let baseline = baseline_of(fleet(thin), None);
        let check = |node: usize| baseline.check_observation(&fleet(thin).nth(node).unwrap(), None);
        assert_eq!(check(0).is_ok_and(|one| one.is_bad()), bad > 0, "what was not bad then is not bad now");
        assert!(check(19).is_ok_and(|one| !one.is_bad()));
    }
}

/// "cannot tell: no kind of machine like this one": nodes stayed in service that had lost DIMMs or cores.
#[test]
fn a_node_that_lost_parts_is_bad_and_one_that_shows_none_is_judged_by_its_values() {
    let fleet = (0..9).map(|node| match node {
        5 => dimms(node, 15, false, 0.3),
        _ => dimms(node, 24, true, 1.0),
    });
    let baseline = baseline_of(fleet, None);
    let check = |one: Observation| baseline.check_observation(&one, None);
    for count in [15, 23, 12] {
        let checked = check(dimms(5, count, false, 1.0));
        assert_eq!(lost(&checked), [format!("{count} of 24 DIMMs")]);
        assert!(checked.unwrap().is_bad());
    }
    assert!(!check(dimms(1, 24, true, 1.0)).unwrap().is_bad());
    let bare = |share: f64| machine("here", &[("processor", "x")], |from, to| usual(from, to) * share);
    assert!(!check(bare(1.0)).unwrap().is_bad());
    assert!(check(bare(0.5)).unwrap().is_bad());
    // And the other way round: a baseline that shows no DIMMs.
    let blind = baseline_of((0..9).map(|node| Observation { name: node.to_string(), ..bare(1.0) }), None);
    assert!(!blind.check_observation(&dimms(1, 24, true, 1.0), None).unwrap().is_bad());
    // More than the baseline has: what is usual is not known, but what is worse than less is bad.
    assert!(matches!(check(dimms(1, 48, true, 1.0)), Err(Unchecked::Differs { .. })));
    assert!(check(dimms(1, 48, true, 0.5)).is_err());
}

#[test]
fn of_several_configurations_the_nearest_counts_and_nothing_is_gained_by_itself() {
    let fleet = (0..20).map(|node| match node < 10 {
        true => dimms(node, 12, true, 0.5),
        false => dimms(node, 24, true, 1.0),
    });
    let baseline = baseline_of(fleet, None);
    let check = |one: Observation| baseline.check_observation(&one, None);
    assert!(!check(dimms(1, 12, true, 0.5)).unwrap().is_bad());
    assert!(check(dimms(1, 24, true, 0.5)).unwrap().is_bad());
    assert_eq!(lost(&check(dimms(1, 13, false, 0.5))), ["13 of 24 DIMMs"]);
    assert_eq!(lost(&check(dimms(1, 11, false, 0.5))), ["11 of 12 DIMMs"]);
}

#[test]
fn what_does_not_break_is_named_where_it_differs() {
    let with = |one: Observation, name: &str, value: &str| {
        let mut one = one;
        one.build.kind.push(Fact { name: name.into(), value: value.into() });
        one
    };
    let baseline = baseline_of((0..9).map(|node| with(dimms(node, 24, true, 1.0), "NUMA nodes", "8")), None);
    let error =
        baseline.check_observation(&with(dimms(1, 24, true, 1.0), "NUMA nodes", "2"), None).unwrap_err();
    assert!(error.to_string().contains("2 NUMA nodes here, 8 in the baseline"), "{error}");
    // DIMMs are counted whatever the nodes are.
    let lost_too = baseline.check_observation(&with(dimms(1, 20, false, 1.0), "NUMA nodes", "2"), None);
    assert_eq!(lost(&lost_too), ["20 of 24 DIMMs"]);
}

#[test]
fn a_result_that_has_not_ended_is_not_judged() {
    let baseline = baseline_of((0..9).map(|node| dimms(node, 24, true, 1.0)), None);
    let error = baseline.check_observation(&dimms(1, 24, true, 0.3), Some("it was interrupted")).unwrap_err();
    assert_eq!(error, Unchecked::Unfinished { why: "it was interrupted" });
    assert_eq!(
        lost(&baseline.check_observation(&dimms(1, 20, false, 0.3), Some("it runs"))),
        ["20 of 24 DIMMs"]
    );
}

#[test]
fn a_bound_of_the_users_own_is_that_of_all_values() {
    let baseline = baseline_of((0..4).map(|node| dimms(node, 24, true, 1.0)), Some(0.02));
    assert!(baseline.kinds[0].values.iter().all(|value| (value.bound - 0.02).abs() < 1e-12));
    assert!(baseline.check_observation(&dimms(1, 24, true, 0.96), None).unwrap().is_bad());
}

/// `usual` 0 gave "bad: latency … – ns, usually 0 (-100 %)"; a bound of 99 called everything ok; a later form was "no baseline".
#[test]
fn a_baseline_with_numbers_that_cannot_be_is_refused_and_one_that_was_changed_is_named() {
    let text = baseline_of((0..9).map(|node| dimms(node, 24, true, 1.0)), None).text();
    assert!(Baseline::read(&text).is_ok());
    let compact = serde_json::to_string(&serde_json::from_str::<serde_json::Value>(&text).unwrap()).unwrap();
    assert!(Baseline::read(&compact).is_ok(), "blanks are no content");
    let refused = |path: &str, value: serde_json::Value| {
        let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
        *document.pointer_mut(path).unwrap() = value;
        Baseline::read(&document.to_string()).unwrap_err().to_string()
    };
    for (path, value, words) in [
        ("/kinds/0/values/0/places/0/usual", serde_json::json!(0.0), "which no machine has"),
        ("/kinds/0/values/0/places/0/usual", serde_json::json!(-5.0), "which no machine has"),
        ("/kinds/0/values/0/bound", serde_json::json!(99.0), "above 0 and below 1"),
        ("/kinds/0/values/0/bound", serde_json::json!(-1.0), "above 0 and below 1"),
        ("/kinds/0/nodes", serde_json::json!(2), "`nodes` is 2"),
        ("/kinds/0/false_alarms", serde_json::json!(7.0), "a share must be 0 to 1"),
        ("/kinds/0/values", serde_json::json!([]), "no values"),
        ("/kinds", serde_json::json!([]), "no kind of machine"),
        ("/kinds/0/values/0/bound", serde_json::json!(0.5), "changed after it was written"),
        ("/kinds/0/parts/dimms", serde_json::json!(12), "changed after it was written"),
        ("/digest", serde_json::json!("00"), "changed after it was written"),
        ("/kinds", serde_json::json!("?"), "is not a baseline"),
    ] {
        let error = refused(path, value);
        assert!(error.contains(words), "{path}: {error}");
    }
    let later = Baseline::read("{\"schema_version\": 9, \"sorts\": []}").unwrap_err();
    assert_eq!(later, BaselineError::OtherVersion(9));
    assert!(matches!(Baseline::read(&text[..text.len() / 2]), Err(BaselineError::Malformed(_))));
}

/// "ok: 1 value within a bound", of a baseline with 20.
#[test]
fn a_node_that_lacks_values_of_the_baseline_is_neither_bad_nor_good() {
    let baseline = baseline_of((0..9).map(|node| dimms(node, 24, true, 1.0)), None);
    let with = |share: f64, odd: &dyn Fn(&mut Observation)| {
        let mut one = dimms(1, 24, true, share);
        odd(&mut one);
        baseline.check_observation(&one, None)
    };
    let own = |one: &mut Observation| {
        one.values.retain(|one| one.place.at.number(Axis::Target) == one.place.at.number(Axis::Initiator));
    };
    let open = with(1.0, &own).unwrap_err().to_string();
    assert_eq!(
        open,
        "no usable value for 1 of 2 bounds of the baseline: bandwidth of remote memory (bandwidth-matrix)"
    );
    assert!(with(0.5, &own).unwrap().is_bad(), "what it has is bad");
    let in_doubt = |share: f64| {
        move |one: &mut Observation| {
            let of_own =
                |one: &Observed| one.place.at.number(Axis::Target) == one.place.at.number(Axis::Initiator);
            let (own, mut others): (Vec<_>, Vec<_>) = one.values.drain(..).partition(of_own);
            one.values = own;
            one.gaps.extend(others.first().map(|one| one.place.family()));
            others.iter_mut().for_each(|one| one.value.value += libm::log(share) as f32);
            one.doubtful = others;
        }
    };
    assert!(!with(1.0, &in_doubt(1.0)).unwrap().is_bad(), "in doubt, and as usual");
    assert_eq!(with(1.0, &in_doubt(0.5)).unwrap_err().to_string(), open);
    let zero = |one: &mut Observation| {
        let place = one.values.remove(0).place;
        one.gaps.extend(Scope::all_of(&place.experiment, place.measure, &place.at).pop());
    };
    let open = with(1.0, &zero).unwrap_err().to_string();
    assert!(open.ends_with("bandwidth of node 0's local memory (bandwidth-matrix)"), "{open}");
}

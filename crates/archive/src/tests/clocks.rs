//! Results whose clocks were wrong, and archives whose own clock was.

use super::*;

/// A result of 2099 was the latest of its machine for ever.
#[test]
fn a_result_of_the_future_counts_when_it_arrived() {
    let mut scratch = Scratch::new();
    let addition = scratch.add(&result(1, Some("2099-01-01")), "2010-05-01");
    let remark = addition.clock.unwrap().to_string();
    assert_eq!(
        remark,
        "wrong clock: it claims to have started at 2099-01-01T12:00:00Z; zerohop uses 2010-05-01T12:00:00Z"
    );
    assert_eq!(scratch.add(&result(2, Some("2010-05-02")), "2010-05-02").clock, None);
    let expected = [(2, "2010-05-02T12:00:00Z".to_owned()), (1, "2010-05-01T12:00:00Z".to_owned())];
    for _ in 0..2 {
        assert_eq!(scratch.list(), expected);
        assert_eq!(scratch.latest(), 2);
        // The index that is made again says the same.
        assert_eq!(scratch.verify().whole, 2);
    }
    let machine = &scratch.archive.machines().unwrap()[0];
    assert_eq!((machine.wrong_clocks, machine.last), (1, Some(moment("2010-05-02"))));
    let listed = scratch.archive.list(&Filter::default()).unwrap();
    assert_eq!((listed[0].stated_at, listed[1].stated_at), (None, Some(moment("2099-01-01"))));
    // Filters, histories and what is pruned know the same time.
    let since = Filter { since: Some(moment("2010-05-02T00:00:00Z")), ..Filter::default() };
    assert_eq!(scratch.archive.list(&since).unwrap().len(), 1);
    let history = scratch.archive.history("node-07", crate::Scope::Headlines).unwrap();
    let order: Vec<u8> = history.runs.iter().map(|run| number(&run.listed.id)).collect();
    assert_eq!(order, [1, 2]);
    let pruning = crate::Pruning { keep: 1, ..crate::Pruning::default() };
    let prunable = scratch.archive.prunable(&pruning).unwrap();
    assert_eq!(prunable.iter().map(|one| number(&one.id)).collect::<Vec<_>>(), [1]);
    // Adding it again says it again.
    assert!(scratch.add(&result(1, Some("2099-01-01")), "2010-05-03").clock.is_some());
}

#[test]
fn a_clock_that_was_never_set_does_not_count() {
    let mut scratch = Scratch::new();
    scratch.add(&result(1, Some("2010-05-01")), "2010-05-01");
    let addition = scratch.add(&result(2, Some("1970-01-01")), "2010-05-02");
    assert!(addition.clock.is_some());
    assert_eq!(scratch.latest(), 2);
    assert_eq!(scratch.list()[0], (2, "2010-05-02T12:00:00Z".to_owned()));
}

#[test]
fn a_day_more_is_a_time_zone() {
    let mut scratch = Scratch::new();
    assert_eq!(scratch.add(&result(1, Some("2010-05-02")), "2010-05-01").clock, None);
    assert!(scratch.add(&result(2, Some("2010-05-02T12:00:01Z")), "2010-05-01").clock.is_some());
    assert_eq!(scratch.add(&result(3, Some("2000-01-01T00:00:00Z")), "2010-05-01").clock, None);
    assert!(scratch.add(&result(4, Some("1999-12-31T23:59:59Z")), "2010-05-01").clock.is_some());
}

/// A host that adds its own results to a file has one clock for both.
#[test]
fn what_arrived_in_the_future_counts_with_what_arrived_before_it() {
    let mut scratch = Scratch::new();
    scratch.add(&result(1, Some("2010-05-01")), "2010-05-01");
    // Nobody can know it yet.
    assert_eq!(scratch.add(&result(2, Some("2099-01-01")), "2099-01-01").clock, None);
    assert_eq!(scratch.add(&result(3, None), "2099-01-02").clock, None);
    assert_eq!(scratch.latest(), 3);
    // Whoever writes next does.
    scratch.add(&result(4, Some("2010-05-03")), "2010-05-03");
    assert_eq!(scratch.latest(), 4);
    let expected: Vec<(u8, String)> = [(4, "03"), (3, "01"), (2, "01"), (1, "01")]
        .map(|(number, day)| (number, format!("2010-05-{day}T12:00:00Z")))
        .into();
    assert_eq!(scratch.list(), expected);
    assert_eq!(scratch.archive.machines().unwrap()[0].wrong_clocks, 2);
    scratch.verify();
    assert_eq!(scratch.list(), expected);
}

#[test]
fn an_archive_whose_clock_was_behind_comes_back() {
    let mut scratch = Scratch::new();
    scratch.add(&result(1, Some("2010-05-01")), "2010-05-01");
    // All that is there seems to be of the future: what arrived last is the latest.
    scratch.add(&result(2, None), "2005-01-01");
    assert_eq!(scratch.latest(), 2);
    scratch.add(&result(3, Some("2010-05-03")), "2010-05-03");
    assert_eq!(scratch.latest(), 3);
    let [(3, _), (1, first), (2, _)] = &scratch.list()[..] else { panic!("{:?}", scratch.list()) };
    assert_eq!(first, "2010-05-01T12:00:00Z");
    // A clock that was never set says nothing about others.
    assert_eq!(scratch.add(&result(4, Some("2010-05-04")), "1970-01-01").clock, None);
    assert_eq!(scratch.latest(), 4);
}

/// A folder of results arrives at one time.
#[test]
fn a_wrong_clock_is_never_the_latest_of_what_arrived_with_it() {
    for order in [[1, 2, 3], [2, 1, 3], [2, 3, 1]] {
        let mut scratch = Scratch::new();
        let started = |number| ["2099-01-01", "2010-05-01", "2010-05-02"][usize::from(number) - 1];
        let entries = order.map(|number| result(number, Some(started(number))));
        let added = scratch.archive.add(&entries, moment("2010-06-01")).unwrap();
        assert_eq!(scratch.latest(), 3, "{order:?}");
        assert_eq!(scratch.list().iter().map(|one| one.0).collect::<Vec<_>>(), [3, 2, 1], "{order:?}");
        let odd = added.iter().find_map(|one| one.clock).unwrap();
        assert_eq!(odd.began_at.to_string(), scratch.list()[2].1);
        scratch.verify();
        assert_eq!(scratch.list().iter().map(|one| one.0).collect::<Vec<_>>(), [3, 2, 1], "{order:?}");
        // One that arrives later is later.
        scratch.add(&result(4, Some("2099-01-01")), "2010-06-02");
        assert_eq!(scratch.latest(), 4);
    }
}

/// The same whatever the order in which what is known is found out.
#[test]
fn results_of_one_time_are_in_the_order_of_their_arrival() {
    let mut scratch = Scratch::new();
    for number in 1..=5 {
        scratch.add(&result(number, None), "2010-05-01");
    }
    let order =
        |scratch: &mut Scratch| scratch.list().into_iter().map(|(number, _)| number).collect::<Vec<_>>();
    assert_eq!(order(&mut scratch), [5, 4, 3, 2, 1]);
    assert_eq!(scratch.latest(), 5);
    scratch.verify();
    assert_eq!(order(&mut scratch), [5, 4, 3, 2, 1]);
    assert_eq!(scratch.latest(), 5);
}

/// A bad machine whose clock was years behind was hidden by an earlier result of it.
#[test]
fn what_zerohop_measured_is_not_older_than_zerohop() {
    let mut scratch = Scratch::new();
    let own = |number, started| {
        let mut entry = result(number, Some(started));
        entry.index.origin = "host".to_owned();
        entry
    };
    assert_eq!(scratch.add(&own(1, "2026-05-01"), "2026-05-01").clock, None);
    assert!(scratch.add(&own(2, "2021-05-01"), "2026-05-02").clock.is_some());
    assert_eq!(scratch.latest(), 2);
    // What another tool wrote in that year is as old as it says.
    assert_eq!(scratch.add(&result(3, Some("2021-05-01")), "2026-05-03").clock, None);
    assert_eq!(scratch.latest(), 2);
}

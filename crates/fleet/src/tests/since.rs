//! Since when nodes are bad.

use zerohop_result::{
    Course, HistoricRun, History, ListedResult, Measure, Reading, Role, Series, Timestamp, Trait,
};

use crate::{Scope, ScopeOf, Since};

const EXPERIMENT: &str = "bandwidth-matrix";

fn time(day: usize) -> Timestamp {
    format!("2026-11-{:02}T02:00:00Z", day + 1).parse().unwrap()
}

/// A machine that was measured once a day, with these bandwidths; its firmware is another one from that day on.
fn history(values: &[f64], updated: usize) -> History {
    let run = |day: usize| HistoricRun {
        listed: ListedResult {
            id: format!("{day:08x}"),
            machine: "n1".to_owned(),
            began_at: Some(time(day)),
            stated_at: None,
            origin: "host".to_owned(),
            completion: "complete".to_owned(),
            grade: None,
            unusable: None,
            produced_by: "zerohop".to_owned(),
            experiments: vec![EXPERIMENT.to_owned()],
            cells: 1,
        },
        traits: vec![Trait {
            what: "firmware".to_owned(),
            value: if day < updated { "2.0" } else { "2.1" }.to_owned(),
        }],
    };
    let reading = |(day, value): (usize, &f64)| {
        // No two days are quite alike.
        let value = value * (1.0 + 0.002 * f64::from(u8::try_from(day * 7 % 5).unwrap()));
        (day, Reading { value, low: value * 0.995, high: value * 1.005, doubtful: false })
    };
    let series = Series {
        role: Role::Headline,
        experiment: EXPERIMENT.parse().unwrap(),
        measure: Measure::Bandwidth,
        place: "local".to_owned(),
    };
    History {
        machine: "n1".to_owned(),
        runs: (0..values.len()).map(run).collect(),
        courses: vec![Course { series, readings: values.iter().enumerate().map(reading).collect() }],
    }
}

fn bad() -> Scope {
    Scope { experiment: EXPERIMENT.parse().unwrap(), measure: Measure::Bandwidth, of: ScopeOf::Own }
}

fn course(levels: &[(usize, f64)]) -> Vec<f64> {
    levels.iter().flat_map(|&(days, level)| std::iter::repeat_n(level, days)).collect()
}

#[test]
fn a_step_for_the_worse_says_since_when_and_what_changed_there() {
    let since = Since::of(&bad(), &history(&course(&[(8, 100.0), (8, 70.0)]), 8)).unwrap();
    assert_eq!((since.until, since.from, since.certain), (Some(time(7)), time(8), true));
    assert_eq!(since.traits.len(), 1);
    assert_eq!((since.traits[0].what.as_str(), since.traits[0].to.as_str()), ("firmware", "2.1"));
}

#[test]
fn the_last_step_counts_and_a_repair_is_none() {
    let twice = course(&[(7, 100.0), (7, 70.0), (7, 100.0), (7, 72.0)]);
    assert_eq!(Since::of(&bad(), &history(&twice, 40)).unwrap().from, time(21));
    let repaired = course(&[(8, 100.0), (8, 50.0), (8, 70.0)]);
    assert_eq!(Since::of(&bad(), &history(&repaired, 40)), None);
}

#[test]
fn a_node_that_never_was_better_is_bad_since_its_first_result() {
    let since = Since::of(&bad(), &history(&course(&[(16, 70.0)]), 40)).unwrap();
    assert_eq!((since.until, since.from, since.certain), (None, time(0), true));
}

#[test]
fn a_few_results_do_not_decide() {
    let since = Since::of(&bad(), &history(&course(&[(14, 100.0), (1, 70.0)]), 40)).unwrap();
    assert_eq!((since.until, since.from, since.certain), (Some(time(13)), time(14), false));
    assert_eq!(Since::of(&bad(), &history(&course(&[(1, 70.0)]), 40)), None);
    assert_eq!(Since::of(&bad(), &history(&[], 40)), None);
}

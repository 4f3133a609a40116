//! Shifts: what changed in a machine as a whole, or wherever a node or a pair of nodes is involved.

use zerohop_compare::{Tendency, Whole};
use zerohop_result::{Axis, Cell, ExperimentName, Measure, ResultFile};
use zerohop_workload::{EngineDescription, Origin};

use crate::comparisons::{Chance, cell, changes, compared, experiment, file};

/// A run on a virtual machine of four nodes: latencies and bandwidths of every pair, as far from their usual values as `factor` of initiator and
/// target makes them. The host drifts by 1.5 % as a whole and by 2 % in each cell, and knows of 2.5 %.
fn four_nodes(chance: &mut Chance, faster: impl Fn(u32, u32) -> f64) -> ResultFile {
    let host = libm::exp(0.015 * chance.normal());
    let mut cells = |measure: Measure, usual: f64| -> Vec<Cell> {
        let pairs = (0..4).flat_map(|initiator| (0..4).map(move |target| (initiator, target)));
        let cells = pairs.map(|(initiator, target)| {
            let better = faster(initiator, target) * host * libm::exp(0.02 * chance.normal());
            let value = usual * if measure.larger_is_better() { better } else { 1.0 / better };
            let mut cell = cell(initiator, measure, value, 0.005 * value).with_unseen_drift(0.025);
            cell.at = cell.at.with(Axis::Target, target);
            cell
        });
        cells.collect()
    };
    let experiments = vec![
        experiment(ExperimentName::known("latency-matrix"), cells(Measure::Latency, 100.0)),
        experiment(ExperimentName::known("bandwidth-matrix"), cells(Measure::Bandwidth, 30.0)),
    ];
    let mut file = file(experiments);
    file.origin = Origin::HOST;
    file.engine = EngineDescription::new(&file.origin, "tsc", Vec::new());
    file
}

/// What is certain about whole groups of cells, over 100 comparisons with a run of a machine that changed so.
fn found(seed: u64, faster: impl Fn(u32, u32) -> f64 + Copy) -> Vec<Vec<(Whole, Tendency)>> {
    let mut chance = Chance(seed);
    let comparisons = (0..100).map(|_| {
        let (before, after) = (four_nodes(&mut chance, |_, _| 1.0), four_nodes(&mut chance, faster));
        let comparison = compared(&[("before", &before), ("after", &after)]);
        let certain = comparison.shifts.iter().filter(|shift| shift.tendency != Tendency::Same);
        let mut all: Vec<_> = certain.map(|shift| (shift.whole, shift.tendency)).collect();
        if changes(&comparison) > 0 && all.is_empty() {
            all.push((Whole::Everything, Tendency::Same));
        }
        all
    });
    comparisons.collect()
}

fn times_found(found: &[Vec<(Whole, Tendency)>], wanted: Whole) -> usize {
    found.iter().filter(|all| all.contains(&(wanted, Tendency::Worse))).count()
}

/// Both ends of one test: it finds what changed, and nothing where nothing did.
#[test]
fn a_machine_that_is_slower_throughout_is_found_as_a_whole_and_an_unchanged_one_is_not() {
    let unchanged = found(5, |_, _| 1.0).iter().filter(|all| !all.is_empty()).count();
    assert!(unchanged <= 5, "{unchanged} of 100 unchanged machines");
    assert_eq!(times_found(&found(6, |_, _| 1.0 / 1.2), Whole::Everything), 100);
    let tenth = times_found(&found(7, |_, _| 1.0 / 1.1), Whole::Everything);
    assert!(tenth >= 95, "{tenth} of 100 machines that lost a tenth");
}

#[test]
fn a_node_whose_memory_is_slower_is_named() {
    let slow = found(8, |_, target| if target == 2 { 0.85 } else { 1.0 });
    let named = times_found(&slow, Whole::MemoryOf { node: 2 });
    assert!(named >= 95, "{named} of 100");
    let link = found(9, |one, other| if (one.min(other), one.max(other)) == (1, 3) { 0.75 } else { 1.0 });
    let named = times_found(&link, Whole::Between { nodes: [1, 3] });
    assert!(named >= 90, "{named} of 100");
    let others = slow.iter().filter(|all| all.iter().any(|(whole, _)| matches!(whole, Whole::CpusOf { .. })));
    assert!(others.count() <= 5, "other nodes are named beside it");
}

/// Pairs of other nodes were called better, because the rest of the machine had become worse.
#[test]
fn a_node_whose_own_memory_is_slower_is_named_and_no_other_place_is_better() {
    let local = found(11, |one, other| if (one, other) == (1, 1) { 0.6 } else { 1.0 });
    let named = times_found(&local, Whole::LocalMemoryOf { node: 1 });
    assert!(named >= 90, "{named} of 100");
    let better = local.iter().flatten().filter(|(_, tendency)| *tendency == Tendency::Better).count();
    assert!(better <= 5, "{better} of 100");
}

#[test]
fn the_smallest_change_that_could_be_found_is_stated() {
    let mut chance = Chance(10);
    let (one, other) = (four_nodes(&mut chance, |_, _| 1.0), four_nodes(&mut chance, |_, _| 1.0));
    let comparison = compared(&[("one", &one), ("other", &other)]);
    let other = comparison.ranking.iter().find(|ranked| ranked.name == "other").unwrap();
    let smallest = other.smallest.unwrap();
    assert!(smallest.whole < 0.06 && (0.07..0.20).contains(&smallest.cell), "{smallest:?}");
    assert!(comparison.ranking.iter().any(|ranked| ranked.smallest.is_none()), "the base has none");
}

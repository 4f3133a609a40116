//! Pages of experiments on threads that use other nodes' memory, as a model's results.

use insta::assert_snapshot;
use zerohop_report::pages::Style;
use zerohop_result::{Axis, Cell, Coordinates, ExperimentName, ExperimentResult, Measure};
use zerohop_workload::{Origin, SolverName};

use crate::examples::*;
use crate::shown::*;

/// The page of a simulated result.
fn page(result: &ExperimentResult) -> String {
    let mut file = file(machine(2, 2, 2), vec![result.clone()]);
    file.origin = Origin::model(&file.machine, SolverName::Event, Some(1));
    (file.started_at, file.finished_at) = (None, None);
    experiment_page(&file, result, &Style { colour: false, width: 100 })
}

/// A case's totals and the time of each of its threads.
fn case(scenario: Option<&str>, case: &str, times: &[f64]) -> Vec<Cell> {
    let at = Coordinates::new().with(Axis::Case, case).with(Axis::Background, "low");
    let at = scenario.map_or(at.clone(), |scenario| at.with(Axis::Scenario, scenario));
    let total: f64 = times.iter().sum();
    let threads = case.split(' ').zip(times);
    let threads = threads
        .map(|(thread, &time)| cell(at.clone().with(Axis::Thread, thread), Measure::TimePerLine, time));
    let totals = [
        cell(at.clone(), Measure::TimePerLine, total),
        cell(at.clone(), Measure::RelativeTime, total / 80.0),
    ];
    threads.chain(totals).collect()
}

#[test]
fn hops_stand_by_memory_and_by_mode() {
    let cells = ["read", "write"].into_iter().enumerate().flat_map(|(mode, kernel)| {
        (0u32..4).flat_map(move |target| {
            let at = Coordinates::new()
                .with(Axis::Initiator, 0u32)
                .with(Axis::Target, target)
                .with(Axis::Kernel, kernel);
            let time = 40.0 + 5.0 * f64::from(target) + 10.0 * mode as f64;
            [cell(at.clone(), Measure::TimePerLine, time), cell(at, Measure::RelativeTime, time / 40.0)]
        })
    });
    assert_snapshot!(page(&experiment(ExperimentName::known("hops"), cells.collect())));
}

#[test]
fn cases_stand_beside_the_times_of_their_threads() {
    let cells = [
        case(Some("local"), "0.0.w.0 1.0.w.1", &[42.0, 43.0]),
        case(Some("crossfire"), "0.0.w.1 1.0.w.0", &[56.0, 57.0]),
        case(None, "0.0.r.3", &[48.5]),
    ];
    assert_snapshot!(page(&experiment(ExperimentName::known("crossfire"), cells.concat())));
}

#[test]
fn thousands_of_cases_are_summed_up() {
    let cells = (0..1000).flat_map(|rank| {
        let label = format!("0.0.w.{} 1.0.r.{}", rank % 40, rank / 40);
        case(None, &label, &[40.0 + f64::from(rank) / 20.0, 40.0])
    });
    let page = page(&experiment(ExperimentName::known("crossfire"), cells.collect()));
    assert!(page.lines().count() < 40, "{page}");
    assert!(page.contains("1000 cases") && page.contains("--format csv"), "{page}");
    // The last has the longest time of all, the first the shortest.
    let ends = page.lines().find(|line| line.contains("0.0.w.39 1.0.r.24")).unwrap();
    assert!(ends.contains("0.0.w.0 1.0.r.0"), "{ends}");
}

#[test]
fn a_ramp_tells_where_it_turns() {
    let mut cells = Vec::new();
    for (cores, bandwidth) in [(1u32, 8.0), (2, 16.0), (3, 17.0), (4, 12.0)] {
        let at = Coordinates::new().with(Axis::Target, 3u32).with(Axis::CoresPerNode, cores);
        for node in 0u32..3 {
            cells.push(cell(at.clone().with(Axis::Initiator, node), Measure::Bandwidth, bandwidth / 3.0));
        }
        let all = at.with(Axis::Initiator, "all");
        cells.push(cell(all.clone(), Measure::Bandwidth, bandwidth));
        cells.push(cell(all.clone(), Measure::Latency, 100.0 * f64::from(cores)));
        let turn = |name: &str| all.clone().with(Axis::Statistic, name);
        match cores {
            2 => cells.push(cell(turn("knee"), Measure::Bandwidth, bandwidth)),
            3 => cells.push(cell(turn("peak"), Measure::Bandwidth, bandwidth)),
            4 => cells.push(cell(turn("fall"), Measure::RelativeBandwidth, bandwidth / 17.0)),
            _ => {}
        }
    }
    assert_snapshot!(page(&experiment(ExperimentName::known("ramp"), cells)));
}

#[test]
fn a_counter_has_a_column_wherever_it_is_observed() {
    let at = Coordinates::new().with(Axis::Case, "0.0.w.1 1.0.w.0");
    let parts = [(Axis::Link, "0->1"), (Axis::Channel, "0"), (Axis::Home, "0"), (Axis::Stage, "home")];
    let cells = parts.map(|(axis, name)| cell(at.clone().with(axis, name), Measure::Rejections, 7.0));
    let page = page(&experiment(ExperimentName::known("crossfire"), cells.to_vec()));
    assert_eq!(page.matches("rejections (1/s)").count(), parts.len(), "{page}");
    assert!(!page.contains("other values"), "{page}");
}

#[test]
fn what_happened_inside_has_a_table_for_each_kind_of_part() {
    let at = Coordinates::new().with(Axis::Case, "0.0.w.1 1.0.w.0");
    let mut cells = case(None, "0.0.w.1 1.0.w.0", &[56.0, 57.0]);
    for (link, traffic) in [("0->1", 3.48), ("1->0", 3.5), ("1->3", 0.35)] {
        let at = at.clone().with(Axis::Link, link);
        cells.push(cell(at.clone(), Measure::LinkTraffic, traffic));
        cells.push(cell(at.clone(), Measure::Utilization, traffic / 4.0));
        cells.push(cell(at, Measure::QueueLength, 0.0));
    }
    for channel in ["0", "1"] {
        let at = at.clone().with(Axis::Channel, channel);
        cells.push(cell(at.clone().with(Axis::Direction, "read"), Measure::BusTraffic, 1.2));
        cells.push(cell(at.clone().with(Axis::Direction, "written"), Measure::BusTraffic, 1.1));
        cells.push(cell(at, Measure::Utilization, 0.47));
    }
    cells.push(cell(at.clone().with(Axis::Home, "0"), Measure::Occupancy, 2.5));
    for (stage, time) in [("core", 20.0), ("memory", 72.0)] {
        cells.push(cell(at.clone().with(Axis::Stage, stage), Measure::Latency, time));
    }
    assert_snapshot!(page(&experiment(ExperimentName::known("crossfire"), cells)));
}

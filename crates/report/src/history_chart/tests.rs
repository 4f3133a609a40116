use zerohop_compare::changes;
use zerohop_result::{ListedResult, Measure, Trait};

use super::*;

/// Nobody's page: results lead to addresses.
struct Addresses;

impl Links for Addresses {
    fn address(&self, reference: &Reference) -> Option<String> {
        match reference {
            Reference::Result(id) => Some(format!("/results/{id}")),
            Reference::Machine(_) => None,
        }
    }
}

/// A value each day of November, which loses 18 % with another kernel on the 15th.
fn history(noise: f64, loss: f64) -> History {
    let run = |day: usize| HistoricRun {
        listed: ListedResult {
            id: format!("{day:04}"),
            machine: "node-03".to_owned(),
            began_at: format!("2026-11-{day:02}T03:10:00Z").parse().ok(),
            stated_at: None,
            origin: "host".to_owned(),
            completion: "complete".to_owned(),
            grade: Some("good".to_owned()),
            unusable: None,
            produced_by: "zerohop".to_owned(),
            experiments: vec!["stream".to_owned()],
            cells: 1,
        },
        traits: vec![Trait {
            what: "kernel".to_owned(),
            value: if day < 15 { "5.14" } else { "6.12" }.to_owned(),
        }],
    };
    let reading = |day: usize| {
        // Without an order, and the same each time.
        let sway = ((day * 7919) % 13) as f64 / 6.0 - 1.0;
        let value = 100.0 * (1.0 + noise * sway) * if day < 15 { 1.0 } else { 1.0 - loss };
        (day - 1, Reading { value, low: value * 0.995, high: value * 1.005, doubtful: day == 4 })
    };
    let series = Series {
        role: Role::Headline,
        experiment: "stream".parse().unwrap(),
        measure: Measure::Bandwidth,
        place: "triad_nt".to_owned(),
    };
    History {
        machine: "node-03".to_owned(),
        runs: (1..=30).map(run).collect(),
        courses: vec![Course { series, readings: (1..=30).map(reading).collect() }],
    }
}

fn chart(history: &History) -> HistoryChart {
    history_charts(history, &changes(history, 0.02), &Addresses, 9).remove(0)
}

#[test]
fn a_loss_is_marked_with_what_changed_in_the_machine() {
    let chart = chart(&history(0.005, 0.18));
    assert_eq!(chart.title, "bandwidth (GB/s), triad, non-temporal");
    let [step] = chart.steps.as_slice() else { panic!("{:?}", chart.steps) };
    assert_eq!((step.better, step.traits.as_slice()), (false, ["kernel: 5.14 → 6.12".to_owned()].as_slice()));
    assert_eq!(step.at.unwrap().to_string(), "2026-11-15T03:10:00Z");
    assert!(step.change.starts_with("-18") || step.change.starts_with("-17"), "{}", step.change);
    let plot = &chart.plot;
    assert!(plot.contains(&format!("{} kernel</text>", step.change)), "{plot}");
    assert_eq!(plot.matches("class=\"band\"").count(), 2, "one before the step and one after it");
    assert_eq!(plot.matches("data-result=").count(), 30);
    assert!(plot.contains("<a class=\"point\" href=\"/results/0030\""), "{plot}");
    assert!(plot.contains("2026-11-04 03:10, doubtful</title>"), "{plot}");
}

/// Values that differ by 2.8 % looked like a step of 18 %.
#[test]
fn noise_is_drawn_as_noise() {
    let calm = history(0.014, 0.0);
    let chart = chart(&calm);
    assert_eq!(chart.steps, []);
    let heights: Vec<f64> = chart
        .plot
        .split("<circle ")
        .skip(1)
        .map(|circle| circle.split("cy=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
        .collect();
    let (least, most) =
        heights.iter().fold((f64::MAX, f64::MIN), |(least, most), y| (least.min(*y), most.max(*y)));
    // A plot has some 120 pixels for ten percent or more.
    assert!(most - least < 40.0, "{least} to {most}");
    // The machine changed all the same, and the chart says so at its foot.
    assert!(chart.plot.contains("class=\"changed\""), "{}", chart.plot);
}

#[test]
fn a_list_shows_the_value_that_stepped() {
    let mut history = history(0.005, 0.18);
    let mut calm = history.courses[0].clone();
    calm.series.place = "copy".to_owned();
    calm.readings.iter_mut().for_each(|(_, reading)| reading.value = 50.0);
    history.courses.insert(0, calm);
    let found = changes(&history, 0.02);
    let spark = history_spark(&history, &found).unwrap();
    assert_eq!(spark.caption, "stream triad, non-temporal");
    assert!(spark.picture.contains("aria-label"), "{}", spark.picture);
    history.courses.clear();
    assert_eq!(history_spark(&history, &found), None);
}

#[test]
fn years_of_results_have_no_more_dots_than_a_chart_has_room_for() {
    let mut long = history(0.005, 0.18);
    let runs = long.runs.clone();
    let readings = long.courses[0].readings.clone();
    for round in 1..40 {
        long.runs.extend(runs.iter().cloned());
        long.courses[0].readings.extend(readings.iter().map(|(run, one)| (run + 30 * round, *one)));
    }
    let chart = chart(&long);
    let dots = chart.plot.matches("<circle ").count();
    assert!(dots <= MOST_DOTS + 2 && chart.plot.contains("median of"), "{dots}");
}

#[test]
fn what_no_axis_has_room_for_is_drawn_all_the_same() {
    for value in [0.0, f64::MAX, f64::MIN_POSITIVE, f64::NAN, -1.0] {
        let mut odd = history(0.005, 0.0);
        odd.courses[0].readings[9].1.value = value;
        let chart = chart(&odd);
        assert!(!chart.plot.contains("NaN") && !chart.plot.contains("inf"), "{value}: {}", chart.plot);
        odd.runs.iter_mut().for_each(|run| run.listed.began_at = None);
        assert!(history_charts(&odd, &changes(&odd, 0.02), &Addresses, 9).is_empty());
    }
}

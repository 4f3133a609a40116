//! Changes of machines, found in histories that are drawn: noise, drift and bursts with and without a step.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use zerohop_compare::{MachineChanges, changes};
use zerohop_result::{
    Course, ExperimentName, HistoricRun, History, ListedResult, Measure, Reading, Role, Series, Trait,
};

struct Chance(Pcg64Mcg);

impl Chance {
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * libm::log(self.uniform())).sqrt() * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    fn below(&mut self, end: usize) -> usize {
        (self.uniform() * end as f64) as usize
    }
}

/// How values of a machine vary, as shares of them.
#[derive(Clone, Copy)]
struct Weather {
    /// The standard deviation of a value about its level.
    noise: f64,
    /// That of a run, which all its values share.
    shared: f64,
    /// That of the step of a level from one run to the next.
    drift: f64,
    /// The share of runs with which a burst begins, of one run or two, in which everything is slower by 5 to 30 %.
    bursts: f64,
}

/// A machine whose runs repeat to one percent.
const USUAL: Weather = Weather { noise: 0.01, shared: 0.003, drift: 0.001, bursts: 0.03 };

/// Runs of a machine, and values of a run.
const RUNS: usize = 100;
const VALUES: usize = 60;

/// Runs after a burst before another may begin.
const CALM: usize = 5;

/// A step: the first run after it, the values that step, and how far, as a logarithm.
#[derive(Clone)]
struct Planted {
    at: usize,
    values: Vec<usize>,
    size: f64,
}

impl Planted {
    /// One that falls anywhere but into the first and the last ten runs, of a tenth of the values or more.
    fn draw(chance: &mut Chance, size: f64) -> Self {
        let share = 0.1 + 0.9 * chance.uniform();
        let mut values: Vec<usize> = (0..VALUES).filter(|_| chance.uniform() < share).collect();
        values.extend((values.len() < VALUES / 10).then_some(0..VALUES / 10).into_iter().flatten());
        values.dedup();
        let sign = if chance.uniform() < 0.5 { -1.0 } else { 1.0 };
        Self { at: 10 + chance.below(RUNS - 20), values, size: sign * libm::log1p(size) }
    }
}

fn run(rank: usize, firmware: &str) -> HistoricRun {
    let time = format!("2026-{:02}-{:02}T03:00:00Z", 1 + rank / 28, 1 + rank % 28);
    HistoricRun {
        listed: ListedResult {
            id: format!("run-{rank}"),
            machine: "drawn".to_owned(),
            began_at: time.parse().ok(),
            stated_at: None,
            origin: "host".to_owned(),
            completion: "complete".to_owned(),
            grade: Some("good".to_owned()),
            unusable: None,
            produced_by: String::new(),
            experiments: Vec::new(),
            cells: VALUES as u64,
        },
        traits: vec![Trait { what: "firmware".to_owned(), value: firmware.to_owned() }],
    }
}

fn draw(chance: &mut Chance, weather: Weather, planted: Option<&Planted>) -> History {
    let (mut slow, mut left) = (0.0, 0_usize);
    // Two bursts without calm runs between them would be a change for as many runs.
    let mut calm = CALM;
    let shared: Vec<f64> = (0..RUNS)
        .map(|_| {
            if left == 0 && calm >= CALM && chance.uniform() < weather.bursts {
                (slow, left) = (0.05 + 0.25 * chance.uniform(), 1 + chance.below(2));
            }
            let burst = if left > 0 { slow } else { 0.0 };
            calm = if left > 0 { 0 } else { calm + 1 };
            left = left.saturating_sub(1);
            weather.shared * chance.normal() + burst
        })
        .collect();
    let courses = (0..VALUES).map(|rank| {
        let mut level = libm::log(100.0);
        let steps = planted.filter(|planted| planted.values.contains(&rank));
        let readings = (0..RUNS).map(|run| {
            level += weather.drift * chance.normal();
            level += steps.map_or(0.0, |planted| if planted.at == run { planted.size } else { 0.0 });
            let value = libm::exp(level + shared[run] + weather.noise * chance.normal());
            (run, Reading { value, low: value * 0.98, high: value * 1.02, doubtful: false })
        });
        let readings = readings.collect();
        let experiment: ExperimentName = "latency-matrix".parse().unwrap();
        let place = format!("initiator {rank}, target 0");
        Course { series: Series { role: Role::Cell, experiment, measure: Measure::Latency, place }, readings }
    });
    let courses = courses.collect();
    let firmware =
        |rank: usize| if planted.is_some_and(|planted| rank >= planted.at) { "1.3" } else { "1.2" };
    History {
        machine: "drawn".to_owned(),
        runs: (0..RUNS).map(|rank| run(rank, firmware(rank))).collect(),
        courses,
    }
}

/// The rank of the first run after each change.
fn places(found: &MachineChanges) -> Vec<usize> {
    found
        .changes
        .iter()
        .map(|change| change.after.id.strip_prefix("run-").unwrap().parse().unwrap())
        .collect()
}

/// The share of planted steps that are found within one run, and the false changes per 1,000 runs beside them and without any.
fn measured(weather: Weather, size: f64, machines: usize, seed: u64) -> (f64, f64) {
    let mut chance = Chance(Pcg64Mcg::seed_from_u64(seed));
    let (mut found, mut wrong) = (0, 0);
    for _ in 0..machines {
        let planted = Planted::draw(&mut chance, size);
        let places = places(&changes(&draw(&mut chance, weather, Some(&planted)), 0.02));
        let right = places.iter().filter(|place| place.abs_diff(planted.at) <= 1).count();
        found += right.min(1);
        wrong += places.len() - right.min(1);
        wrong += self::places(&changes(&draw(&mut chance, weather, None), 0.02)).len();
    }
    (found as f64 / machines as f64, wrong as f64 * 1000.0 / (2 * machines * RUNS) as f64)
}

#[test]
fn steps_of_five_percent_are_found_and_little_else() {
    let (found, wrong) = measured(USUAL, 0.05, 40, 1);
    assert!(found >= 0.9, "found {found}");
    assert!(wrong <= 2.0, "{wrong} false changes per 1,000 runs");
}

#[test]
#[ignore = "long: 400 machines of 100 runs for each kind of weather"]
fn docs_archive_says_how_many_steps_are_found() {
    let documented = include_str!("../../../../docs/archive.md");
    let mut missing = Vec::new();
    for (words, weather, size) in [
        ("1 %, step of 5 %", USUAL, 0.05),
        ("1 %, step of 10 %", USUAL, 0.10),
        ("0.5 %, step of 5 %", Weather { noise: 0.005, ..USUAL }, 0.05),
        ("2 %, step of 5 %", Weather { noise: 0.02, ..USUAL }, 0.05),
        ("4 %, step of 5 %", Weather { noise: 0.04, ..USUAL }, 0.05),
        ("1 %, drift of 0.5 % a run, step of 5 %", Weather { drift: 0.005, ..USUAL }, 0.05),
    ] {
        let (found, wrong) = measured(weather, size, 200, 7);
        let row = format!("| {words} | {:.1} % | {wrong:.2} |", found * 100.0);
        if !documented.contains(&row) {
            missing.push(row.clone());
        }
        if weather.noise <= 0.01 && weather.drift <= 0.001 {
            assert!(found >= 0.95 && wrong <= 1.0, "{row}");
        }
    }
    assert!(missing.is_empty(), "docs/archive.md lacks these rows:\n{}", missing.join("\n"));
}

#[test]
fn a_change_names_its_runs_its_sizes_and_what_changed_in_the_machine() {
    let mut chance = Chance(Pcg64Mcg::seed_from_u64(5));
    let planted = Planted { at: 60, values: (0..20).collect(), size: libm::log(1.17) };
    let found = changes(&draw(&mut chance, USUAL, Some(&planted)), 0.02);
    assert_eq!((found.runs, found.series, found.changes.len()), (RUNS, VALUES, 1));
    let change = &found.changes[0];
    assert_eq!((change.before.id.as_str(), change.after.id.as_str()), ("run-59", "run-60"));
    assert_eq!(change.traits.len(), 1);
    assert_eq!((change.traits[0].from.as_str(), change.traits[0].to.as_str()), ("1.2", "1.3"));
    assert!(change.values.len() >= 19, "{}", change.values.len());
    for value in &change.values {
        // A latency that rises is worse.
        assert!(!value.better && value.low < value.ratio && value.ratio < value.high, "{value:?}");
        assert!((value.ratio / 1.17 - 1.0).abs() < 0.02, "{value:?}");
    }
    let covering = change.values.iter().filter(|value| value.low <= 1.17 && 1.17 <= value.high).count();
    assert!(covering * 10 >= change.values.len() * 8, "{covering} of {}", change.values.len());
}

#[test]
fn what_is_different_in_the_last_run_alone_is_not_settled() {
    let mut chance = Chance(Pcg64Mcg::seed_from_u64(6));
    let quiet = Weather { bursts: 0.0, ..USUAL };
    let planted = Planted { at: RUNS - 1, values: (0..VALUES).collect(), size: libm::log(0.8) };
    let found = changes(&draw(&mut chance, quiet, Some(&planted)), 0.02);
    assert!(found.changes.is_empty(), "{:?}", found.changes);
    assert_eq!(found.unsettled.len(), VALUES);
    assert!(found.unsettled.iter().all(|value| value.runs == 1 && value.better && value.ratio < 0.85));
    assert!(changes(&draw(&mut chance, quiet, None), 0.02).unsettled.len() < VALUES / 10);
}

#[test]
fn few_runs_and_doubtful_values_tell_nothing() {
    let mut chance = Chance(Pcg64Mcg::seed_from_u64(8));
    let mut history = draw(&mut chance, USUAL, None);
    history.courses.iter_mut().for_each(|course| course.readings.truncate(5));
    assert_eq!(changes(&history, 0.02).series, 0);
    let mut history = draw(&mut chance, USUAL, None);
    history
        .courses
        .iter_mut()
        .flat_map(|course| &mut course.readings)
        .for_each(|(_, reading)| reading.doubtful = true);
    assert_eq!(changes(&history, 0.02).series, 0);
}

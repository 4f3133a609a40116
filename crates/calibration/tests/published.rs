//! Published runs of Intel MLC: each machine is calibrated on every second value, and predicts the others.
//!
//! The texts are the values that the studies of the same names in `published/` cite, as MLC prints them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use zerohop_calibration::{HeldOut, predict_held_out};
use zerohop_experiment::Sequential;
use zerohop_machine::Settings;
use zerohop_machine_file::{MachineFile, Template};
use zerohop_model::Solver;
use zerohop_result::{ExperimentName, ResultFile};
use zerohop_workload::StopFlag;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The names of the runs.
fn runs() -> Vec<String> {
    let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/published")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut names: Vec<String> =
        paths.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

fn result(run: &str) -> ResultFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/published/{run}.txt"));
    let text = fs::read_to_string(path).unwrap();
    zerohop_importers::import(run, &text, None).unwrap().swap_remove(0).result
}

/// The machine of a run's study: its spec sheet, with parameters that were not chosen on this run.
fn machine(run: &str) -> MachineFile {
    let study = fs::read_to_string(repository().join(format!("published/{run}.toml"))).unwrap();
    let study: toml::Table = study.parse().unwrap();
    let (template, stated) = study["machine"].as_str().unwrap().split_once(',').unwrap();
    let text = fs::read_to_string(repository().join(format!("templates/{template}.toml"))).unwrap();
    let template = Arc::new(Template::parse(template, &text).unwrap());
    let settings: Settings = stated.split(',').map(|word| word.parse().unwrap()).collect();
    template.machine_file(&settings, &Settings::none()).unwrap()
}

/// The values that a fit to half of a run did not use.
fn held_out(run: &str) -> Vec<HeldOut> {
    predict_held_out(&machine(run), &result(run), Solver::Auto, &Sequential, &StopFlag::new()).unwrap()
}

/// The number of values, and the median and the largest of their errors, in percent.
fn errors<'a>(values: impl Iterator<Item = &'a HeldOut>) -> Option<(usize, f64, f64)> {
    let mut errors: Vec<f64> =
        values.map(|value| 100.0 * (value.predicted / value.measured - 1.0).abs()).collect();
    errors.sort_by(f64::total_cmp);
    Some((errors.len(), errors.get(errors.len() / 2).copied()?, errors.last().copied()?))
}

/// The table of docs/calibration.md: a row a run, and one for all.
fn table() -> String {
    let mut rows = vec![
        "| run | latencies | bandwidths | mixes | under load | all | median | worst | |".to_owned(),
        "|---|--:|--:|--:|--:|--:|--:|--:|---|".to_owned(),
    ];
    let mut all = Vec::new();
    let kinds = ["latency-matrix", "bandwidth-matrix", "mixes", "loaded-latency"].map(ExperimentName::known);
    let row = |name: &str, values: &[HeldOut]| {
        let of = |kind: &ExperimentName| {
            let found = errors(values.iter().filter(|value| value.experiment == *kind));
            found.map_or("–".to_owned(), |(_, median, worst)| format!("{median:.1} ({worst:.1})"))
        };
        let [latency, bandwidth, mixes, loaded] = kinds.each_ref().map(of);
        let (count, median, worst) = errors(values.iter()).unwrap();
        let error = |value: &HeldOut| (value.predicted / value.measured - 1.0).abs();
        let farthest = values.iter().max_by(|one, other| error(one).total_cmp(&error(other))).unwrap();
        let place = format!("{}, {}", farthest.experiment, farthest.at);
        format!(
            "| {name} | {latency} | {bandwidth} | {mixes} | {loaded} | {count} | {median:.1} % | {worst:.1} % | {place} |"
        )
    };
    let runs = runs();
    let held_out: Vec<Vec<HeldOut>> = thread::scope(|scope| {
        let started: Vec<_> = runs.iter().map(|run| scope.spawn(|| held_out(run))).collect();
        started.into_iter().map(|run| run.join().unwrap()).collect()
    });
    for (run, values) in runs.iter().zip(held_out) {
        rows.push(row(run, &values));
        all.extend(values);
    }
    rows.push(row("**all**", &all));
    rows.join("\n") + "\n"
}

const BEGIN: &str = "<!-- figures of crates/calibration/tests/published.rs -->\n";
const END: &str = "<!-- end -->\n";

#[test]
#[ignore = "long: fits a machine to half of each published run"]
fn half_of_a_published_run_predicts_the_other_half() {
    let path = repository().join("docs/calibration.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    let table = table();
    if env::var("SNAPSHOTS").is_ok_and(|word| word == "overwrite") {
        fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(written, table, "SNAPSHOTS=overwrite writes the table anew");
}

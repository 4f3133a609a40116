//! Output in MLC's form, read by the rules of the parsers that read MLC's own.

use insta::assert_snapshot;
use regex::Regex;
use zerohop_experiment::catalogue;
use zerohop_machine::{Machine, NodeId};
use zerohop_report::pages::Style;
use zerohop_report::{Form, LatencyChecker, MlcOutput, RenderError, Rendered, Survey, render};
use zerohop_result::{Axis, Cells, Coordinates, ExperimentName, ExperimentResult, Measure, ResultFile};
use zerohop_workload::{Origin, SolverName};

use crate::examples::*;
use crate::shown::*;

/// A tab as an arrow, a line's end as a bar, so that a snapshot shows every character.
fn visible(text: &str) -> String {
    text.replace('\t', "→").replace('\n', "|\n")
}

/// The block of what a host measured.
fn measured(result: &ExperimentResult, machine: &Machine) -> Result<String, RenderError> {
    block(result, machine, &Origin::HOST)
}

fn odd() -> Machine {
    with_memory_node(machine(2, 1, 4), 33)
}

/// PerfSpect: `^\s+(\d+)\s+(\d.*)$` for each line, the second group split at tabs.
fn perfspect_matrix(text: &str) -> Vec<(String, Vec<f64>)> {
    let line = Regex::new(r"(?m)^[ \t]+(\d+)\s+(\d.*)$").unwrap();
    let numbers =
        |group: &str| group.trim().split('\t').map(|number| number.trim().parse().unwrap()).collect();
    line.captures_iter(text).map(|found| (found[1].to_owned(), numbers(&found[2]))).collect()
}

/// PerfSpect: the first two decimal numbers of every line that has them side by side.
fn perfspect_loaded_latency(text: &str) -> Vec<(f64, f64)> {
    let pair = Regex::new(r"\s*[0-9]*\s*([0-9]*\.[0-9]+)\s*([0-9]*\.[0-9]+)").unwrap();
    let lines = text.lines().filter_map(|line| pair.captures(line));
    lines.map(|found| (found[1].parse().unwrap(), found[2].parse().unwrap())).collect()
}

/// SuperBench: every line that begins with a digit is a row, its words the row's number and values.
fn superbench_matrix(text: &str) -> Vec<Vec<f64>> {
    let rows =
        text.lines().filter(|line| line.trim_start().starts_with(|first: char| first.is_ascii_digit()));
    rows.map(|row| row.split_whitespace().skip(1).map(|value| value.parse().unwrap()).collect()).collect()
}

/// SuperBench: of the last six lines, those with words; the first two name the value, the last is the value.
fn superbench_bandwidths(text: &str) -> Vec<(String, f64)> {
    let lines: Vec<&str> = text.lines().collect();
    let last = lines[lines.len() - 6..].iter().filter(|line| !line.trim().is_empty());
    last.map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words[..2].join("_").trim_end_matches(':').to_owned(), words.last().unwrap().parse().unwrap())
    })
    .collect()
}

/// DCPerf: rows follow the line that has "Numa node"; every word after a row's first is a number.
fn dcperf_matrix(text: &str) -> Vec<Vec<f64>> {
    let body = text
        .lines()
        .skip_while(|line| !line.contains("Numa node"))
        .filter(|line| !line.contains("Numa node"));
    let rows = body.map(|line| line.split_whitespace().skip(1).map(|value| value.parse().unwrap()).collect());
    rows.filter(|row: &Vec<f64>| !row.is_empty()).collect()
}

/// DCPerf: rows follow the rule of equal signs.
fn dcperf_loaded_latency(text: &str) -> Vec<(String, f64, f64)> {
    let rows = text.lines().skip_while(|line| !line.contains("====")).skip(1);
    let rows = rows.map(|line| line.split_whitespace().collect::<Vec<_>>()).filter(|words| words.len() > 1);
    rows.map(|words| (words[0].to_owned(), words[1].parse().unwrap(), words[2].parse().unwrap())).collect()
}

/// DCPerf: what stands before and after the word "latency", or rows of a matrix under such a line.
fn dcperf_cache_to_cache(text: &str) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    let mut pattern = String::new();
    for line in text.lines() {
        let parts: Vec<&str> = line.split("latency").map(str::trim).collect();
        if line.contains("Local Socket L2->L2") {
            found.push((parts[0].to_owned(), parts[1].parse().unwrap()));
        } else if line.contains("Remote Socket L2->L2") {
            pattern = parts.join(" ");
        } else if !pattern.is_empty() && !line.contains("Numa Node") {
            let values = line.split_whitespace().skip(1).filter(|value| *value != "-");
            found.extend(values.map(|value| (pattern.clone(), value.parse().unwrap())));
        }
    }
    found
}

/// LISA (lisa/tools/mlc.py): the two matrices within all of MLC's output. Its shell doubles every line's end.
fn lisa_matrix(text: &str, heading: &str) -> String {
    let doubled = text.replace('\n', "\n\n");
    let rows = r"Numa node(?:\s+\d)+(?:\n\n\s+\d(?:\s+\d+\.\d+)+)+";
    let expression = match heading {
        "latencies" => {
            format!(r"Measuring idle latencies for random access \(in ns\)\.\.\.\n\n\s+Numa node\n\n{rows}")
        }
        _ => format!(
            r"Measuring Memory Bandwidths between nodes within system\n\n(?:.*\n)*?\s+Numa node\n\n{rows}"
        ),
    };
    Regex::new(&expression).unwrap().find(&doubled).unwrap().as_str().to_owned()
}

/// LISA: the rows of a matrix of three nodes.
fn lisa_rows(matrix: &str) -> Vec<[f64; 3]> {
    let row = Regex::new(r"(\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)").unwrap();
    row.captures_iter(matrix).map(|row| [2, 3, 4].map(|group| row[group].parse().unwrap())).collect()
}

fn survey_in_mlc_s_form(file: &ResultFile) -> Result<String, RenderError> {
    let survey =
        Survey { result: file, experiments: catalogue(), expectations: None, whole: true, diagnosis: None };
    match render(&survey, Form::Mlc, &Style::default())? {
        Rendered::Text(text) => Ok(text),
        Rendered::Binary(_) => unreachable!(),
    }
}

fn one_output(file: &ResultFile, output: MlcOutput) -> Result<String, RenderError> {
    let checker = LatencyChecker { file, experiments: catalogue(), output: Some(output) };
    match render(&checker, Form::Mlc, &Style::default())? {
        Rendered::Text(text) => Ok(text),
        Rendered::Binary(_) => unreachable!(),
    }
}

#[test]
fn a_survey_prints_what_mlc_prints_without_arguments() {
    let text = survey_in_mlc_s_form(&survey(machine(3, 1, 4))).unwrap();
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("Measuring")).collect();
    assert_eq!(
        headings,
        [
            "Measuring idle latencies for random access (in ns)...",
            "Measuring Peak Injection Memory Bandwidths for the system",
            "Measuring Memory Bandwidths between nodes within system",
            "Measuring Loaded Latencies for the system",
            "Measuring cache-to-cache transfer latency (in ns)...",
        ]
    );
    assert_eq!(text.matches("zerohop, output in the form").count(), 1);
    assert!(!text.contains("\n\n\n") && text.ends_with("\n\n"), "{text}");
    let latencies = lisa_rows(&lisa_matrix(&text, "latencies"));
    assert_eq!(latencies.len(), 3);
    assert_eq!(latencies[0][0], 95.3);
    let bandwidths = lisa_rows(&lisa_matrix(&text, "bandwidths"));
    assert_eq!(bandwidths[0][0], 310_000.0);
    // PerfSpect has each measurement printed by itself.
    let part = |begin: &str| text.split("Measuring ").find(|part| part.starts_with(begin)).unwrap();
    assert_eq!(perfspect_loaded_latency(part("Loaded")).len(), DELAYS.len());
    assert_eq!(perfspect_matrix(part("Memory Bandwidths")).len(), 3);
}

#[test]
fn what_a_survey_lacks_is_a_remark_and_a_survey_without_anything_of_mlc_s_an_error() {
    let mut file = survey(machine(2, 1, 4));
    file.experiments.retain(|one| one.experiment != "mixes");
    let text = survey_in_mlc_s_form(&file).unwrap();
    assert!(text.contains("*** Left out: the result has no mixes\n\nMeasuring Memory Bandwidths"), "{text}");
    file.experiments.retain(|one| one.experiment == "stream");
    let error = survey_in_mlc_s_form(&file).unwrap_err();
    assert_eq!(error.to_string(), "the result has no latency-matrix");
}

#[test]
fn one_latency_in_ns_and_clocks() {
    let file = survey(machine(2, 1, 4));
    let text = one_output(&file, MlcOutput::IdleLatency { target: Some(NodeId(1)) }).unwrap();
    let perfspect = Regex::new(r"\(\s*([\d.]+)\s*ns\)").unwrap();
    let latency: f64 = perfspect.captures(&text).unwrap()[1].parse().unwrap();
    let clocks: f64 =
        Regex::new(r"took ([\d.]+) core clocks").unwrap().captures(&text).unwrap()[1].parse().unwrap();
    assert_eq!(latency, 167.6);
    // Between 3.69 and 3.7 GHz.
    assert!((clocks / latency - 3.695).abs() < 1e-3, "{text}");
    assert!(one_output(&file, MlcOutput::IdleLatency { target: Some(NodeId(7)) }).is_err());
}

#[test]
fn the_heaviest_load_and_the_maximum_bandwidth_are_outputs_of_their_own() {
    let file = survey(machine(2, 1, 4));
    let text = one_output(&file, MlcOutput::LoadedLatency { heaviest: true }).unwrap();
    assert_eq!(perfspect_loaded_latency(&text), [(365.0, 290_000.0)]);
    let text = one_output(&file, MlcOutput::MaxBandwidth).unwrap();
    assert!(text.contains("Measuring Maximum Memory Bandwidths for the system"));
    assert_eq!(superbench_bandwidths(&text).len(), 5);
}

#[test]
fn a_block_says_when_sibling_threads_worked() {
    let mut result = mixes(&machine(2, 1, 4));
    let of_each = "Using only one thread from each core if Hyper-threading is enabled";
    assert!(measured(&result, &machine(2, 1, 4)).unwrap().contains(of_each));
    result.cells.change(|cells| cells.iter_mut().for_each(|cell| cell.evidence.workers = 16)).unwrap();
    let of_all = "Using all the threads from each core if Hyper-threading is enabled";
    assert!(measured(&result, &machine(2, 1, 4)).unwrap().contains(of_all));
}

#[test]
fn latency_matrix() {
    let text = measured(&matrix(&odd(), ExperimentName::known("latency-matrix")), &odd()).unwrap();
    assert_snapshot!(visible(&text));
    let rows = perfspect_matrix(&text);
    assert_eq!(rows[1].0, "1");
    let values: Vec<Vec<f64>> = rows.into_iter().map(|row| row.1).collect();
    assert_eq!(values, [[95.3, 119.6, 307.3], [120.0, 96.3, 308.0]]);
    assert_eq!(superbench_matrix(&text), values);
    assert_eq!(dcperf_matrix(&text), values);
}

#[test]
fn bandwidth_matrix() {
    let text =
        measured(&matrix(&machine(2, 1, 4), ExperimentName::known("bandwidth-matrix")), &machine(2, 1, 4))
            .unwrap();
    assert_snapshot!(visible(&text));
    let values = [[310_000.0, 77_425.0], [77_325.0, 309_000.0]];
    assert_eq!(perfspect_matrix(&text)[1].1, values[1]);
    assert_eq!(superbench_matrix(&text), values);
    assert_eq!(dcperf_matrix(&text), values);
}

#[test]
fn mixes_of_the_whole_machine() {
    let text = measured(&mixes(&machine(2, 1, 4)), &machine(2, 1, 4)).unwrap();
    assert_snapshot!(visible(&text));
    let names: Vec<String> = superbench_bandwidths(&text).into_iter().map(|(name, _)| name).collect();
    let expected =
        ["ALL_Reads", "3:1_Reads-Writes", "2:1_Reads-Writes", "1:1_Reads-Writes", "Stream-triad_like"];
    assert_eq!(names, expected);
    let perfkit = Regex::new(r"(ALL Reads)\s*\:\s+([0-9]*\.[0-9]*)").unwrap();
    assert_eq!(&perfkit.captures(&text).unwrap()[2], "475300.0");
}

#[test]
fn latency_under_load() {
    let text = measured(&loaded_latency(), &machine(2, 1, 4)).unwrap();
    assert_snapshot!(visible(&text));
    let pairs = perfspect_loaded_latency(&text);
    assert_eq!(pairs.len(), DELAYS.len());
    assert_eq!(pairs[0], (365.0, 290_000.0));
    let rows = dcperf_loaded_latency(&text);
    assert_eq!(rows.len(), DELAYS.len());
    assert_eq!(rows[18].0, "20000");
    assert_eq!((rows[18].1, rows[18].2), pairs[18]);
}

#[test]
fn lines_from_cache_to_cache() {
    let machine = machine(2, 1, 4);
    let text = measured(&core_to_core(&machine, 8), &machine).unwrap();
    assert_snapshot!(visible(&text));
    let found = dcperf_cache_to_cache(&text);
    assert_eq!(found[0], ("Local Socket L2->L2 HITM".to_owned(), 24.5));
    assert_eq!(found.len(), 3);
    assert_eq!(found[1].1, found[2].1);
}

#[test]
fn loads_of_lines_within_a_socket_are_hits_and_hitms() {
    let machine = machine(1, 1, 4);
    let mut result = core_to_core(&machine, 4);
    let fetched = [("clean", 21.0), ("modified", 35.5)].map(|(state, value)| {
        let at = Coordinates::new().with(Axis::Level, "L3").with(Axis::Placement, "local");
        cell(at.with(Axis::Scenario, state), Measure::Latency, value)
    });
    result.cells.change(|cells| cells.extend(fetched)).unwrap();
    let text = measured(&result, &machine).unwrap();
    assert!(text.contains("Local Socket L2->L2 HIT  latency\t21.0\n"), "{text}");
    assert!(text.contains("Local Socket L2->L2 HITM latency\t35.5\n"), "{text}");
    assert!(!text.contains("not measured"), "{text}");
    let found = dcperf_cache_to_cache(&text);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn one_node_has_no_remote_matrix() {
    let machine = machine(1, 1, 2);
    let text = measured(&core_to_core(&machine, 2), &machine).unwrap();
    assert!(text.contains("Local Socket") && !text.contains("Remote Socket"), "{text}");
}

/// The remark holds no number that a parser could take for one of the block's.
#[test]
fn a_model_s_block_says_that_nothing_of_it_was_measured() {
    let (mut machine, result) = (machine(2, 1, 4), loaded_latency());
    machine.name = "box-1.5 2.5".to_owned();
    let simulated = block(&result, &machine, &Origin::model(&machine, SolverName::Event, Some(1))).unwrap();
    let remark = "*** Computed by a model of box-1_5 2_5: simulated, not measured";
    assert_eq!(simulated.lines().nth(1), Some(remark));
    let measured = measured(&result, &machine).unwrap();
    assert_eq!(measured.lines().nth(1), Some("*** Measured on this machine"));
    assert_eq!(perfspect_loaded_latency(&simulated), perfspect_loaded_latency(&measured));
}

#[test]
fn what_is_not_whole_is_refused() {
    let mut cut = matrix(&machine(2, 1, 4), ExperimentName::known("latency-matrix"));
    cut.cells.change(|cells| drop(cells.pop())).unwrap();
    let error = measured(&cut, &machine(2, 1, 4)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "latency-matrix lacks node 1 to node 1, which the output format of Intel's Memory Latency Checker requires"
    );
    let empty = experiment(ExperimentName::known("core-to-core"), Vec::new());
    assert!(measured(&empty, &machine(1, 1, 1)).is_err());
    let stream = measured(&stream(&machine(1, 1, 2)), &machine(1, 1, 2)).unwrap_err();
    assert!(stream.to_string().starts_with("stream has no counterpart"), "{stream}");
    assert!(stream.hint().unwrap().contains("mixes"));
}

#[test]
fn of_one_thread_and_all_threads_of_a_core_the_better_is_the_peak_and_is_named() {
    let machine = machine(1, 1, 2);
    let mut result = mixes(&machine);
    let more: Vec<_> = result
        .cells
        .iter()
        .flat_map(|one| {
            // Two threads are faster, but for plain reads.
            let faster = if one.at.is(Axis::Mix, "all_reads") { 0.5 } else { 2.0 };
            [(1u32, 1.0), (2, faster)].map(|(threads, scale)| {
                let at = one.at.clone().with(Axis::ThreadsPerCore, threads);
                cell(at, one.measure, scale * one.estimate.median)
            })
        })
        .collect();
    let alone = measured(&result, &machine).unwrap();
    result.cells = Cells::new(more).unwrap();
    let both = measured(&result, &machine).unwrap();
    assert!(both.contains("*** Faster with one thread from each core: ALL Reads\n"), "{both}");
    let values =
        |text: &str| superbench_bandwidths(text).into_iter().map(|(_, value)| value).collect::<Vec<_>>();
    let ratios: Vec<f64> = values(&both).iter().zip(values(&alone)).map(|(one, other)| one / other).collect();
    assert!((ratios[0] - 1.0).abs() < 1e-9 && ratios[1..].iter().all(|ratio| (ratio - 2.0).abs() < 1e-3));
}

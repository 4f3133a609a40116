//! Lines that a terminal wrapped, or that a form joined, and rates that scripts keep. A value is right, or a line is named.

use zerohop_importers::{ImportError, Imported, import};
use zerohop_result::{Axis, Measure, ResultFile};

use crate::inputs::*;

#[track_caller]
fn read(text: &str) -> Vec<Imported> {
    import("a.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn cells(file: &ResultFile) -> usize {
    file.experiments.iter().map(|experiment| experiment.cells.len()).sum()
}

/// core-to-core-latency's table of so many cores.
fn table(cores: usize) -> String {
    let head: String = (0..cores).map(|core| format!("{core:>8}")).collect();
    let mut text = format!(
        "CPU: A Processor\nNum cores: {cores}\n\n1) CAS latency on a single shared cache line\n\n    {head}\n"
    );
    for row in 0..cores {
        let values: String = (0..row)
            .map(|column| format!("{:>5}±{:<2}", 30 + 7 * row + column, (row + 3 * column) % 14))
            .collect();
        text.push_str(&format!("{row:>7} {values}\n"));
    }
    text + "\n    Min  latency: 37.0ns ±0.2 cores: (1,0)\n"
}

/// Lines as a terminal of that width breaks them.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let letters: Vec<char> = line.trim_end().chars().collect();
        let parts = letters.chunks(width).map(|part| part.iter().collect::<String>());
        lines.extend(if letters.is_empty() { vec![String::new()] } else { parts.collect() });
    }
    lines.join("\n") + "\n"
}

/// The head's second line was taken for a row, and the rest of each row was left out.
#[test]
fn a_table_of_cores_that_a_terminal_wrapped_is_read_whole_or_not_at_all() {
    for cores in [12, 40] {
        let text = table(cores);
        let plain = read(&text).remove(0).result;
        assert_eq!(cells(&plain), cores * (cores - 1) / 2);
        for width in [80, 120] {
            let found = read(&wrapped(&text, width)).remove(0).result;
            assert_eq!(found.experiments, plain.experiments, "{cores} cores, {width} columns");
        }
        let mut whole = 0;
        for width in (41..=200).step_by(3) {
            match import("a.txt", &wrapped(&text, width), None) {
                Ok(found) => {
                    whole += 1;
                    assert_eq!(
                        found[0].result.experiments, plain.experiments,
                        "{cores} cores, {width} columns"
                    );
                }
                Err(ImportError::Broken { line, .. }) => assert!(line.is_some(), "{width}"),
                Err(other) => panic!("{other}"),
            }
        }
        assert!(whole > 40, "{whole} of 54 widths with {cores} cores");
    }
}

#[test]
fn a_row_of_cores_with_too_many_values_is_a_fault_and_one_with_too_few_is_noted() {
    let text = table(4);
    let row = text.lines().find(|line| line.starts_with("      2")).unwrap();
    match import("a", &text.replace(row, &format!("{row}   77±1")), None) {
        Err(ImportError::Broken { line: Some(9), expected, .. }) => assert!(expected.starts_with("2 values")),
        other => panic!("{other:?}"),
    }
    let short = read(&text.replace(row, "      2    44±2")).remove(0).result;
    assert_eq!(cells(&short), 5);
    let notes = warnings(&short);
    assert!(notes.iter().any(|note| note.contains("the last 1 of 2 values of core 2")), "{notes:?}");
}

const LATENCIES: &str = "Numa node Numa node 0 1 0 81.5 130.5 1 130.25 81.25";
const BANDWIDTHS: &str = "Numa node Numa node 0 1 0 122100.5 51300.5 1 51200.5 122000.5";

/// Whoever pastes into a form loses the ends of lines.
#[test]
fn matrices_of_mlc_on_one_line_are_read() {
    let (latencies, bandwidths) =
        ("Measuring idle latencies (in ns)...", "Measuring Memory Bandwidths between nodes within system");
    let apart = |matrix: &str| matrix.replace(" 0 1 0 ", " 0 1\n0 ");
    for text in [
        format!(
            "Intel(R) Memory Latency Checker - v3.11 {latencies} {LATENCIES} {bandwidths} {BANDWIDTHS}\n"
        ),
        format!("{latencies} {LATENCIES}\n{bandwidths} {BANDWIDTHS}\n"),
        format!("{latencies}\n{LATENCIES}\n\n{bandwidths}\nBandwidths are in MB/sec\n{BANDWIDTHS}\n"),
        format!("{latencies}\n{}\n\n{bandwidths}\n{}\n", apart(LATENCIES), apart(BANDWIDTHS)),
    ] {
        let file = read(&text).remove(0).result;
        assert_eq!(names(&file), ["latency-matrix", "bandwidth-matrix"], "{text}");
        assert_eq!(cells(&file), 8, "{text}");
        assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(1, 0)), 130.25);
        assert_eq!(value(&file, "bandwidth-matrix", Measure::Bandwidth, &between(0, 1)), 51.3005);
    }
}

/// Nothing says which value is missing.
#[test]
fn a_matrix_on_one_line_that_lacks_a_value_is_not_guessed() {
    let text = format!("Measuring idle latencies (in ns)...\n{}\n", LATENCIES.replace(" 130.5", ""));
    match import("a", &text, None) {
        Err(ImportError::Broken { .. }) => {}
        other => panic!("{other:?}"),
    }
    let below = "Measuring idle latencies (in ns)...\nNuma node 0 1\n0 81.5 1 130.25 81.25\n";
    match import("a", below, None) {
        Err(ImportError::Broken { line: Some(3), expected, .. }) => assert!(expected.starts_with("2 values")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn rates_of_stream_in_json_have_the_unit_of_their_names() {
    let copy = [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Kernel, word("copy"))];
    for (unit, expected) in
        [("mbps", 201.005), ("mb_s", 201.005), ("MB_per_sec", 201.005), ("mib_s", 201_005.0 * 1.048_576e-3)]
    {
        let text = format!(
            "{{\n \"host\": \"n1\",\n \"stream\": {{\n  \"threads\": 32,\n  \"copy_{unit}\": 201005.0,\n  \"triad_{unit}\": \"211005.0\"\n }}\n}}\n"
        );
        let all = read(&text);
        assert_eq!((all.len(), all[0].unread.len()), (1, 0), "{:?}", all[0].unread);
        let found = value(&all[0].result, "stream", Measure::Bandwidth, &copy);
        assert!((found - expected).abs() < 1e-9, "{unit}: {found}");
        assert_eq!(cells(&all[0].result), 2);
    }
    let text = "[{\"threads\": 1, \"copy_gbps\": 12.5, \"triad_gbps\": 13.5}, {\"threads\": 8, \"copy_gbps\": 80.5, \"fill_gbps\": 9.5, \"triad_gbps\": 90.5}]\n";
    let file = read(text).remove(0).result;
    assert_eq!(names(&file), ["stream-by-threads", "stream"]);
    assert_eq!(value(&file, "stream", Measure::Bandwidth, &copy), 80.5);
    assert!(warnings(&file).iter().any(|note| note.contains("fill_gbps")), "{:?}", warnings(&file));
    // Without a unit, a number may be anything.
    assert!(import("a", "{\"copy\": 12.5, \"triad\": 13.5}\n", None).is_err());
}

/// Somebody's own kernel beside BabelStream's was left out without a word.
#[test]
fn kernels_that_babelstream_does_not_have_are_listed_under_their_names() {
    let table = input("babelstream.txt");
    let triad = table.lines().find(|line| line.starts_with("Triad")).unwrap();
    let text = table.replace(triad, &format!("{triad}\n{}", triad.replace("Triad", "Add4 ")));
    let at = |kernel: &str| {
        [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Kernel, word(kernel))]
    };
    let file = read(&text).remove(0).result;
    let of = |kernel: &str| value(&file, "stream", Measure::Bandwidth, &at(kernel));
    assert_eq!(of("add4"), of("triad"));
    assert_eq!(cells(&file), 1 + cells(&read(&table).remove(0).result));
}

/// A second machine in the middle of a text took the first one's curve.
#[test]
fn a_curve_belongs_to_the_run_whose_reads_it_ends_at() {
    let matrix = |own: f64| {
        format!(
            "Measuring Memory Bandwidths between nodes within system\nBandwidths are in MB/sec\nUsing Read-only traffic type\n\
             \t\tNuma node\nNuma node\t0\t1\n0\t{own:.1}\t24000.0\n1\t24100.0\t{own:.1}\n\n"
        )
    };
    let text = |end: f64| {
        format!(
            "Measuring Peak Injection Memory Bandwidths for the system\nALL Reads        :\t91000.0\n1:1 Reads-Writes :\t80000.0\n\n{}\
             and here is my other one:\n{}\
             Measuring Loaded Latencies for the system\nUsing Read-only traffic type\nInject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n\
             ==========================\n 00000\t310.00\t{end:9.1}\n 00200\t130.00\t 40000.0\n 20000\t 88.00\t  1500.0\n",
            matrix(45_600.0),
            matrix(70_300.0)
        )
    };
    let shapes = |end: f64| -> Vec<Vec<String>> {
        let names = |one: &Imported| {
            one.result.experiments.iter().map(|found| found.experiment.to_string()).collect()
        };
        read(&text(end)).iter().map(names).collect()
    };
    assert_eq!(
        shapes(90_700.0),
        [vec!["mixes", "bandwidth-matrix", "loaded-latency"], vec!["bandwidth-matrix"]]
    );
    assert_eq!(
        shapes(139_000.0),
        [vec!["mixes", "bandwidth-matrix"], vec!["bandwidth-matrix", "loaded-latency"]]
    );
    // Whose it is, nobody can tell: it stays where it stands.
    assert_eq!(
        shapes(20_000.0),
        [vec!["mixes", "bandwidth-matrix"], vec!["bandwidth-matrix", "loaded-latency"]]
    );
    let first = &read(&text(90_700.0))[0].result;
    let curve = first.experiments.iter().find(|found| found.experiment.as_str() == "loaded-latency").unwrap();
    let said: Vec<String> = curve.warnings.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|one| one.contains("follows run 2") && one.contains("140.6")), "{said:?}");
}

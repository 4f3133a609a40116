//! What shells of clusters, terminals and locales do to a text.

use zerohop_importers::{ImportError, decode, import};
use zerohop_result::{Axis, Measure};
use zerohop_workload::Origin;

use crate::inputs::*;

#[test]
fn lines_of_several_hosts_are_a_result_for_each() {
    let all = imported("fleet-pdsh.txt");
    let machines: Vec<&str> = all.iter().map(|one| one.result.machine.name.as_str()).collect();
    assert_eq!(machines, ["node07", "node08"]);
    for (one, far) in all.iter().zip([131.4, 231.5]) {
        assert_eq!(value(&one.result, "latency-matrix", Measure::Latency, &between(0, 1)), far);
    }
    let Origin::Imported(origin) = &all[1].result.origin else { panic!("{:?}", all[1].result.origin) };
    assert_eq!(origin.file, "fleet-pdsh.txt, node08");
    // A host that did not answer does not keep the others from being read, and is not forgotten.
    let unread: Vec<usize> = all[0].unread.iter().map(|range| range.first).collect();
    assert_eq!(unread, [4, 13, 15]);
    assert!(warnings(&all[0].result).iter().any(|one| one.contains("node09: cannot recognize a format")));
}

#[test]
fn parts_below_names_of_hosts_are_a_result_for_each() {
    let all = imported("fleet-dshbak.txt");
    let machines: Vec<&str> = all.iter().map(|one| one.result.machine.name.as_str()).collect();
    assert_eq!(machines, ["n1", "n[2-4]"]);
    let at = [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Kernel, word("triad"))];
    assert_eq!(value(&all[1].result, "stream", Measure::Bandwidth, &at), 303.0005);
    assert!(all.iter().all(|one| one.unread.is_empty()));
}

/// The lines of a message are those of the file.
#[test]
fn a_broken_part_is_named_with_its_line() {
    let text = input("fleet-pdsh.txt");
    let both = text.replace("131.4", "oops").replace("231.5", "oops");
    let Err(ImportError::Broken { line, .. }) = import("a", &both, None) else { panic!() };
    assert_eq!(line, Some(9));
    let one = import("a", &text.replace("131.4", "oops"), None).unwrap();
    assert_eq!(one.len(), 1);
    assert!(warnings(&one[0].result).iter().any(|one| one.contains("node07") && one.contains("line 9")));
}

/// What the tools themselves print has colons and rules, too.
#[test]
fn the_output_of_one_host_is_not_taken_apart() {
    for name in [
        "stream.txt",
        "likwid.txt",
        "numactl-sparse.txt",
        "babelstream.txt",
        "mlc-full.txt",
        "lmbench-run.txt",
    ] {
        for one in imported(name) {
            let Origin::Imported(origin) = &one.result.origin else { panic!("{name}") };
            assert_eq!(origin.file, name);
        }
    }
    let stream = "Copy: 1000.5\nScale: 1000.5\nAdd: 1000.5\nTriad: 1000.5\n".repeat(4);
    let all = import("a", &stream, Some("stream".parse().unwrap())).unwrap();
    assert_eq!(all[0].result.machine.name, "a");
}

#[test]
fn a_recorded_terminal_is_read_as_it_was_shown() {
    let all = imported("mlc-typescript.txt");
    assert_eq!(all.len(), 1);
    assert_eq!(value(&all[0].result, "latency-matrix", Measure::Latency, &between(1, 0)), 132.8);
    let unread: Vec<&str> = all[0].unread.iter().map(|range| range.text.as_str()).collect();
    assert_eq!(unread.len(), 1, "{unread:?}");
    assert!(unread[0].contains("Script started"), "{unread:?}");
    let Origin::Imported(origin) = &all[0].result.origin else { panic!("{:?}", all[0].result.origin) };
    assert_eq!(origin.commands.last().map(String::as_str), Some("exit"));
}

/// The same values, whatever an editor, a terminal or a shell did to the bytes.
#[test]
fn every_text_survives_other_encodings_and_line_ends() {
    for name in
        ["mlc-full.txt", "stream.txt", "numactl-sparse.txt", "clpeak.csv", "mess.csv", "perfspect.json"]
    {
        let text = input(name);
        let plain: Vec<_> = imported(name).into_iter().map(|one| one.result.experiments).collect();
        let dos = text.replace('\n', "\r\n");
        let utf16: Vec<u8> = dos.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked: Vec<u8> = [0xff, 0xfe].into_iter().chain(utf16.iter().copied()).collect();
        let variants = [
            dos.clone().into_bytes(),
            text.replace('\n', "\r").into_bytes(),
            text.replace('\n', "\n\r").into_bytes(),
            format!("\u{feff}{text}").into_bytes(),
            utf16,
            marked,
            text.lines().map(|line| format!("\u{1b}[0m{line}\u{1b}[K\r\n")).collect::<String>().into_bytes(),
            text.lines().map(|line| format!("node07: {line}\n")).collect::<String>().into_bytes(),
        ];
        for (rank, bytes) in variants.iter().enumerate() {
            let all =
                import(name, &decode(bytes), None).unwrap_or_else(|error| panic!("{name}, {rank}: {error}"));
            let found: Vec<_> = all.into_iter().map(|one| one.result.experiments).collect();
            assert_eq!(found, plain, "{name}, variant {rank}");
        }
    }
}

#[test]
fn commas_for_decimal_points_are_read_as_points() {
    let file = only("mlc-decimal-commas.txt", "mlc");
    assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(0, 1)), 131.4);
    assert_eq!(file.experiments[1].cells[0].estimate.median, 261.5);
    let file = only("mess-semicolons.csv", "mess");
    assert_eq!(file.experiments[0].cells[1].estimate.median, 118.75);
}

/// With its line's number as a label, a row would have other values.
#[test]
fn numbered_lines_are_read_without_their_numbers() {
    for name in ["mlc-full.txt", "stream.txt", "numactl-sparse.txt", "lat_mem_rd.txt"] {
        let numbered = |separator: &str| -> String {
            input(name)
                .lines()
                .enumerate()
                .map(|(rank, line)| format!("{:6}{separator}{line}\n", rank + 1))
                .collect()
        };
        let plain = imported(name).remove(0).result;
        for separator in ["\t", ": ", " | "] {
            let found = import(name, &numbered(separator), None).unwrap().remove(0).result;
            assert_eq!(
                (found.experiments, found.machine),
                (plain.experiments.clone(), plain.machine.clone()),
                "{name}"
            );
        }
    }
}

/// A half number is a wrong one.
#[test]
fn a_value_that_the_end_of_a_file_cuts_off_is_left_out() {
    let text = "Measuring idle latencies (in ns)...\nNuma node 0 1\n 0 78.5 119.4\n 1 120.8 7";
    let file = import("a", text, None).unwrap().remove(0).result;
    assert_eq!(file.experiments[0].cells.len(), 3);
    assert!(
        warnings(&file).iter().any(|warning| warning.contains("`7`, the last number")),
        "{:?}",
        warnings(&file)
    );
}

/// `grep 'ALL Reads' *.txt`: a line for each host.
#[test]
fn one_line_of_each_host_is_a_result_for_each() {
    let all = import("a", "hostA: ALL Reads        :\t243159.4\nhostB: ALL Reads        :\t143159.4\n", None)
        .unwrap();
    let machines: Vec<&str> = all.iter().map(|one| one.result.machine.name.as_str()).collect();
    assert_eq!(machines, ["hostA", "hostB"]);
    let at = [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Mix, word("all_reads"))];
    assert_eq!(value(&all[1].result, "mixes", Measure::Bandwidth, &at), 143.1594);
}

/// "no format is recognized".
#[test]
fn a_table_with_a_host_in_each_row_is_a_result_for_each() {
    for text in [
        "|host|result|\n|---|---|\n|node07|Triad: 95000.5|\n|node08|Triad: 94000.5|\n",
        "|host|Function|Best Rate MB/s|\n|---|---|---|\n|node07|Triad:|95000.5|\n|node07|Copy:|91000.5|\n|node08|Triad:|94000.5|\n",
        "host,Function,Best Rate MB/s\nnode07,Triad,95000.5\nnode08,Triad,94000.5\n",
    ] {
        let all = import("a", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found: Vec<(&str, f64)> = all
            .iter()
            .map(|one| {
                let at = [
                    (Axis::Initiator, word("all")),
                    (Axis::Target, word("local")),
                    (Axis::Kernel, word("triad")),
                ];
                (one.result.machine.name.as_str(), value(&one.result, "stream", Measure::Bandwidth, &at))
            })
            .collect();
        assert_eq!(found, [("node07", 95.0005), ("node08", 94.0005)], "{text}");
    }
    let matrices = "|host|Numa node|0|1|\n|---|---|---|---|\n|a1|0|81.2|131.5|\n|a1|1|131.2|82.5|\n|a2|0|81.3|131.6|\n|a2|1|131.3|82.6|\n";
    let all = import("a", matrices, None).unwrap();
    assert_eq!(value(&all[1].result, "latency-matrix", Measure::Latency, &between(1, 0)), 131.3);
    // The unit of the second is in its head, and nobody knows that of the first.
    assert!(import("a", "|host|result|\n|---|---|\n|a1|Triad: 95|\n|a2|Triad: 94|\n", None).is_err());
}

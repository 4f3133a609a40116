//! Numbers that a text itself contradicts, or that no machine has: each is read as it stands, and carries a warning.

use zerohop_importers::import;
use zerohop_result::Measure;
use zerohop_workload::{Warning, Weight};

use crate::inputs::*;

/// What is doubtful about the values of a text, by cell and by experiment.
#[track_caller]
fn doubts(text: &str) -> Vec<String> {
    let imported = import("a.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let files = imported.iter().flat_map(|one| &one.result.experiments);
    let all = files.flat_map(|one| one.cells.iter().flat_map(|cell| &cell.warnings).chain(&one.warnings));
    all.filter(|warning| warning.weight() == Weight::Doubt).map(Warning::to_string).collect()
}

fn bandwidths(rows: &str) -> String {
    format!(
        "Measuring Memory Bandwidths between nodes within system\nBandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n\
         \t\tNuma node\nNuma node\t 0\t 1\n{rows}"
    )
}

/// The remote bandwidth of a text, from node 0 to node 1.
#[track_caller]
fn remote(text: &str) -> f64 {
    let imported = import("a.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(imported[0].unread.is_empty(), "{:?}", imported[0].unread);
    value(&imported[0].result, "bandwidth-matrix", Measure::Bandwidth, &between(0, 1))
}

/// All were refused, or read as other numbers.
#[test]
fn thousands_are_marked_in_every_country_s_way() {
    for rows in [
        " 0\t150'617.2\t76'512.3\n 1\t76'498.1\t150'583.0\n",
        " 0\t150\u{2019}617.2\t76\u{2019}512.3\n 1\t76\u{2019}498.1\t150\u{2019}583.0\n",
        " 0\t150.617,2\t76.512,3\n 1\t76.498,1\t150.583,0\n",
        " 0\t150 617,2\t76 512,3\n 1\t76 498,1\t150 583,0\n",
        " 0   150 617,2   76 512,3\n 1   76 498,1   150 583,0\n",
        " 0 150\u{202f}617,2 76\u{202f}512,3\n 1 76\u{202f}498,1 150\u{202f}583,0\n",
        " 0\t150\u{a0}617,2\t76\u{a0}512,3\n 1\t76\u{a0}498,1\t150\u{a0}583,0\n",
    ] {
        let text = bandwidths(rows);
        assert_eq!(remote(&text), 76.5123, "{text}");
        assert_eq!(doubts(&text), Vec::<String>::new(), "{text}");
    }
}

/// A point between thousands was a decimal point: own memory of 0.15 GB/s, without a word.
#[test]
fn bandwidths_that_no_own_memory_has_are_marked() {
    let text = bandwidths(" 0\t150.617\t76.512\n 1\t76.498\t150.583\n");
    assert!(doubts(&text).iter().filter(|doubt| doubt.contains("the unit may be wrong")).count() >= 2);
    // One of them alone.
    let text = bandwidths(" 0\t150617.2\t76512.3\n 1\t76.498\t150583.0\n");
    assert_eq!(doubts(&text).len(), 1, "{:?}", doubts(&text));
    // A decimal point is lost.
    let text = bandwidths(" 0\t1506172\t76512.3\n 1\t76498.1\t150583.0\n");
    assert!(doubts(&text)[0].contains("10 times as large"), "{:?}", doubts(&text));
    let text = bandwidths(" 0\t150617.2\t765123\n 1\t76498.1\t150583.0\n");
    assert!(doubts(&text)[0].contains("remote memory"), "{:?}", doubts(&text));
}

/// All were read without a word.
#[test]
fn latencies_that_no_matrix_has_beside_each_other_are_marked() {
    let text =
        |first: &str| format!("Measuring idle latencies (in ns)...\nNuma node 0 1\n{first}\n1 138.9 80.2\n");
    assert_eq!(doubts(&text("0 81.2 139.1")), Vec::<String>::new());
    for (first, why) in [
        ("0 81.2 1391", "10 times as large as any other"),
        ("0 812 139.1", "local memory cannot have a higher latency"),
        ("0 8.12 139.1", "every other is at least 10 times as large"),
        ("0 81.2 13.91", "cannot have a lower latency than local memory"),
    ] {
        let doubts = doubts(&text(first));
        assert!(doubts.len() == 1 && doubts[0].contains(why), "{first}: {doubts:?}");
    }
    let rates = "Copy: 186413.8\nScale: 178481.3\nAdd: 199769.1\nTriad: 1987.238\n";
    assert!(doubts(rates)[0].contains("every other is at least 90 times"), "{:?}", doubts(rates));
}

/// The first kernel was taken for the head, and was gone.
#[test]
fn a_table_of_rates_below_a_head_with_the_word_rate_has_its_first_kernel() {
    let text = "kernel;rate (MB/s)\nCopy;186.413,8\nScale;178.481,3\nAdd;199.769,1\nTriad;198.723,8\n";
    let imported = import("a.csv", text, None).unwrap();
    assert_eq!(imported[0].result.experiments[0].cells.iter().count(), 4);
    assert!(imported[0].unread.is_empty(), "{:?}", imported[0].unread);
}

#[test]
fn bits_are_told_from_bytes_and_doubted() {
    let text = |unit: &str, row: &str| {
        format!("Measuring Memory Bandwidths between nodes within system ({unit})\nNuma node\t0\t1\n{row}")
    };
    let rows = "0\t1204.8\t612.0\n1\t612.8\t1204.0\n";
    assert_eq!(remote(&text("Gb/s", rows)), 76.5);
    assert_eq!(
        doubts(&text("Gb/s", rows)),
        ["implausible: `Gb/s` in line 1 may mean bytes, and is read as bits"]
    );
    assert_eq!((remote(&text("Gbit/s", rows)), doubts(&text("Gbit/s", rows)).len()), (76.5, 0));
    assert_eq!((remote(&text("GB/s", rows)), doubts(&text("GB/s", rows)).len()), (612.0, 0));
    let mixes = "ALL Reads        :\t1520.0 Gb/s\n3:1 Reads-Writes :\t1424.0 Gb/s\n";
    assert!(doubts(mixes)[0].contains("`Gb/s` in line 1"), "{:?}", doubts(mixes));
}

#[test]
fn a_unit_that_the_values_contradict_is_doubted() {
    let text = "Measuring Memory Bandwidths between nodes within system\nBandwidths are in GB/s\nNuma node\t0\t1\n\
                0\t150.6\t76.5\n1\t76.4\t150.5\n";
    assert_eq!((remote(text), doubts(text).len()), (76.5, 0));
    let text = text.replace("150.6", "150600.5").replace("76.5", "76500.5");
    assert_eq!(remote(&text), 76.5005);
    assert!(
        doubts(&text).iter().any(|doubt| doubt.contains("too large for the unit")),
        "{:?}",
        doubts(&text)
    );
}

fn stream(arrays: &str, rows: &str) -> String {
    format!(
        "{arrays}Number of Threads counted = 64\nFunction    Best Rate MB/s  Avg time     Min time     Max time\n{rows}"
    )
}

const STREAM: &str = "Copy: 186413.8 0.006911 0.006867 0.006993\nScale: 178481.3 0.007211 0.007172 0.007293\n\
                      Add: 199769.1 0.009712 0.009611 0.009814\nTriad: 198723.8 0.009712 0.009662 0.009814\n";

#[test]
fn arrays_that_caches_may_hold_are_marked() {
    let small = STREAM.replace("0.0", "0.000");
    for text in [
        stream("Total memory required = 2.3 MiB (= 0.0 GiB).\n", STREAM),
        // The rates and times show the size of the arrays.
        stream("", &small),
        "LIKWID MICRO BENCHMARK\nTest: copy_avx\nUsing 16 threads\nSize (Byte): 8000000\nMByte/s: 94263.5\n"
            .to_owned(),
    ] {
        assert!(
            doubts(&text).iter().any(|doubt| doubt.contains("caches are unknown")),
            "{text}: {:?}",
            doubts(&text)
        );
    }
    assert_eq!(
        doubts(&stream("Total memory required = 1831.1 MiB (= 1.8 GiB).\n", STREAM)),
        Vec::<String>::new()
    );
    assert_eq!(doubts(&stream("", STREAM)), Vec::<String>::new());
}

#[test]
fn rates_that_their_own_times_contradict_are_marked() {
    let digit = STREAM.replace("199769.1", "19976.1");
    assert!(doubts(&stream("", &digit))[0].contains("not 20.0"), "{:?}", doubts(&stream("", &digit)));
    let order = STREAM.replace("0.006911 0.006867", "0.006867 0.006911");
    assert!(doubts(&stream("", &order))[0].contains("order"), "{:?}", doubts(&stream("", &order)));
    let babel = "BabelStream\nVersion: 4.0\nPrecision: double\nArray size: 268.4 MB (=0.3 GB)\n\
                 Function    MBytes/sec  Min (sec)   Max         Average\nCopy 96546.7 0.00556 0.00581 0.00571\n\
                 Add 97246.3 0.00828 0.00911 0.00841\nDot 110223.5 0.00487 0.00520 0.00494\n";
    assert_eq!(doubts(babel), Vec::<String>::new());
    assert_eq!(doubts(&babel.replace("97246.3", "48623.1")).len(), 1);
    assert_eq!(doubts(&babel.replace("0.00581", "0.00481")).len(), 1);
    let likwid = "LIKWID MICRO BENCHMARK\nTest: load\nUsing 32 threads\nTime: 1.000000e+00 sec\nSize (Byte): 4000000000\n\
                  Data volume (Byte): 200000000000\nMByte/s: 200000.00\n";
    assert_eq!(doubts(likwid), Vec::<String>::new());
    assert_eq!(doubts(&likwid.replace("MByte/s: 2", "MByte/s: 1")).len(), 1);
    let sizes = "\"stride=128\n0.00049 1.043\n32.00000 81.1\n64.00000 93.4\n128.00000 9.34\n256.00000 99.1\n";
    assert!(doubts(sizes)[0].contains("between 93.4 ns"), "{:?}", doubts(sizes));
}

/// Cycles were nanoseconds, if the title stood above a head without a name.
#[test]
fn cycles_of_a_typed_matrix_are_refused_and_other_units_converted() {
    let text =
        |unit: &str| format!("Idle latency matrix, NUMA ({unit})\n  0 1\n0 0.0812 0.1391\n1 0.1389 0.0802\n");
    let refused = import("a.txt", &text("cycles"), None).unwrap_err().to_string();
    assert!(refused.contains("line 1") && refused.contains("latencies in ns"), "{refused}");
    let imported = import("a.txt", &text("us"), None).unwrap();
    let remote = value(&imported[0].result, "latency-matrix", Measure::Latency, &between(0, 1));
    assert!((remote - 139.1).abs() < 1e-9, "{remote}");
}

#[test]
fn bandwidths_in_the_place_of_loaded_latencies_are_marked() {
    let text = "Measuring Loaded Latencies for the system\nInject\tLatency\tBandwidth\nDelay\t(ns)\tMB/sec\n=====\n \
                00000\t225452.5\t 261.50\n 00050\t222001.0\t 240.60\n 20000\t2212.0\t 79.10\n";
    assert!(doubts(text)[0].contains("may be a bandwidth"), "{:?}", doubts(text));
}

/// Four ranks were one thread.
#[test]
fn ranks_of_mpi_are_threads() {
    let head = "STREAM version $Revision: 1.8 $\nTotal Aggregate memory required = 1831.1 MiB (= 1.8 GiB).\n\
                Data is distributed across 4 MPI ranks\n   Total memory per MPI rank = 457.8 MiB (= 0.4 GiB).\n";
    let threads =
        "Number of Threads requested for each MPI rank = 8\nNumber of Threads counted for rank 0 = 8\n";
    for (head, workers) in [(head.to_owned(), 4), (format!("{head}{threads}"), 32)] {
        let rows = format!("Function    Best Rate MB/s  Avg time     Min time     Max time\n{STREAM}");
        let imported = import("a.txt", &format!("{head}{rows}"), None).unwrap();
        let file = &imported[0].result;
        assert_eq!(names(file), ["stream"]);
        assert_eq!(file.experiments[0].cells.iter().next().unwrap().evidence.workers, workers);
        assert!(imported[0].unread.is_empty(), "{:?}", imported[0].unread);
    }
}

/// 1e308 was printed with 309 digits.
#[test]
fn a_value_beyond_everything_is_left_out_with_a_word() {
    let text = "Measuring idle latencies (in ns)...\nNuma node\t0\t1\n0\t1e308\t139.1\n1\t138.9\t80.2\n";
    assert!(doubts(text)[0].contains("1e308 ns"), "{:?}", doubts(text));
}

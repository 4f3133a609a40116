//! Runs that somebody bound to nodes, and loops of a shell around them.

use zerohop_importers::import;
use zerohop_result::{Axis, Coordinate, Measure, ResultFile};

use crate::inputs::*;

const STREAM: &str = "Number of Threads counted = 16\nFunction    Best Rate MB/s  Avg time     Min time     Max time\n\
                      Copy:          90000.5     0.020     0.018     0.022\nTriad:         95000.5     0.030     0.027     0.033\n";

fn stream(copy: &str, triad: &str) -> String {
    STREAM.replace("90000.5", copy).replace("95000.5", triad)
}

fn triad(initiator: Coordinate, target: Coordinate) -> [(Axis, Coordinate); 3] {
    [(Axis::Initiator, initiator), (Axis::Target, target), (Axis::Kernel, word("triad"))]
}

fn read(text: &str) -> ResultFile {
    let mut all = import("a", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0).result
}

/// All of them were labelled "all nodes".
#[test]
fn stream_on_one_node_is_not_the_machine_s() {
    let (zero, one, all) =
        (stream("90000.5", "95000.5"), stream("80000.5", "85000.5"), stream("170000.5", "180000.5"));
    for text in [
        format!("=== node 0 ===\n{zero}\n=== node 1 ===\n{one}\n=== all nodes ===\n{all}"),
        format!(
            "$ numactl --cpunodebind=0 --membind=0 ./stream\n{zero}$ numactl -N 1 -m 1 ./stream\n{one}$ ./stream\n{all}"
        ),
        format!("$ for n in 0 1; do numactl -N $n -m $n ./stream; done\n{zero}{one}$ ./stream\n{all}"),
        format!("for n in 0 1; do\n  numactl -N $n -m $n ./stream\ndone\n{zero}{one}$ ./stream\n{all}"),
    ] {
        let file = read(&text);
        let at = |initiator| value(&file, "stream", Measure::Bandwidth, &triad(initiator, word("local")));
        assert_eq!((at(number(0)), at(number(1)), at(word("all"))), (95.0005, 85.0005, 180.0005), "{text}");
    }
    let file = read(&format!(
        "numactl --cpunodebind=0 --membind=1 ./stream\n{zero}numactl --interleave=all ./stream\n{all}"
    ));
    assert_eq!(value(&file, "stream", Measure::Bandwidth, &triad(number(0), number(1))), 95.0005);
    assert_eq!(
        value(&file, "stream", Measure::Bandwidth, &triad(word("all"), word("interleaved"))),
        180.0005
    );
}

/// One thread of a node is not the node.
#[test]
fn threads_of_a_node_are_compared_with_those_of_the_node() {
    let single = stream("12000.5", "13000.5").replace("= 16", "= 1");
    let file = read(&format!(
        "=== node 0 ===\n{single}{STREAM}=== everything ===\n{}",
        stream("170000.5", "180000.5").replace("= 16", "= 32")
    ));
    let at = [(Axis::Case, word("1 thread, node 0")), (Axis::Kernel, word("triad"))];
    assert_eq!(value(&file, "stream-by-threads", Measure::Bandwidth, &at), 13.0005);
    assert_eq!(value(&file, "stream", Measure::Bandwidth, &triad(number(0), word("local"))), 95.0005);
    assert_eq!(value(&file, "stream", Measure::Bandwidth, &triad(word("all"), word("local"))), 180.0005);
}

#[test]
fn babelstream_on_one_node_is_not_the_machine_s() {
    let text = format!("$ numactl -N 1 -m 1 ./omp-stream\n{}", input("babelstream.txt"));
    let file = read(&text);
    assert!(value(&file, "stream", Measure::Bandwidth, &triad(number(1), word("local"))) > 100.0);
}

/// The second latency had no size, no stride, and the name of the default.
#[test]
fn multichase_in_a_loop_keeps_its_options() {
    let at = |size: u64, case: &str| [(Axis::Footprint, number(size << 20)), (Axis::Case, word(case))];
    let file = read(
        "$ for s in 64 128; do ./multichase -m 256m -s $s; done\n96.4\n97.2\n$ ./multichase -m 1g -s 512\n99.5\n",
    );
    let latency = |size, case| value(&file, "load-latency", Measure::Latency, &at(size, case));
    assert_eq!(latency(256, "simple, stride 64"), 96.4);
    assert_eq!(latency(256, "simple, stride 128"), 97.2);
    assert_eq!(latency(1024, "simple, stride 512"), 99.5);
    let file = read(
        "for n in 0 1; do\n numactl -N 0 -m $n ./multichase -m 256m -s 128 -c chaseload\ndone\n96.4\n147.2\n",
    );
    let latency = |case| value(&file, "load-latency", Measure::Latency, &at(256, case));
    assert_eq!(latency("chaseload, stride 128, node 0"), 96.4);
    assert_eq!(latency("chaseload, stride 128, node 0, memory node 1"), 147.2);
}

/// The second run was the whole machine's, too.
#[test]
fn threads_of_a_command_line_count_where_stream_does_not_print_them() {
    let run = |triad: &str| {
        format!("Function Best Rate MB/s Avg time Min time Max time\nTriad: {triad} 0.03 0.027 0.04\n")
    };
    let text = format!(
        "$ OMP_NUM_THREADS=32 ./stream_c\n{}$ OMP_NUM_THREADS=16 ./stream_c\n{}",
        run("190000.5"),
        run("95000.5")
    );
    let file = read(&text);
    assert_eq!(value(&file, "stream", Measure::Bandwidth, &triad(word("all"), word("local"))), 190.0005);
    let at = [(Axis::Case, word("16 threads")), (Axis::Kernel, word("triad"))];
    assert_eq!(value(&file, "stream-by-threads", Measure::Bandwidth, &at), 95.0005);
}

/// Kibibytes were read as mebibytes, and the rates were doubted.
#[test]
fn the_memory_of_mpi_stream_is_in_kb() {
    let text = "Array size = 853333333, Offset = 0\nTotal memory required = 19999999.99 KB.\nFunction Rate (MB/s) Avg time Min time Max time\n\
                Copy: 301203.1 0.0460 0.0453 0.0470\nTriad: 311203.1 0.0670 0.0658 0.0670\n";
    let file = read(text);
    assert!(!warnings(&file).iter().any(|one| one.contains("implausible")), "{:?}", warnings(&file));
}

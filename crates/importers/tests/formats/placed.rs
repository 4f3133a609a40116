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

/// The second block was another run's, of nobody knew which memory.
#[test]
fn lat_mem_rd_on_another_nodes_memory_says_so() {
    let block = |stride: u64, far: &str| {
        format!("\"stride={stride}\n0.00049 1.401\n8.00000 21.503\n512.00000 {far}\n\n")
    };
    let (local, remote) = (block(64, "91.504"), block(64, "151.504"));
    let at = |case: &str| [(Axis::Footprint, number(512 << 20)), (Axis::Case, word(case))];
    for text in [
        format!(
            "$ numactl --cpunodebind=0 --membind=0 ./lat_mem_rd -t 512 64\n{local}$ numactl --cpunodebind=0 --membind=1 ./lat_mem_rd -t 512 64\n{remote}"
        ),
        format!(
            "for n in 0 1; do numactl -N 0 -m $n lat_mem_rd -P 1 -N 3 -t 512m 64 2>&1; done\n{local}{remote}"
        ),
        format!(
            "numactl -N 0 -m 0 lat_mem_rd -t 512 64; numactl -N 0 -m 1 lat_mem_rd -t 512 64\n{local}{remote}"
        ),
    ] {
        let file = read(&text);
        let latency = |case| value(&file, "load-latency", Measure::Latency, &at(case));
        assert_eq!(latency("stride 64, random, node 0"), 91.504, "{text}");
        assert_eq!(latency("stride 64, random, node 0, memory node 1"), 151.504, "{text}");
    }
    // One command prints a block for each stride; what comes after them is not its output.
    let file = read(&format!(
        "numactl -N 1 -m 0 lat_mem_rd 512 64 128 > /dev/null\n{local}{}{}",
        block(128, "95.504"),
        block(256, "96.504")
    ));
    let latency = |case| value(&file, "load-latency", Measure::Latency, &at(case));
    assert_eq!(latency("stride 64, node 1, memory node 0"), 91.504);
    assert_eq!(latency("stride 128, node 1, memory node 0"), 95.504);
    assert_eq!(latency("stride 256"), 96.504);
    let file = read(&format!("=== node 1 ===\n{local}"));
    assert_eq!(value(&file, "load-latency", Measure::Latency, &at("stride 64, node 1")), 91.504);
}

#[test]
fn bw_mem_on_another_nodes_memory_says_so() {
    let at = |kernel: &str, case: &str| {
        [(Axis::Footprint, number(512 << 20)), (Axis::Kernel, word(kernel)), (Axis::Case, word(case))]
    };
    for text in [
        "$ numactl --cpunodebind=0 --membind=0 bw_mem 512m rd\n536.87 12345.67\n\
         $ numactl --cpunodebind=0 --membind=1 bw_mem 512m rd\n536.87 6345.67\n",
        "$ for n in 0 1; do numactl -N 0 -m $n ./bw_mem -P 1 512m rd; done\n536.87 12345.67\n536.87 6345.67\n",
        "numactl -N 0 -m 0 bw_mem 512m rd; numactl -N 0 -m 1 bw_mem 512m rd\n536.87 12345.67\n536.87 6345.67\n",
    ] {
        let file = read(text);
        let rate = |case| value(&file, "bandwidth-by-size", Measure::Bandwidth, &at("rd", case));
        assert_eq!(rate("node 0"), 12.34567, "{text}");
        assert_eq!(rate("node 0, memory node 1"), 6.34567, "{text}");
    }
    let file = read(
        "for n in 0 1; do for k in rd wr; do numactl -N 0 -m $n bw_mem 512m $k; done; done\n536.87 12345.67\n536.87 11345.67\n\
         536.87 6345.67\n536.87 5345.67\n",
    );
    let rate = |kernel, case| value(&file, "bandwidth-by-size", Measure::Bandwidth, &at(kernel, case));
    assert_eq!(rate("wr", "node 0"), 11.34567);
    assert_eq!(rate("wr", "node 0, memory node 1"), 5.34567);
}

/// Rates and latencies of several processes were repeats of those of one.
#[test]
fn programs_of_lmbench_state_their_processes() {
    let at = |case: &str| {
        [(Axis::Footprint, number(512 << 20)), (Axis::Kernel, word("rd")), (Axis::Case, word(case))]
    };
    for text in [
        "$ bw_mem 512m rd\n536.87 12345.67\n$ bw_mem -P 2 512m rd\n536.87 20345.67\n$ bw_mem -P4 512m rd\n536.87 30345.67\n",
        "for p in 1 2 4; do bw_mem -P $p 512m rd; done\n536.87 12345.67\n536.87 20345.67\n536.87 30345.67\n",
    ] {
        let file = read(text);
        let rate = |case| value(&file, "bandwidth-by-size", Measure::Bandwidth, &at(case));
        assert_eq!((rate("2 threads"), rate("4 threads")), (20.34567, 30.34567), "{text}");
        assert_eq!(value(&file, "bandwidth-by-size", Measure::Bandwidth, &at("")[..2]), 12.34567, "{text}");
    }
    let block = |latency: f64| format!("\"stride=64\n0.00049 1.5\n512.00000 {latency}\n\n");
    let file = read(&format!(
        "$ lat_mem_rd -P 1 512 64\n{}$ lat_mem_rd -t -P 8 512 64\n{}",
        block(91.5),
        block(121.5)
    ));
    let latency = |case: &str| {
        let at = [(Axis::Footprint, number(512 << 20)), (Axis::Case, word(case))];
        value(&file, "load-latency", Measure::Latency, &at)
    };
    assert_eq!((latency("stride 64"), latency("stride 64, random, 8 threads")), (91.5, 121.5));
}

/// Both runs were those of the whole machine.
#[test]
fn a_number_of_threads_that_a_shell_exports_holds_for_the_runs_below() {
    let run = |rate: f64| {
        let row = |kernel: &str| format!("{kernel}: {rate:.1} 0.2 0.1 0.3\n\n");
        let rows = ["Copy", "Scale", "Add", "Triad"].map(row).concat();
        format!("Function  Best Rate MB/s  Avg time Min time Max time\n\n{rows}")
    };
    for (one, eight) in [
        ("##### export OMP_NUM_THREADS=1\n", "##### export OMP_NUM_THREADS=8\n"),
        ("$ export OMP_NUM_THREADS=1\n$ ./stream\n", "$ export OMP_NUM_THREADS=8\n$ ./stream\n"),
        ("% setenv OMP_NUM_THREADS 1\n", "% setenv OMP_NUM_THREADS 8\n"),
    ] {
        let file = read(&format!("{one}{}{eight}{}", run(10_000.5), run(20_000.5)));
        let at = [(Axis::Case, word("1 thread")), (Axis::Kernel, word("triad"))];
        assert_eq!(value(&file, "stream-by-threads", Measure::Bandwidth, &at), 10.0005, "{one}");
        let at =
            [(Axis::Initiator, word("all")), (Axis::Target, word("local")), (Axis::Kernel, word("triad"))];
        assert_eq!(value(&file, "stream", Measure::Bandwidth, &at), 20.0005, "{one}");
    }
}

#[test]
fn likwid_bench_on_another_nodes_memory_says_so() {
    let run = |rate: &str| {
        format!(
            "LIKWID MICRO BENCHMARK\nTest: load\nUsing 1 work groups\nUsing 16 threads\nMByte/s:\t\t{rate}\n"
        )
    };
    let text = format!(
        "$ numactl --cpunodebind=0 --membind=0 likwid-bench -t load -w S0:4GB:16\n{}\
         $ numactl --cpunodebind=0 --membind=1 likwid-bench -t load -w S0:4GB:16\n{}",
        run("123187.50"),
        run("63187.50")
    );
    let file = read(&text);
    let rate = |case: &str| {
        let at = [
            (Axis::Kernel, word("load")),
            (Axis::Case, word(case)),
            (Axis::Footprint, number(4_000_000_000)),
        ];
        value(&file, "kernel-bandwidth", Measure::Bandwidth, &at)
    };
    assert_eq!(rate("16 threads, node 0"), 123.1875);
    assert_eq!(rate("16 threads, node 0, memory node 1"), 63.1875);
}

/// Both were refused: "no format is recognized".
#[test]
fn rows_of_stream_alone_are_read_with_the_nodes_in_front_of_them() {
    let file = read("Triad:         95000.5     0.030     0.027     0.033\n");
    assert_eq!(value(&file, "stream", Measure::Bandwidth, &triad(word("all"), word("local"))), 95.0005);
    let file = read("Triad: 95000.5\n");
    assert_eq!(value(&file, "stream", Measure::Bandwidth, &triad(word("all"), word("local"))), 95.0005);
    for text in [
        "Node 0 local: Triad: 95000.5 0.030 0.027 0.033\nNode 0 remote: Triad: 45000.5 0.060 0.054 0.066\n\
         Node 1 local: Triad: 94000.5 0.030 0.027 0.033\n",
        "node0 local - Triad: 95000.5\nnode0 remote - Triad: 45000.5\nnode1 local - Triad: 94000.5\n",
    ] {
        let file = read(text);
        let at =
            |node, memory| value(&file, "stream", Measure::Bandwidth, &triad(number(node), word(memory)));
        assert_eq!((at(0, "local"), at(0, "remote"), at(1, "local")), (95.0005, 45.0005, 94.0005), "{text}");
    }
    // These were hosts named "local" and "remote", each with all nodes and local memory.
    let file = read("local: Triad: 95000.5\nremote: Triad: 45000.5\n");
    let at = |memory| value(&file, "stream", Measure::Bandwidth, &triad(word("all"), word(memory)));
    assert_eq!((at("local"), at("remote")), (95.0005, 45.0005));
    let file = read("socket0: Triad: 95000.5\nsocket1: Triad: 94000.5\n");
    assert_eq!(value(&file, "stream", Measure::Bandwidth, &triad(word("socket 1"), word("local"))), 94.0005);
    // Nobody can tell the unit of the first, which run the second is of, or whether the third is STREAM's.
    for text in [
        "Triad: 95\n",
        "second try: Triad: 95000.5\n",
        "cpu0: Triad: 95000.5\ncpu1: Triad: 94000.5\n",
        "Triad: 95000.5 0.030 0.033 0.027\n",
        "Triad: 95000.5 of 120000\n",
    ] {
        let error = import("a", text, None).unwrap_err();
        assert!(error.hint().contains("the unit after each STREAM rate"), "{text}: {}", error.hint());
    }
}

/// Rows were taken for those who read.
#[test]
fn a_title_that_says_that_columns_are_cpus_turns_the_matrix() {
    let rows = "0   81.2   131.5\n1   130.4   82.0\n";
    for head in [
        "            CPU node\nMemory node   0   1\n",
        "CPU nodes\nmem node  0  1\n",
        "|  | CPU node | |\n|---|---|---|\n| Memory node | 0 | 1 |\n",
    ] {
        let file = read(&format!("Measuring idle latencies (in ns)...\n{head}{rows}"));
        let at = |from, to| value(&file, "latency-matrix", Measure::Latency, &between(from, to));
        assert_eq!((at(1, 0), at(0, 1)), (131.5, 130.4), "{head}");
    }
    // MLC's own, and the same in words.
    for head in ["       Memory node\nSocket  0  1\n", "Memory node\nNuma node  0  1\n"] {
        let file = read(&format!("Measuring idle latencies (in ns)...\n{head}{rows}"));
        assert_eq!(value(&file, "latency-matrix", Measure::Latency, &between(0, 1)), 131.5, "{head}");
    }
}

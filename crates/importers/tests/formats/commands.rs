//! What command lines above a run say of it: the memory that `numactl` gives, processes and groups of threads.

use zerohop_importers::import;
use zerohop_result::{Axis, Coordinate, Measure, ResultFile};

use crate::inputs::*;

fn runs(text: &str) -> Vec<ResultFile> {
    let all = import("a", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    all.into_iter().map(|one| one.result).collect()
}

fn only_run(text: &str) -> ResultFile {
    let mut all = runs(text);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

fn reads(file: &ResultFile, memory: Coordinate) -> f64 {
    let at = [(Axis::Initiator, word("all")), (Axis::Target, memory), (Axis::Mix, word("all_reads"))];
    value(file, "mixes", Measure::Bandwidth, &at)
}

/// The peak of a CXL device (18.6 GB/s) was that of the whole machine on local memory.
#[test]
fn mlc_on_memory_that_numactl_gave_is_not_on_local_memory() {
    let peak = |command: &str, reads: f64| {
        format!(
            "$ sudo {command} --peak_injection_bandwidth\nIntel(R) Memory Latency Checker - v3.9a\n\
             Command line parameters: --peak_injection_bandwidth\n\n\
             Measuring Peak Injection Memory Bandwidths for the system\nALL Reads        :      {reads:.1}\n\n"
        )
    };
    let text = [
        peak("./mlc", 286_145.2),
        peak("numactl -c 1 -m 2 ./mlc", 18_614.3),
        peak("numactl --interleave=all ./mlc", 160_510.8),
        peak("numactl -N 1 ./mlc", 280_392.7),
    ];
    let files = runs(&text.concat());
    assert_eq!(reads(&files[0], word("local")), 286.1452);
    assert_eq!(reads(&files[0], number(2)), 18.6143);
    assert_eq!(reads(&files[0], word("interleaved")), 160.5108);
    // MLC pins its threads itself: those of all nodes read their own memory.
    assert_eq!(reads(&files[1], word("local")), 280.3927);
    let file = only_run(&format!(
        "$ for m in 0 2; do numactl -m $m ./mlc --peak_injection_bandwidth; done\n{}{}",
        peak("", 160_510.8).split_once('\n').unwrap().1,
        peak("", 18_614.3).split_once('\n').unwrap().1
    ));
    assert_eq!((reads(&file, number(0)), reads(&file, number(2))), (160.5108, 18.6143));
}

/// The latency of another node's memory was that of the CPU's own, and memory that all nodes load was that of each.
#[test]
fn latencies_of_mlc_are_of_the_memory_that_numactl_gave() {
    let idle = "Each iteration took 308.4 base frequency clocks (  141.4 ns)\n";
    let at = |memory: Coordinate| [(Axis::Cpu, number(0)), (Axis::Target, memory)];
    let file = only_run(&format!("$ numactl --membind=1 ./mlc --idle_latency -c0\n{idle}"));
    assert_eq!(value(&file, "idle-latency", Measure::Latency, &at(number(1))), 141.4);
    // Its own option says more, and one of numactl is none of MLC's.
    let file = only_run(&format!("$ numactl -c1 -m1 ./mlc --idle_latency -j0\n{idle}"));
    assert_eq!(value(&file, "idle-latency", Measure::Latency, &at(number(0))), 141.4);
    let file = only_run(
        "$ numactl -m 2 ./mlc --loaded_latency\nIntel(R) Memory Latency Checker - v3.9a\n\
         Command line parameters: --loaded_latency\n\nMeasuring Loaded Latencies for the system\n 00000 681.02 18811.8\n",
    );
    let loaded = [
        (Axis::Initiator, number(0)),
        (Axis::Target, number(2)),
        (Axis::Delay, number(0)),
        (Axis::Case, word("loaded by all nodes")),
    ];
    assert_eq!(value(&file, "loaded-latency", Measure::Latency, &loaded), 681.02);
}

/// Bold type of a page was a remark of MLC's.
#[test]
fn three_asterisks_of_markdown_are_no_remark_of_the_tool() {
    let text = "*** Unable to modify prefetchers (try executing 'modprobe msr')\nMeasuring idle latencies (in ns)...\n\
                \tNuma node\nNuma node\t0\t1\n0\t81.2\t131.5\n1\t130.4\t82.0\n\n***Question: which buffer is it?*** It is 200 MB.\n";
    let said: Vec<String> =
        warnings(&only_run(text)).into_iter().filter(|one| one.contains("tool reports")).collect();
    assert_eq!(said.len(), 1, "{said:?}");
}

/// Eight processes were one, and memory of another node was anywhere.
#[test]
fn lmbench_s_stream_has_the_processes_and_the_place_of_its_command() {
    let run = |command: &str, copy: f64| {
        format!(
            "{command}\nSTREAM copy latency: 1.28 nanoseconds\nSTREAM copy bandwidth: {copy:.2} MB/sec\n\
             STREAM triad latency: 2.39 nanoseconds\nSTREAM triad bandwidth: 10057.06 MB/sec\n"
        )
    };
    let text = [
        run("numactl --physcpubind=0 --membind=0 /usr/lib/lmbench/bin/stream -P 1 -M 1024M -N 5", 12_461.97),
        run("numactl --physcpubind=0 --membind=1 /usr/lib/lmbench/bin/stream -P 1 -M 1024M -N 5", 11_385.56),
        run(
            "numactl --physcpubind=0-7 --membind=0 /usr/lib/lmbench/bin/stream -P 8 -M 1024M -N 5",
            46_677.37,
        ),
        run("$ ./stream -M 64M -P16", 63_257.88),
    ];
    let file = only_run(&text.concat());
    let copy = |case: &str| {
        value(
            &file,
            "stream-by-threads",
            Measure::Bandwidth,
            &[(Axis::Case, word(case)), (Axis::Kernel, word("copy"))],
        )
    };
    assert_eq!(copy("1 thread, CPUs 0, memory node 0"), 12_461.97 / 1e3);
    assert_eq!(copy("1 thread, CPUs 0, memory node 1"), 11_385.56 / 1e3);
    assert_eq!(copy("8 threads, CPUs 0-7, memory node 0"), 46_677.37 / 1e3);
    assert_eq!(copy("16 threads"), 63_257.88 / 1e3);
    let workers = |file: &ResultFile| -> Vec<u32> {
        file.experiments[0].cells.iter().map(|cell| cell.evidence.workers).collect()
    };
    assert_eq!(workers(&file), [1, 1, 1, 1, 8, 8, 16, 16]);
    let unnamed = "STREAM copy bandwidth: 12461.97 MB/sec\nSTREAM2 copy bandwidth: 12061.97 MB/sec\n";
    assert_eq!(workers(&only_run(&format!("[SYNC_MAX: 4]\n{unnamed}"))), [4, 4]);
    // Nobody knows without a command line, and with a variable.
    assert_eq!(workers(&only_run(unnamed)), [0, 0]);
    assert_eq!(workers(&only_run("./stream -P $p -M 1024M\nSTREAM copy bandwidth: 12461.97 MB/sec\n")), [0]);
}

/// 90 GB/s of a build with OpenMP were those of one thread, because somebody had left out most of the banner.
#[test]
fn a_shortened_banner_of_stream_does_not_say_that_there_is_one_thread() {
    let rule = "-------------------------------------------------------------\n";
    let rows = "Function    Best Rate MB/s  Avg time     Min time     Max time\n\
                Copy:           90014.1     0.031581     0.014220     0.050416\n\
                Triad:          98350.8     0.028845     0.019522     0.037835\n";
    let version = "STREAM version $Revision: 5.10 $\n";
    assert_eq!(names(&only_run(&format!("{rule}{version}{rule}{rows}"))), ["stream"]);
    let whole = format!(
        "{rule}{version}{rule}Each kernel will be executed 10 times.\n The *best* time for each kernel (excluding the first iteration)\n \
         will be used to compute the reported bandwidth.\n{rule}Your clock granularity/precision appears to be 1 microseconds.\n{rule}{rows}"
    );
    assert_eq!(names(&only_run(&whole)), ["stream-by-threads"]);
}

/// The memory domain of `-w M0:1GB` was left out, and a calculation behind a rate refused the text.
#[test]
fn likwid_bench_has_the_groups_of_its_command() {
    let file = only_run(
        "Command: `likwid-bench -t stream_mem_avx_fma -w M0:1GB`\n\nMByte/s: 148545.59 / 1024 = 145GB/s\n\n\
         Size (Byte):\t\t999997440\nMByte/s:\t\t148545.59\n",
    );
    let at = [
        (Axis::Kernel, word("stream_mem_avx_fma")),
        (Axis::Case, word("node 0")),
        (Axis::Footprint, number(999_997_440)),
    ];
    assert_eq!(value(&file, "kernel-bandwidth", Measure::Bandwidth, &at), 148_545.59 / 1e3);
    let file = only_run(
        "$ likwid-bench -t load_avx -W S0:2GB:14\nAllocate: Process running on hwthread 0 (Domain S0) - Vector length 2\n\
         LIKWID MICRO BENCHMARK\nTest: load_avx\nUsing 1 work groups\nUsing 14 threads\nMByte/s:\t\t101545.59\n\
         > likwid-bench -t load_avx -W S1:2GB:14 | grep MByte\nMByte/s:\t\t99545.59\n",
    );
    let at = |socket: &str| {
        [
            (Axis::Kernel, word("load_avx")),
            (Axis::Case, word(&format!("14 threads, {socket}"))),
            (Axis::Footprint, number(2_000_000_000)),
        ]
    };
    assert_eq!(value(&file, "kernel-bandwidth", Measure::Bandwidth, &at("socket 0")), 101_545.59 / 1e3);
    assert_eq!(value(&file, "kernel-bandwidth", Measure::Bandwidth, &at("socket 1")), 99_545.59 / 1e3);
}

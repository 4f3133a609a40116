//! Tools whose output zerohop does not read, so that a message can say what to import in its place.

use std::sync::LazyLock;

use crate::marks::Marks;

/// A tool, by what only its output has, in lower case; and what to do.
struct Other {
    signs: &'static [&'static str],
    name: &'static str,
    instead: &'static str,
}

const fn other(signs: &'static [&'static str], name: &'static str, instead: &'static str) -> Other {
    Other { signs, name, instead }
}

const LOOPS: &str = "its rates are for its own loop, not the memory: import MLC, STREAM or likwid-bench, or run `zerohop survey`";
const COUNTERS: &str =
    "it counts the traffic of arbitrary programs: import MLC or STREAM, or run `zerohop survey`";
const MACHINE: &str = "it has no measured values: import `numactl --hardware` or `lstopo --of xml`, or measure with `zerohop survey`";
const DEVICES: &str = "for devices, zerohop reads nvbandwidth, BabelStream and clpeak";

const OTHERS: [Other; 31] = [
    other(
        &["mib transferred (", "mb transferred (", "memory speed test", "total operations: "],
        "sysbench",
        LOOPS,
    ),
    other(&["method: memcpy", "method: dumb", "method: mcblock"], "mbw", LOOPS),
    other(&["funcname=scan", "funcname=perm", "funcname=cscan"], "pmbw", LOOPS),
    other(&["tinymembench", "c copy backwards", "c 2-pass copy"], "tinymembench", LOOPS),
    other(&["ramspeed", "integer & writing"], "RAMspeed", LOOPS),
    other(&["stress-ng:"], "stress-ng", LOOPS),
    other(&["phoronixtestsuite", "phoronix test suite"], "the Phoronix Test Suite", LOOPS),
    other(&["geekbench"], "Geekbench", LOOPS),
    other(
        &["extensible memory benchmarking tool"],
        "X-Mem",
        "import MLC, STREAM or likwid-bench, or run `zerohop survey`",
    ),
    other(&["parallel research kernels"], "the Parallel Research Kernels", LOOPS),
    other(&["memory with no policy", "./numademo"], "numademo", LOOPS),
    other(&["bandwidth version ", "zack smith"], "Zack Smith's bandwidth", LOOPS),
    other(
        &["mem ch  0", "mem read (mb/s)", "memory channel monitor", "system read throughput"],
        "pcm-memory",
        COUNTERS,
    ),
    other(&["intel(r) performance counter monitor", "intel(r) pcm"], "Intel PCM", COUNTERS),
    other(&["likwid-perfctr", "group 1: mem", "memory bandwidth [mbytes/s]"], "likwid-perfctr", COUNTERS),
    other(&["performance counter stats for", "cas_count_read", "unc_m_cas_count"], "perf stat", COUNTERS),
    other(&["mbl[mb/s]", "mbr[mb/s]"], "pqos", COUNTERS),
    other(&["numa_hit", "numa_miss"], "numastat", MACHINE),
    other(&["\"memdev\":", "\"decoder_resource\""], "cxl list", MACHINE),
    other(&["nvidia-smi", "cpu affinity\tnuma affinity"], "nvidia-smi", DEVICES),
    other(&["p2p (p2p="], "NVIDIA's CUDA samples", DEVICES),
    other(&["rocmbandwidthtest", "transferbench"], "a bandwidth test of ROCm", DEVICES),
    other(
        &["function,n_elements,", "n_elements,gbps_mean", "n_elements,mbps_mean", ",copy,100,"],
        "a script that runs BabelStream",
        "import the output of BabelStream itself, with or without `--csv`; or use the column names of its CSV (`function`, `max_mbytes_per_sec`)",
    ),
    other(
        &["global_memory_bandwidth float: local-offset"],
        "clpeak with two values for each width",
        "import its log, CSV, XML or JSON, without `--verbose`",
    ),
    other(&["stream_copy_double_gpu_", "stream_triad_double_gpu_"], "SuperBench's gpu-stream", DEVICES),
    other(
        &["superbench", "monitor/gpu_", "mem-bw/", "gpu-copy-bw:", "kernel-launch/"],
        "SuperBench's results.jsonl",
        "it contains one number per test without a place: import the output of the tests themselves (MLC, nvbandwidth) from its `outputs` directory",
    ),
    other(
        &["cpu-memory-bw-latency/", "mem_bandwidth_matrix_numa_", "mem_max_bandwidth_all_reads_"],
        "SuperBench",
        "import the output of MLC itself",
    ),
    other(&["module name :babel", "gpu id      function"], "the ROCm Validation Suite", DEVICES),
    other(&["busbw", "# nthread "], "nccl-tests", "it measures communication between devices, not memory"),
    other(
        &["# osu mpi", "# osu "],
        "OSU micro-benchmarks",
        "it measures messages between processes, not memory",
    ),
    other(&["fio-2.", "fio-3."], "fio", "it measures storage, not memory"),
];

/// The tool that seems to have written a text, and what to import in its place.
pub(crate) fn seen(text: &str) -> Option<(&'static str, &'static str)> {
    let tools = SIGNS.in_text(text).into_iter().map(|sign| RANKS[sign]);
    let other = &OTHERS[tools.min()?];
    Some((other.name, other.instead))
}

static SIGNS: LazyLock<Marks> = LazyLock::new(|| {
    let signs = OTHERS.iter().flat_map(|other| other.signs);
    Marks::of(&signs.copied().collect::<Vec<_>>())
});

/// Of each sign, the rank of its tool.
static RANKS: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let ranks = OTHERS.iter().enumerate();
    ranks.flat_map(|(rank, other)| std::iter::repeat_n(rank, other.signs.len())).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_that_are_not_read_are_known_by_what_only_they_print() {
        for (text, name) in [
            ("Running memory speed test with the following options:\n", "sysbench"),
            ("0\tMethod: MEMCPY\tElapsed: 0.12\tMiB: 512.00000\tCopy: 4266.7 MiB/s\n", "mbw"),
            ("Tests | run\n-- | --\nC copy backwards | 9424\nstandard memcpy | 9894\n", "tinymembench"),
            (
                "|--     Memory Channel Monitoring     --|\n|-- NODE 0 Memory (MB/s):  36498.48 --|\n",
                "pcm-memory",
            ),
            ("|-- Mem Ch  0: Reads (MB/s):   112.5 --|\n", "pcm-memory"),
        ] {
            assert_eq!(seen(text).map(|(name, _)| name), Some(name), "{text}");
        }
        assert_eq!(seen("Dear all,\nour machine is slow.\n"), None);
    }

    #[test]
    fn signs_are_in_lower_case_and_belong_to_one_tool() {
        for (rank, other) in OTHERS.iter().enumerate() {
            for sign in other.signs {
                assert_eq!(*sign, sign.to_lowercase());
                assert!(!OTHERS[..rank].iter().any(|one| one.signs.contains(sign)), "{sign}");
            }
        }
    }
}

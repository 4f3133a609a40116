//! Lines to paste: each is one that its tool takes.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use zerohop_advise::placement::{DataUse, Kind, Line, PlacementAdvice, Program, Sensitivity, Tool};
use zerohop_machine::{NodeId, PuSet};
use zerohop_workload::Kernel;

use crate::grounds::{advice, program};
use crate::rules;

/// Advice on programs of many kinds: on a machine whose placements are solved at once, and on the square, mostly for programs that its rules
/// are tried with, too, where threads and data take odd places.
static SOME: LazyLock<Vec<PlacementAdvice>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (kernel, threads) in [(Kernel::Read, &[1, 3, 24, 96][..]), (Kernel::Write, &[24])] {
        for data in [DataUse::Shared, DataUse::Private] {
            for &threads in threads {
                all.push(advice("cascade-lake-4s", &Program { kernel, ..program(threads, data) }));
            }
        }
        for (data, threads) in [(DataUse::Shared, [1, 3, 8]), (DataUse::Private, [1, 2, 6])] {
            let programs = threads.map(|threads| Program { kernel, ..rules::program(threads, data) });
            all.extend(programs.iter().map(|program| advice("quartet", program)));
        }
    }
    let latency = Program { sensitivity: Sensitivity::Latency, ..rules::program(2, DataUse::Shared) };
    all.push(advice("quartet", &latency));
    let nodes = vec![NodeId(0)];
    let staying = Program { kernel: Kernel::Write, thread_nodes: nodes, ..program(2, DataUse::Private) };
    all.push(advice("quartet", &staying));
    all
});

fn words(text: &str) -> Vec<String> {
    shlex::split(text).unwrap_or_else(|| panic!("no shell takes `{text}`"))
}

/// The value of `NAME=value` or `--name=value` among words.
fn value<'a>(words: &'a [String], name: &str) -> Option<&'a str> {
    words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

fn cpus(advice: &PlacementAdvice) -> usize {
    advice.best().placement.threads.values().sum()
}

fn of(advice: &PlacementAdvice, tool: Tool) -> Vec<&Line> {
    advice.lines.iter().filter(|line| line.tool == tool).collect()
}

#[test]
fn every_line_of_a_shell_parses_and_names_its_source() {
    for advice in SOME.iter() {
        assert!(!advice.lines.is_empty());
        for line in &advice.lines {
            assert!(line.source.starts_with("https://"), "{line:?}");
            if line.kind == Kind::Shell {
                line.text.lines().for_each(|text| assert!(!words(text).is_empty(), "{line:?}"));
            }
        }
    }
}

#[test]
fn numactl_gets_a_cpu_for_each_thread_and_one_policy() {
    for advice in SOME.iter() {
        for line in of(advice, Tool::Numactl) {
            let last = line.text.lines().last().unwrap();
            let words = words(last);
            let list: PuSet = value(&words, "--physcpubind").unwrap().parse().unwrap();
            assert_eq!(list.len(), cpus(advice), "{last}");
            let policies =
                ["--membind", "--interleave", "--preferred", "--weighted-interleave", "--localalloc"];
            let given = words
                .iter()
                .filter(|word| policies.iter().any(|policy| word.split('=').next() == Some(policy)));
            assert_eq!(given.count(), 1, "{last}");
        }
    }
}

#[test]
fn openmp_gets_a_place_for_each_thread() {
    for advice in SOME.iter() {
        for line in of(advice, Tool::OpenMp) {
            let words = words(&line.text);
            let threads: usize = value(&words, "OMP_NUM_THREADS").unwrap().parse().unwrap();
            let places = value(&words, "OMP_PLACES").unwrap();
            let places: BTreeSet<&str> = places.split(',').collect();
            assert!(places.iter().all(|place| place.starts_with('{') && place.ends_with('}')), "{places:?}");
            assert_eq!((threads, places.len()), (cpus(advice), cpus(advice)));
        }
    }
}

#[test]
fn launchers_start_as_many_processes_as_threads() {
    for advice in SOME.iter() {
        for line in of(advice, Tool::OpenMpi) {
            let words = words(&line.text);
            let counts =
                words.windows(2).filter(|pair| pair[0] == "-n").map(|pair| pair[1].parse::<usize>().unwrap());
            assert_eq!(counts.sum::<usize>(), cpus(advice), "{}", line.text);
        }
        for line in of(advice, Tool::Slurm) {
            let words = words(&line.text);
            let map = value(&words, "--cpu-bind").unwrap().strip_prefix("map_cpu:").unwrap();
            assert_eq!(map.split(',').count(), cpus(advice), "{}", line.text);
            assert_eq!(value(&words, "--ntasks"), Some(cpus(advice).to_string().as_str()));
        }
    }
}

/// Open MPI has a slot for each core: "There are not enough slots available in the system".
#[test]
fn open_mpi_may_start_more_processes_than_cores_where_threads_share_them() {
    let text = |threads| {
        let advice = advice("sr665-v3", &program(threads, DataUse::Private));
        of(&advice, Tool::OpenMpi)[0].text.clone()
    };
    assert_eq!(text(64), "mpirun -n 64 --map-by ppr:32:numa --bind-to core ./program");
    let crowded = text(128);
    assert!(
        crowded.starts_with("mpirun --map-by slot:OVERSUBSCRIBE --bind-to none -n 64 numactl "),
        "{crowded}"
    );
}

#[test]
fn a_tool_without_a_word_for_a_placement_has_no_line() {
    for advice in SOME.iter() {
        let several = advice.best().placement.threads.len() > 1;
        for tool in [Tool::Kubernetes, Tool::Redis] {
            assert!(!several || of(advice, tool).is_empty(), "{tool:?} {:?}", advice.best());
        }
        let shared = advice.program.data == DataUse::Shared;
        assert!(shared || of(advice, Tool::PostgreSql).is_empty());
    }
}

#[test]
fn every_tool_is_named_once() {
    let names: BTreeSet<&str> = Tool::ALL.iter().map(|tool| tool.name()).collect();
    assert_eq!(names.len(), Tool::ALL.len());
}

//! What texts say of the machine and of the run beside the values of a tool.

use zerohop_importers::import;
use zerohop_machine::NodeId;
use zerohop_result::ResultFile;
use zerohop_units::Bytes;
use zerohop_workload::{ImportedOrigin, Origin};

use crate::inputs::warnings;

#[track_caller]
fn only(text: &str) -> ResultFile {
    let mut all = import("a.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(all.len(), 1, "{text}");
    let one = all.remove(0);
    assert!(one.unread.is_empty(), "{:?}", one.unread);
    one.result
}

fn origin(file: &ResultFile) -> &ImportedOrigin {
    let Origin::Imported(origin) = &file.origin else { panic!("{:?}", file.origin) };
    origin
}

const LSCPU: &str = "Architecture:        x86_64\nCPU(s):              64\nOn-line CPU(s) list: 0-63\n\
                     Thread(s) per core:  2\nCore(s) per socket:  16\nSocket(s):           2\nNUMA node(s):        2\n\
                     Vendor ID:           GenuineIntel\nHypervisor vendor:   KVM\nL1d cache:           32K\n\
                     L2 cache:            32 MiB (32 instances)\nNUMA node0 CPU(s):   0-15,32-47\n\
                     NUMA node1 CPU(s):   16-31,48-63\nFlags:               fpu sse2 avx2 pdpe1gb\n";

/// Its lines counted as understood, and their values were in no result.
#[test]
fn what_lscpu_counts_is_in_the_result() {
    let machine = only(LSCPU).machine;
    assert_eq!(
        (machine.package_count(), machine.core_count(), machine.pu_count()),
        (Some(2), Some(32), Some(64))
    );
    assert_eq!((machine.stated.threads_per_core, machine.system.smt), (Some(2), Some(true)));
    assert_eq!(machine.system.hypervisor.as_deref(), Some("KVM"));
    assert_eq!(machine.processor.instruction_sets, ["sse2", "avx2"]);
    let sizes = machine.stated.caches.iter().map(|cache| (cache.one, cache.all, cache.instances));
    let sizes: Vec<_> = sizes.collect();
    assert_eq!(sizes[0], (Some(Bytes::kib(32)), None, None));
    assert_eq!(sizes[1], (Some(Bytes::mib(1)), Some(Bytes::mib(32)), Some(32)));
    let pus: Vec<String> = machine.stated.node_pus.iter().map(|node| node.pus.to_string()).collect();
    assert_eq!(pus, ["0-15,32-47", "16-31,48-63"]);
    assert!(
        machine.gaps.iter().any(|gap| gap == "settings: the text does not show them"),
        "{:?}",
        machine.gaps
    );
}

#[test]
fn nodes_that_only_distances_name_are_not_listed() {
    let text = "node 2 cpus:\nnode 2 size: 64000 MB\nnode 2 free: 63000 MB\nnode distances:\n\
                node   0   1   2\n  0:  10  21  24\n  1:  21  10  14\n  2:  24  14  10\n";
    let file = only(text);
    assert_eq!(file.machine.stated.unlisted, [NodeId(0), NodeId(1)]);
    assert!(warnings(&file).iter().any(|warning| warning.contains("nodes 0, 1: distances name them")));
    let alone = only("node distances:\nnode   0   1\n  0:  10  21\n  1:  21  10\n");
    assert!(alone.machine.stated.unlisted.is_empty() && warnings(&alone).is_empty());
}

/// The second listing was understood and dropped.
#[test]
fn a_second_listing_is_a_later_state() {
    let text = "$numactl -H\navailable: 2 nodes (0-1)\nnode 0 cpus: 0-7\nnode 0 size: 64000 MB\nnode 0 free: 60000 MB\n\
                node 1 cpus: 8-15\nnode 1 size: 64000 MB\nnode 1 free: 61000 MB\n$./serve --threads 8\n$numactl -H\n\
                node 0 size: 64000 MB\nnode 0 free: 51000 MB\nnode 1 size: 64000 MB\nnode 1 free: 60000 MB\n";
    let file = only(text);
    let taken = file.machine.taken_memory();
    assert_eq!(taken.len(), 1);
    let (node, share) = taken[0].most().unwrap();
    assert_eq!((node, (share * 100.0).round() as u32), (NodeId(0), 90));
    assert_eq!(file.machine.node(NodeId(0)).unwrap().free, Bytes::mib(60000), "the first listing stays");
    assert_eq!(origin(&file).commands, ["numactl -H", "./serve --threads 8"]);
    let same = text.replace("51000", "60000").replace("node 1 free: 60000", "node 1 free: 61000");
    assert!(only(&same).machine.taken_memory().is_empty(), "a copy is no other state");
}

#[test]
fn what_the_kernel_says_of_nodes_is_in_the_result() {
    let text = "[    0.000000] Command line: BOOT_IMAGE=/vmlinuz root=/dev/sda1 numa=fake=4 quiet\n\
                [    0.010000] No NUMA configuration found\n\
                [    0.010001] Faking a node at [mem 0x0000000000000000-0x000000207fffffff]\n\
                ACPI: SRAT 0x000000007B7FD000 000930 (v03)\nHypervisor detected: KVM\n\
                $ cat /proc/sys/kernel/numa_balancing\n1\n/sys/kernel/mm/transparent_hugepage/enabled:always [madvise] never\n\
                vm.zone_reclaim_mode = 0\n";
    let machine = only(text).machine;
    assert_eq!(machine.system.kernel_parameters, ["numa=fake=4"], "others may be private");
    assert!(machine.system.fakes_nodes());
    assert_eq!(machine.stated.kernel_messages.len(), 3);
    assert_eq!((machine.system.numa_balancing, machine.system.zone_reclaim), (Some(true), Some(0)));
    assert_eq!(machine.system.transparent_huge_pages.as_deref(), Some("madvise"));
    assert_eq!(machine.system.hypervisor.as_deref(), Some("KVM"));
    let written = import("a.txt", "echo 0 > /proc/sys/kernel/numa_balancing\n", None);
    assert!(written.is_err(), "what somebody sets is not what was set: {written:?}");
}

#[test]
fn tables_of_memory_are_in_the_result() {
    let numastat = "Per-node system memory usage (in MBs):\n\
                    \x20                         Node 0          Node 1           Total\n\
                    MemTotal                31931.66        32252.38        64184.04\n\
                    MemFree                 30116.55        31062.41        61178.96\n\
                    AnonPages                 100.00           20.00          120.00\n";
    let machine = only(numastat).machine;
    assert_eq!(machine.node(NodeId(1)).map(|node| node.memory), Some(Bytes::mib(32252)));
    assert_eq!(machine.stated.fields[0].to_string(), "AnonPages=node 0: 100.00 MB, node 1: 20.00 MB");
    let later = format!("{numastat}{}", numastat.replace("30116.55", "20116.55"));
    assert_eq!(only(&later).machine.taken_memory()[0].nodes[0].free, Bytes::mib(10000));
    for (text, size) in [
        (
            "$ free -m\ntotal used free shared buff/cache available\nMem: 385000 10000 370000 1 5000 372000\n",
            Bytes::mib(385_000),
        ),
        ("total used free\nMem: 131722664 10511372 121211292\nSwap: 0 0 0\n", Bytes::kib(131_722_664)),
        ("total used free\nMem: 125Gi 10Gi 115Gi\n", Bytes::gib(125)),
    ] {
        assert_eq!(only(text).machine.stated.memory, Some(size), "{text}");
    }
    let unknown = "total used free\nMem: 385000 10000 375000\n";
    assert!(import("a.txt", unknown, None).is_err(), "megabytes or kilobytes");
}

#[test]
fn dimm_slots_of_dmidecode_are_those_of_the_machine() {
    let slot = |locator: &str, size: &str| {
        format!(
            "Handle 0x0042, DMI type 17, 92 bytes\nMemory Device\n\tTotal Width: 72 bits\n\tData Width: 64 bits\n\
             \tSize: {size}\n\tLocator: {locator}\n\tBank Locator: NODE 1\n\tType: DDR4\n\tSpeed: 3200 MT/s\n\
             \tManufacturer: Maker\n\tPart Number: X1\n\tConfigured Memory Speed: 2933 MT/s\n\n"
        )
    };
    let text = slot("CPU1_DIMM_A1", "32 GB")
        + &slot("CPU1_DIMM_B1", "32 GB")
        + &slot("CPU1_DIMM_B2", "No Module Installed");
    let file = only(&text);
    assert_eq!(file.machine.memory_devices.len(), 3);
    assert_eq!(file.machine.dimms(), ["2 × 32 GiB DDR4 at 2933 MT/s"]);
    let peak = file.machine.theoretical_bandwidth().unwrap();
    assert_eq!((peak.channels, (peak.total.get() * 10.0).round()), (2, 469.0));
    assert!(warnings(&file).iter().any(|warning| warning.contains("of DIMM slots: Total Width")));
}

#[test]
fn the_environment_of_a_run_is_in_its_origin() {
    let text = "export KMP_AFFINITY=granularity=core,compact\nOMP_NUM_THREADS=8 taskset -c 0-7 ./stream\n\
                Copy: 70000.1 0.024 0.023 0.025\nScale: 70000.2 0.024 0.023 0.025\nAdd: 70001.1 0.036 0.034 0.037\n\
                Triad: 70002.1 0.036 0.034 0.037\nwarning: pthread_setaffinity_np() failed: Invalid argument\n";
    let file = only(text);
    let environment: Vec<String> = origin(&file).environment.iter().map(ToString::to_string).collect();
    assert_eq!(environment, ["KMP_AFFINITY=granularity=core,compact", "OMP_NUM_THREADS=8"]);
    assert!(warnings(&file).iter().any(|warning| warning.contains("setaffinity")));
}

#[test]
fn llamas_listing_is_a_machine() {
    let text = "found 2 numa nodes, 8 CPUs\nCPUs on node 0: 0 1 4 5\nCPUs on node 1: 2 3 6 7\n";
    let machine = only(text).machine;
    assert_eq!(machine.stated.pus, Some(8));
    let pus: Vec<String> = machine.stated.node_pus.iter().map(|node| node.pus.to_string()).collect();
    assert_eq!(pus, ["0-1,4-5", "2-3,6-7"]);
}

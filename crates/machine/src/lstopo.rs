//! Files that `lstopo` reads in addition to those that this crate reads, so that it sees the same machine in a capture.
//! The kernel shows most sets in two forms, and hwloc reads the bit masks.

use crate::Machine;

/// The paths. Some may not exist.
pub(crate) fn paths(machine: &Machine) -> Vec<String> {
    let cpu = "/sys/devices/system/cpu";
    let node = "/sys/devices/system/node";
    let mut paths = vec![format!("{cpu}/possible"), format!("{node}/possible"), "/proc/meminfo".to_owned()];
    for pu in &machine.pus {
        let directory = format!("{cpu}/cpu{}", pu.id);
        let masks = [
            "core_cpus",
            "thread_siblings",
            "package_cpus",
            "core_siblings",
            "die_cpus",
            "cluster_cpus",
            "cluster_id",
        ];
        paths.push(format!("{directory}/online"));
        paths.extend(masks.map(|mask| format!("{directory}/topology/{mask}")));
        let count = machine.caches.iter().filter(|cache| cache.pus.contains(pu.id)).count();
        for index in 0..count {
            let entry = format!("{directory}/cache/index{index}");
            let files = ["shared_cpu_map", "number_of_sets", "physical_line_partition", "id"];
            paths.extend(files.map(|file| format!("{entry}/{file}")));
        }
    }
    paths.extend(machine.nodes.iter().map(|member| format!("{node}/node{}/cpumap", member.id)));
    paths
}

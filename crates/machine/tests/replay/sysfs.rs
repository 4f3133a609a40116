//! The tree of files that a kernel would show for a machine.

use zerohop_machine::{
    AccessClass, Cache, CacheKind, Capture, Machine, NodeAccess, NumaNode, OperatingSystem, Pu, PuId, PuSet,
};
use zerohop_units::{GigabytesPerSecond, Nanoseconds};

const CPU: &str = "/sys/devices/system/cpu";
const NODE: &str = "/sys/devices/system/node";

/// All files that loading the machine reads, and the masks that `lstopo` reads.
pub(crate) fn tree_of(machine: &Machine) -> Capture {
    let mut tree = Tree::default();
    tree.processors(machine);
    tree.settings(&machine.system);
    for pu in &machine.pus {
        tree.pu(machine, pu);
    }
    tree.nodes(machine);
    let capture = Capture::from_files(tree.files);
    tree.directories.into_iter().fold(capture, Capture::with_directory)
}

#[derive(Default)]
struct Tree {
    files: Vec<(String, String)>,
    directories: Vec<String>,
}

impl Tree {
    fn put(&mut self, path: impl Into<String>, content: impl std::fmt::Display) {
        self.files.push((path.into(), format!("{content}\n")));
    }

    fn put_if(&mut self, path: &str, content: Option<impl std::fmt::Display>) {
        if let Some(content) = content {
            self.put(path, content);
        }
    }

    /// A set as the list and as the mask, under two names.
    fn set(&mut self, list: String, mask: String, set: &PuSet) {
        self.put(list, set);
        self.put(mask, mask_of(set));
    }

    fn processors(&mut self, machine: &Machine) {
        let processor = &machine.processor;
        let (family, model) =
            (processor.family.unwrap_or_default(), processor.model_number.unwrap_or_default());
        let stepping = processor.stepping.unwrap_or_default();
        let abilities = processor.instruction_sets.join(" ");
        let mut text = String::new();
        for pu in &machine.pus {
            text += &format!("processor\t: {}\n", pu.id);
            text += &if processor.vendor == "ARM" {
                format!(
                    "Features\t: {abilities}\nCPU implementer\t: {family:#x}\nCPU variant\t: {stepping:#x}\nCPU \
                     part\t: {model:#x}\n\n"
                )
            } else {
                format!(
                    "vendor_id\t: {}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: {}\nstepping\t: \
                     {stepping}\nflags\t\t: {abilities}\n\n",
                    processor.vendor, processor.model
                )
            };
        }
        self.put("/proc/cpuinfo", text.trim_end());
        self.put("/proc/sys/kernel/hostname", &machine.name);
        let online: PuSet = machine.pus.iter().map(|pu| pu.id).collect();
        let offline: PuSet = machine.system.offline_pus.as_deref().unwrap_or_default().parse().unwrap();
        let present: PuSet = online.iter().chain(offline.iter()).collect();
        self.put(format!("{CPU}/online"), online);
        self.put(format!("{CPU}/present"), &present);
        self.put(format!("{CPU}/possible"), present);
        let allowed: PuSet = machine.pus.iter().filter(|pu| pu.allowed).map(|pu| pu.id).collect();
        let nodes: PuSet = numbers(machine.nodes.iter().filter(|node| node.allowed));
        self.put(
            "/proc/self/status",
            format!("Name:\ttest\nCpus_allowed_list:\t{allowed}\nMems_allowed_list:\t{nodes}"),
        );
    }

    fn settings(&mut self, system: &OperatingSystem) {
        self.put_if("/proc/sys/kernel/osrelease", system.kernel.as_ref());
        self.put_if("/proc/sys/kernel/numa_balancing", system.numa_balancing.map(u8::from));
        self.put_if("/proc/sys/vm/zone_reclaim_mode", system.zone_reclaim);
        self.put_if(&format!("{CPU}/smt/active"), system.smt.map(u8::from));
        self.put_if(&format!("{CPU}/cpufreq/boost"), system.turbo.map(u8::from));
        let page = system.base_page.map(|page| {
            // An entry of the auxiliary vector: the key of the page size, and the size.
            let words = [6, page.get()].map(|word: u64| word.to_le_bytes()).concat();
            String::from_utf8(words).unwrap()
        });
        self.put_if("/proc/self/auxv", page);
        let clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        self.put_if(clock, system.clock_source.as_ref());
        let huge = "/sys/kernel/mm/transparent_hugepage";
        let modes = |mode: &String| "always madvise never".replace(mode.as_str(), &format!("[{mode}]"));
        self.put_if(&format!("{huge}/enabled"), system.transparent_huge_pages.as_ref().map(modes));
    }

    fn pu(&mut self, machine: &Machine, pu: &Pu) {
        let core = machine.cores.iter().find(|core| core.id == pu.core).unwrap();
        let package = machine.packages.iter().find(|package| package.id == pu.package).unwrap();
        let directory = format!("{CPU}/cpu{}", pu.id);
        let topology = format!("{directory}/topology");
        self.put(format!("{topology}/physical_package_id"), package.id);
        // As in the kernel, the numbers restart in every package.
        let rank =
            machine.cores.iter().filter(|other| other.package == package.id && other.id < core.id).count();
        self.put(format!("{topology}/core_id"), rank);
        self.set(format!("{topology}/core_cpus_list"), format!("{topology}/core_cpus"), &core.pus);
        self.set(format!("{topology}/package_cpus_list"), format!("{topology}/package_cpus"), &package.pus);
        if let Some(die) = core.die {
            let members =
                machine.cores.iter().filter(|other| (other.package, other.die) == (package.id, Some(die)));
            let members: PuSet = members.flat_map(|core| core.pus.iter()).collect();
            self.put(format!("{topology}/die_id"), die);
            self.set(format!("{topology}/die_cpus_list"), format!("{topology}/die_cpus"), &members);
        }
        self.put_if(
            &format!("{directory}/cpufreq/cpuinfo_max_freq"),
            core.max_clock.map(|clock| clock.get() / 1e3),
        );
        self.put_if(&format!("{directory}/cpufreq/scaling_governor"), machine.system.governor.as_ref());
        self.put_if(&format!("{directory}/cpufreq/scaling_driver"), machine.system.frequency_driver.as_ref());
        let caches = machine.caches.iter().filter(|cache| cache.pus.contains(pu.id));
        for (index, cache) in caches.enumerate() {
            self.cache(&format!("{directory}/cache/index{index}"), cache);
        }
    }

    fn cache(&mut self, entry: &str, cache: &Cache) {
        let kind = match cache.kind {
            CacheKind::Data => "Data",
            CacheKind::Instruction => "Instruction",
            CacheKind::Unified => "Unified",
        };
        self.put(format!("{entry}/level"), cache.level);
        self.put(format!("{entry}/type"), kind);
        self.put(format!("{entry}/size"), format!("{}K", cache.size.get() / 1024));
        self.put(format!("{entry}/coherency_line_size"), cache.line.get());
        self.put_if(&format!("{entry}/ways_of_associativity"), cache.ways);
        self.set(format!("{entry}/shared_cpu_list"), format!("{entry}/shared_cpu_map"), &cache.pus);
    }

    fn nodes(&mut self, machine: &Machine) {
        self.put(format!("{NODE}/online"), numbers(machine.nodes.iter()));
        self.put(format!("{NODE}/possible"), numbers(machine.nodes.iter()));
        for (rank, node) in machine.nodes.iter().enumerate() {
            let directory = format!("{NODE}/node{}", node.id);
            self.set(format!("{directory}/cpulist"), format!("{directory}/cpumap"), &node.pus);
            let (total, free) = (node.memory.get() / 1024, node.free.get() / 1024);
            let id = node.id;
            self.put(
                format!("{directory}/meminfo"),
                format!("Node {id} MemTotal:       {total} kB\nNode {id} MemFree:        {free} kB"),
            );
            if let Some(distances) = &machine.distances {
                let row: Vec<String> = distances.rows[rank].iter().map(u32::to_string).collect();
                self.put(format!("{directory}/distance"), row.join(" "));
            }
            for pool in &node.huge_pages {
                let files = format!("{directory}/hugepages/hugepages-{}kB", pool.page.get() / 1024);
                self.put(format!("{files}/nr_hugepages"), pool.total);
                self.put(format!("{files}/free_hugepages"), pool.free);
            }
            for cache in &node.memory_side_caches {
                let entry = format!("{directory}/memory_side_cache/index{}", cache.level);
                self.put(format!("{entry}/size"), cache.size.get());
                self.put(format!("{entry}/line_size"), cache.line.get());
            }
        }
        for access in &machine.access {
            self.access(access);
        }
    }

    fn access(&mut self, access: &NodeAccess) {
        let class = match access.class {
            AccessClass::Nearest => "access0",
            AccessClass::NearestCpu => "access1",
        };
        let directory = format!("{NODE}/node{}/{class}/initiators", access.target);
        let links = access.initiators.iter().map(|initiator| format!("{directory}/node{initiator}"));
        self.directories.extend(links);
        let bandwidth = |rate: GigabytesPerSecond| (rate.get() * 1e3).round();
        self.put_if(&format!("{directory}/read_latency"), access.read_latency.map(Nanoseconds::get));
        self.put_if(&format!("{directory}/write_latency"), access.write_latency.map(Nanoseconds::get));
        self.put_if(&format!("{directory}/read_bandwidth"), access.read_bandwidth.map(bandwidth));
        self.put_if(&format!("{directory}/write_bandwidth"), access.write_bandwidth.map(bandwidth));
    }
}

fn numbers<'node>(nodes: impl Iterator<Item = &'node NumaNode>) -> PuSet {
    nodes.map(|node| PuId(node.id.0)).collect()
}

/// `00000001,80000000` for `{31, 32}`.
fn mask_of(set: &PuSet) -> String {
    let highest = set.iter().next_back().map_or(0, |pu| pu.0);
    let mut words = vec![0u32; highest as usize / 32 + 1];
    for PuId(pu) in set.iter() {
        words[pu as usize / 32] |= 1 << (pu % 32);
    }
    let words: Vec<String> = words.iter().rev().map(|word| format!("{word:08x}")).collect();
    words.join(",")
}

//! Checks of a machine's files.

use zerohop_machine::{Machine, NodeId};
use zerohop_units::{Bytes, counted};

use super::check::{Check, Cure};

/// The page sizes that zerohop reserves buffers from, the best first.
const LARGE: [Bytes; 2] = [Bytes::gib(1), Bytes::mib(2)];

/// Clock sources that the kernel falls back to when it has found the processor's counters to disagree.
const FALLBACKS: [&str; 4] = ["hpet", "acpi_pm", "jiffies", "refined-jiffies"];

const THP: &str = "/sys/kernel/mm/transparent_hugepage";

pub(super) fn checks(machine: &Machine) -> Vec<Check> {
    let one = [nodes(machine), cpus(machine), offline(machine), memory(machine), dimms(machine)];
    let two = [virtual_machine(machine), quota(machine), memory_limit(machine), process_limit(machine)];
    let three = [reserved(machine), transparent(machine), clock_source(machine), governor(machine)];
    let four = [turbo(machine), balancing(machine), fake_nodes(machine), unread(machine)];
    one.into_iter().chain(two).chain(three).chain(four).flatten().collect()
}

fn nodes(machine: &Machine) -> Option<Check> {
    let (from, to) = (machine.initiators().count(), machine.targets().count());
    if from == 0 || to == 0 {
        let is = "no node has CPUs and memory that this process may use";
        return Some(Check::prevents(
            "nodes",
            is,
            Cure::elsewhere(
                "the cpuset of this process was set by the program that started it: start zerohop with a larger one",
            ),
        ));
    }
    let is = format!("{} with CPUs, {} with memory", counted(from, "node"), counted(to, "node"));
    Some(Check::fine("nodes", is))
}

fn cpus(machine: &Machine) -> Option<Check> {
    const WHAT: &str = "CPUs allowed";
    let all = machine.pus.len();
    let isolated = machine.isolated_pus();
    match &machine.system.cpuset_cpus {
        None => Some(Check::fine(WHAT, format!("all {all}"))),
        Some(list) if !isolated.is_empty() => Some(Check::costs(
            WHAT,
            format!("{list} of {all}; the kernel isolates {isolated}"),
            "isolated CPUs are not measured",
            Cure::command(format!("taskset --cpu-list {isolated} zerohop survey")),
        )),
        Some(list) => Some(Check::costs(
            WHAT,
            format!("{list} of {all}"),
            "other CPUs are not measured: bandwidths of their nodes come from fewer cores",
            Cure::elsewhere(
                "set by the program that started this process: `taskset`, a container (`--cpuset-cpus`), a batch job",
            ),
        )),
    }
}

fn offline(machine: &Machine) -> Option<Check> {
    let list = machine.system.offline_pus.as_ref()?;
    Some(Check::costs(
        "CPUs offline",
        list.as_str(),
        "they are not measured, and a node may have too few cores to reach its bandwidth",
        Cure::command(format!("sudo chcpu --enable {list}")),
    ))
}

fn memory(machine: &Machine) -> Option<Check> {
    const WHAT: &str = "memory allowed";
    let Some(list) = &machine.system.cpuset_mems else { return Some(Check::fine(WHAT, "on all nodes")) };
    let cure = Cure::elsewhere(
        "set by the program that started this process: a container (`--cpuset-mems`), a batch job, a cpuset",
    );
    Some(Check::costs(WHAT, format!("on nodes {list}"), "memory of other nodes is not measured", cure))
}

fn dimms(machine: &Machine) -> Option<Check> {
    const WHAT: &str = "DIMMs";
    let dimms = machine.dimms();
    if !dimms.is_empty() {
        return Some(Check::fine(WHAT, dimms.join(", ")));
    }
    let (why, cure) = match &machine.no_memory_devices {
        Some(why) if why.starts_with("only root") => {
            ("only root may read the SMBIOS table", Cure::command("sudo zerohop survey"))
        }
        Some(why) => (why.as_str(), Cure::elsewhere("the firmware or the hypervisor does not show more")),
        None => ("not shown", Cure::elsewhere("the firmware or the hypervisor does not show more")),
    };
    let cost = "the theoretical bandwidth is unknown, so shares of it and missing DIMMs are not reported";
    Some(Check::costs(WHAT, why, cost, cure))
}

fn virtual_machine(machine: &Machine) -> Option<Check> {
    const WHAT: &str = "virtual machine";
    let Some(hypervisor) = &machine.system.hypervisor else { return Some(Check::fine(WHAT, "none seen")) };
    Some(Check::costs(
        WHAT,
        hypervisor.as_str(),
        "values drift with the load of other guests and as CPUs move; nodes and caches may not be real",
        Cure::elsewhere(
            "this cannot be changed inside the guest: pin its CPUs on the host, or measure there",
        ),
    ))
}

fn quota(machine: &Machine) -> Option<Check> {
    const WHAT: &str = "CPU quota";
    let Some(quota) = machine.system.cpu_quota else { return Some(Check::fine(WHAT, "none")) };
    let is = format!("{quota:.1} CPUs");
    if quota >= machine.pus.iter().filter(|pu| pu.allowed).count() as f64 {
        return Some(Check::fine(WHAT, is));
    }
    let cost = "more workers than that are throttled: their bandwidth is too low";
    let cure = Cure::elsewhere("set by the container or batch job: start it without a limit (`--cpus`)");
    Some(Check::costs(WHAT, is, cost, cure))
}

fn memory_limit(machine: &Machine) -> Option<Check> {
    let limit = machine.system.memory_limit?;
    let all: u64 = machine.targets().map(|node| node.memory.get()).sum();
    if limit.get() >= all {
        return None;
    }
    Some(Check::costs(
        "memory limit",
        format!("{limit} by the cgroup"),
        "buffers shrink to fit: with many cores, they may be too small compared with the caches",
        Cure::elsewhere("set by the container or batch job: start it with more memory (`--memory`)"),
    ))
}

fn process_limit(machine: &Machine) -> Option<Check> {
    let limit = machine.system.process_memory_limit?;
    let cost = "buffers shrink to fit: with many cores, they may be too small compared with the caches";
    let cure = Cure::command("ulimit -v unlimited -d unlimited; zerohop survey");
    Some(Check::costs("ulimit", limit.to_string(), cost, cure))
}

/// Reserved pages of a size on the nodes with memory: the fewest free ones, and the node; `None` where the size is not there.
fn fewest(machine: &Machine, page: Bytes) -> Option<(u64, NodeId)> {
    let of_nodes = machine.targets().filter_map(|node| {
        let pool = node.huge_pages.iter().find(|pool| pool.page == page)?;
        Some((pool.free, node.id))
    });
    of_nodes.min()
}

fn has_reserved(machine: &Machine) -> bool {
    LARGE.into_iter().any(|page| fewest(machine, page).is_some_and(|(free, _)| free > 0))
}

fn has_transparent(machine: &Machine) -> bool {
    matches!(machine.system.transparent_huge_pages.as_deref(), Some("always" | "madvise"))
}

fn reserved(machine: &Machine) -> Option<Check> {
    const WHAT: &str = "reserved huge pages";
    let known: Vec<(Bytes, u64, NodeId)> = LARGE
        .into_iter()
        .filter_map(|page| fewest(machine, page).map(|(free, node)| (page, free, node)))
        .collect();
    let &(page, ..) = known.first()?;
    let is = known.iter().map(|(page, free, node)| match free {
        0 => format!("none of {page} free on node {node}"),
        free => format!("{free} of {page} free on each node"),
    });
    let is = is.collect::<Vec<_>>().join(", ");
    if has_reserved(machine) {
        return Some(Check::fine(WHAT, is));
    }
    let cost = match page == Bytes::gib(1) {
        true => "latencies of buffers beyond the TLB's reach include page walks",
        false => "if memory is fragmented, buffers get small pages",
    };
    let cost = if has_transparent(machine) {
        format!("{cost}; transparent huge pages are used instead")
    } else {
        cost.to_owned()
    };
    let directory = format!("hugepages-{}kB", page.get() / 1024);
    let number = if page == Bytes::gib(1) { 2 } else { 512 };
    let cure = Cure::command(format!(
        "echo {number} | sudo tee /sys/devices/system/node/node*/hugepages/{directory}/nr_hugepages"
    ));
    Some(Check::costs(WHAT, is, cost, cure))
}

fn transparent(machine: &Machine) -> Option<Check> {
    const WHAT: &str = "transparent huge pages";
    let system = &machine.system;
    let Some(mode) = &system.transparent_huge_pages else {
        let cost = "without reserved ones, buffers are on small pages: every latency includes TLB misses";
        let cure = Cure::elsewhere("this kernel was built without them, or a container hides /sys/kernel/mm");
        return (!has_reserved(machine)).then(|| Check::costs(WHAT, "not shown", cost, cure));
    };
    let defrag = system.transparent_huge_page_defrag.as_deref();
    let is = format!("{mode}, defrag {}", defrag.unwrap_or("not shown"));
    if has_reserved(machine) || (has_transparent(machine) && defrag != Some("never")) {
        return Some(Check::fine(WHAT, is));
    }
    if !has_transparent(machine) {
        let cost = "buffers are on small pages: every latency and random bandwidth includes TLB misses";
        let cure = Cure::command(format!("echo madvise | sudo tee {THP}/enabled"));
        return Some(Check::costs(WHAT, is, cost, cure));
    }
    let cost = "buffers get huge pages only if free ones are available: the share varies";
    Some(Check::costs(WHAT, is, cost, Cure::command(format!("echo madvise | sudo tee {THP}/defrag"))))
}

fn clock_source(machine: &Machine) -> Option<Check> {
    let source = machine.system.clock_source.as_deref()?;
    if !FALLBACKS.contains(&source) {
        return Some(Check::fine("kernel's clock", source));
    }
    Some(Check::costs(
        "kernel's clock",
        source,
        "the kernel does not trust the processor's counter: times are coarser, and short ones uncertain",
        Cure::elsewhere("`dmesg` shows why the counter was rejected; newer firmware often fixes it"),
    ))
}

fn governor(machine: &Machine) -> Option<Check> {
    let governor = machine.system.governor.as_deref()?;
    // Drivers that leave the clock to the processor have no slower start under `powersave`.
    let by_processor =
        matches!(machine.system.frequency_driver.as_deref(), Some("intel_pstate" | "amd-pstate-epp"));
    if governor == "performance" || by_processor {
        return Some(Check::fine("governor", governor));
    }
    Some(Check::costs(
        "governor",
        governor,
        "the clock rises during a sample: latencies of caches are higher and scatter",
        Cure::command("echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"),
    ))
}

fn turbo(machine: &Machine) -> Option<Check> {
    let is = match machine.system.turbo? {
        true => "on: the clock depends on the number of busy cores, as in normal use",
        false => "off",
    };
    Some(Check::fine("turbo", is))
}

fn balancing(machine: &Machine) -> Option<Check> {
    const WHAT: &str = "automatic NUMA balancing";
    if machine.nodes.len() < 2 {
        return None;
    }
    if !machine.system.numa_balancing? {
        return Some(Check::fine(WHAT, "off"));
    }
    let cost = "buffers stay in place, but its scans of other programs disturb single samples";
    Some(Check::costs(WHAT, "on", cost, Cure::command("sudo sysctl kernel.numa_balancing=0")))
}

fn fake_nodes(machine: &Machine) -> Option<Check> {
    machine.system.fakes_nodes().then(|| {
        let cost = "nodes share CPUs and memory: no remote memory is measured";
        Check::costs(
            "nodes",
            "divided by numa=fake",
            cost,
            Cure::elsewhere("boot the kernel without numa=fake"),
        )
    })
}

/// DIMMs have a check of their own.
fn unread(machine: &Machine) -> Option<Check> {
    let gaps: Vec<&str> =
        machine.gaps.iter().map(String::as_str).filter(|gap| !gap.starts_with("memory devices")).collect();
    (!gaps.is_empty()).then(|| {
        Check::costs(
            "not readable",
            gaps.join("; "),
            "values that depend on it are skipped, and pages say so",
            Cure::elsewhere("mount /sys and /proc in full; a container or the firmware may hide parts"),
        )
    })
}

//! A machine in words, one line per topic.

use std::collections::BTreeMap;

use zerohop_machine::{CacheKind, Machine, OperatingSystem, PuSet, StatedCache, StatedFacts};
use zerohop_units::Bytes;

use crate::number::counted;

/// A machine's hardware: label and text, the most asked-for first.
pub(crate) fn identity(machine: &Machine) -> Vec<(&'static str, String)> {
    vec![
        ("processor", processor(machine)),
        ("topology", topology(machine)),
        ("caches", caches(machine)),
        ("TLB", tlb(machine)),
        ("memory", memory(machine)),
        ("platform", machine.platform.name().unwrap_or_default()),
        ("firmware", machine.platform.firmware().unwrap_or_default()),
    ]
}

/// Facts that a text states about a machine without its parts: label and text, without facts that the text does not show.
pub(crate) fn stated(machine: &Machine) -> Vec<(&'static str, String)> {
    let StatedFacts { packages, cores_per_package, threads_per_core, pus, online, nodes, memory, .. } =
        &machine.stated;
    let model = &machine.processor.model;
    let count = packages.filter(|&count| count > 1).map_or_else(String::new, |count| format!("{count} × "));
    let parts = [
        packages.map(|count| counted(count as usize, "package")),
        nodes.map(|count| counted(count as usize, "NUMA node")),
        cores_per_package.map(|count| format!("{} per package", counted(count as usize, "core"))),
        threads_per_core.map(|count| format!("{} per core", counted(count as usize, "thread"))),
        pus.map(|count| counted(count as usize, "CPU")),
        online.as_ref().map(|pus| format!("online: {}", cpu_list(pus))),
    ];
    let dimms = machine.dimms();
    let memory = memory.filter(|_| dimms.is_empty()).map(|memory| memory.to_string());
    let mut lines = vec![
        ("processor", if model.is_empty() { String::new() } else { format!("{count}{model}") }),
        ("topology", parts.into_iter().flatten().collect::<Vec<_>>().join(", ")),
        ("caches", stated_caches(&machine.stated.caches)),
        ("memory", memory.unwrap_or_else(|| dimms.join(", "))),
    ];
    lines.extend(settings(&machine.system));
    lines.retain(|(_, text)| !text.is_empty());
    lines
}

/// Caches by level: the size of each, or of all where the text shows no other.
pub(crate) fn stated_caches(caches: &[StatedCache]) -> String {
    let words = caches.iter().map(|cache| {
        let kind = match cache.kind {
            CacheKind::Data => "d",
            CacheKind::Instruction => "i",
            CacheKind::Unified => "",
        };
        let count = cache.instances.map_or_else(String::new, |count| format!("{count} × "));
        match (cache.one, cache.all) {
            (Some(one), _) => format!("L{}{kind} {count}{one}", cache.level),
            (None, Some(all)) => format!("L{}{kind} {all} in all", cache.level),
            (None, None) => format!("L{}{kind}", cache.level),
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

pub(crate) fn settings(system: &OperatingSystem) -> Vec<(&'static str, String)> {
    vec![
        ("kernel", kernel(system)),
        ("parameters", system.kernel_parameters.join(" ")),
        ("huge pages", huge_pages(system)),
        ("NUMA", numa(system)),
        ("clocks", clocks(system)),
        ("limits", limits(system)),
    ]
}

/// Processors, nodes, cores and DIMMs, in a line or two.
pub(crate) fn in_short(machine: &Machine) -> String {
    let processor = &machine.processor;
    let model = if processor.model.is_empty() { "unknown processor" } else { processor.model.trim() };
    let packages = machine.packages.len();
    let count = if packages > 1 { format!("{packages} × ") } else { String::new() };
    let threads = machine.cores.iter().map(|core| core.pus.len()).max().unwrap_or(1);
    let smt = (threads > 1).then(|| format!("{threads} threads each"));
    let host = machine.system.hypervisor.as_ref().map(|hypervisor| format!("virtual machine ({hypervisor})"));
    let total: Bytes = machine.nodes.iter().map(|node| node.memory).sum();
    let dimms = machine.dimms();
    let memory = if dimms.is_empty() { total.to_string() } else { dimms.join(", ") };
    joined([
        Some(format!("{count}{model}")),
        Some(counted(machine.nodes.len(), "node")),
        Some(counted(machine.cores.len(), "core")),
        smt,
        Some(memory),
        host,
    ])
}

/// Maker, model and number of processors.
pub(crate) fn processor(machine: &Machine) -> String {
    let processor = &machine.processor;
    let model = if processor.model.is_empty() { "unknown processor" } else { &processor.model };
    let count =
        if machine.packages.len() > 1 { format!("{} × ", machine.packages.len()) } else { String::new() };
    let arm = processor.is_arm();
    let names = if arm { ["implementer", "part", "variant"] } else { ["family", "model", "stepping"] };
    let numbers = [processor.family, processor.model_number, processor.stepping];
    let numbers = names.into_iter().zip(numbers).filter_map(|(name, number)| {
        // Arm's manuals give these numbers in hexadecimal.
        number.map(|number| if arm { format!("{name} {number:#x}") } else { format!("{name} {number}") })
    });
    let vendor = (!processor.vendor.is_empty()).then(|| processor.vendor.clone());
    let details: Vec<String> = vendor.into_iter().chain(numbers).collect();
    let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
    format!("{count}{model}{details}")
}

/// The number of each kind of part.
pub(crate) fn topology(machine: &Machine) -> String {
    let devices = machine.nodes.iter().filter(|node| machine.is_generic_initiator(node.id)).count();
    let without_memory = machine.nodes.iter().filter(|node| node.memory == Bytes(0)).count() - devices;
    let without_pus = machine.nodes.iter().filter(|node| node.pus.is_empty()).count() - devices;
    let odd = [
        (without_memory, "without memory"),
        (without_pus, "without CPUs"),
        (devices, "without either: generic initiators"),
    ];
    let odd: Vec<String> = odd
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let odd = if odd.is_empty() { String::new() } else { format!(" ({})", odd.join(", ")) };
    let threads = machine.cores.iter().map(|core| core.pus.len()).max().unwrap_or(1);
    let smt = if threads > 1 { format!(" ({threads} threads per core)") } else { String::new() };
    format!(
        "{}, {}{odd}, {}, {}{smt}",
        counted(machine.packages.len(), "package"),
        counted(machine.nodes.len(), "NUMA node"),
        counted(machine.cores.len(), "core"),
        counted(machine.pus.len(), "CPU"),
    )
}

/// What the second-level TLB of a core holds, where that is known.
fn tlb(machine: &Machine) -> String {
    let Some(tlb) = machine.processor.second_level_tlb else { return String::new() };
    let sizes = [(tlb.pages_4k, "4 KiB"), (tlb.pages_2m, "2 MiB"), (tlb.pages_1g, "1 GiB")];
    let held = sizes.into_iter().filter(|(count, _)| *count > 0);
    let held: Vec<String> = held.map(|(count, size)| format!("{count} pages of {size}")).collect();
    format!("second level, from CPUID: {}", held.join(", "))
}

/// Sizes of caches and how many CPUs share each.
pub(crate) fn caches(machine: &Machine) -> String {
    let mut kinds: BTreeMap<(u8, CacheKind, Bytes, usize), usize> = BTreeMap::new();
    for cache in machine.caches.iter().filter(|cache| cache.kind != CacheKind::Instruction) {
        *kinds.entry((cache.level, cache.kind, cache.size, cache.pus.len())).or_default() += 1;
    }
    let described = kinds.into_iter().map(|((level, kind, size, sharers), count)| {
        let letter = if kind == CacheKind::Data { "d" } else { "" };
        let shared = if sharers > 1 { format!(" of {sharers} CPUs") } else { String::new() };
        format!("{count} × L{level}{letter} {size}{shared}")
    });
    described.collect::<Vec<_>>().join(", ")
}

/// Capacity, and the DIMMs that provide it, if known.
pub(crate) fn memory(machine: &Machine) -> String {
    let total: Bytes = machine.nodes.iter().map(|node| node.memory).sum();
    let free: Bytes = machine.nodes.iter().map(|node| node.free).sum();
    let filled = machine.memory_devices.iter().filter(|device| device.size > Bytes(0)).count();
    let mut text = format!("{total}, {free} free");
    for kind in machine.dimms() {
        text.push_str(&format!(", {kind}"));
    }
    if filled < machine.memory_devices.len() && filled > 0 {
        text.push_str(&format!(" in {filled} of {} slots", machine.memory_devices.len()));
    }
    text
}

fn kernel(system: &OperatingSystem) -> String {
    let release = system.kernel.as_ref().map(|release| format!("Linux {release}"));
    let host = system.hypervisor.as_ref().map(|hypervisor| format!("virtual machine ({hypervisor})"));
    let base = system.base_page.map(|page| format!("pages of {page}"));
    joined([release, host, base])
}

fn huge_pages(system: &OperatingSystem) -> String {
    let mode = system.transparent_huge_pages.as_ref().map(|mode| format!("transparent: {mode}"));
    let defrag = system.transparent_huge_page_defrag.as_ref().map(|mode| format!("defragmentation: {mode}"));
    joined([mode, defrag])
}

fn numa(system: &OperatingSystem) -> String {
    let balancing = system.numa_balancing.map(|on| format!("automatic balancing {}", switch(on)));
    let reclaim = system.zone_reclaim.map(|mode| format!("zone reclaim {mode}"));
    joined([balancing, reclaim])
}

fn clocks(system: &OperatingSystem) -> String {
    let governor = system.governor.as_ref().map(|governor| {
        let driver = system.frequency_driver.as_ref().map_or(String::new(), |driver| format!(" ({driver})"));
        format!("governor {governor}{driver}")
    });
    let turbo = system.turbo.map(|on| format!("turbo {}", switch(on)));
    let smt = system.smt.map(|on| format!("SMT {}", switch(on)));
    let source = system.clock_source.as_ref().map(|source| format!("clock source {source}"));
    joined([governor, turbo, smt, source])
}

fn limits(system: &OperatingSystem) -> String {
    joined([
        system.cpuset_cpus.as_ref().map(|cpus| format!("CPUs {cpus}")),
        system.cpuset_mems.as_ref().map(|nodes| format!("memory of nodes {nodes}")),
        system.cpu_quota.map(|quota| format!("time of {quota} CPUs")),
        system.memory_limit.map(|limit| format!("{limit} of memory")),
        system.process_memory_limit.map(|limit| format!("{limit} mapped by this process (ulimit)")),
        system.offline_pus.as_ref().map(|pus| format!("CPUs {pus} offline")),
        system.isolated_pus.as_ref().map(|pus| format!("CPUs {pus} isolated")),
    ])
}

fn switch(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

fn joined<const COUNT: usize>(parts: [Option<String>; COUNT]) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A list of CPUs, truncated if it has many ranges.
pub(crate) fn cpu_list(pus: &PuSet) -> String {
    const LONGEST: usize = 28;
    let list = pus.to_string();
    if list.len() <= LONGEST {
        return list;
    }
    let cut = list[..LONGEST].rfind(',').unwrap_or(LONGEST);
    format!("{},… ({})", &list[..cut], pus.len())
}

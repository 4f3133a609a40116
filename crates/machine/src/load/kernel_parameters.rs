//! Parameters on the kernel's command line that affect memory, caches, clocks or CPUs.
//!
//! All others (root file systems, consoles, tokens of installers) are private and are dropped as soon as they are
//! read. The names are from <https://docs.kernel.org/admin-guide/kernel-parameters.html>.

/// Parameters to keep, by full name.
const NAMES: [&str; 62] = [
    "acpi",
    "amd_iommu",
    "amd_pstate",
    "cgroup_disable",
    "clocksource",
    "cma",
    "default_hugepagesz",
    "deferred_init",
    "gather_data_sampling",
    "hpet",
    "hugepages",
    "hugepagesz",
    "idle",
    "init_on_alloc",
    "init_on_free",
    "intel_iommu",
    "intel_pstate",
    "iommu",
    "irqaffinity",
    "isolcpus",
    "kernelcore",
    "kpti",
    "kvm-clock",
    "l1tf",
    "maxcpus",
    "mce",
    "mds",
    "mem",
    "mem_encrypt",
    "memmap",
    "mitigations",
    "mmio_stale_data",
    "movable_node",
    "movablecore",
    "nmi_watchdog",
    "no-kvmclock",
    "noautogroup",
    "nohz",
    "nohz_full",
    "nopti",
    "nopat",
    "nosmt",
    "nosmap",
    "nospectre_v2",
    "nowatchdog",
    "nr_cpus",
    "numa",
    "numa_balancing",
    "numa_zonelist_order",
    "page_poison",
    "possible_cpus",
    "preempt",
    "pti",
    "rcu_nocbs",
    "retbleed",
    "skew_tick",
    "spec_store_bypass_disable",
    "swiotlb",
    "transparent_hugepage",
    "tsc",
    "tsx",
    "tsx_async_abort",
];

/// Parameters to keep, by prefix: those of families and modules.
const PREFIXES: [&str; 16] = [
    "acpi_cpufreq.",
    "cpufreq.",
    "cpuidle",
    "efi_fake_mem",
    "haltpoll.",
    "hugetlb_",
    "intel_idle.",
    "iommu.",
    "kfence.",
    "memory_hotplug.",
    "memory_tiering",
    "page_alloc.",
    "page_reporting.",
    "processor.",
    "spectre_",
    "thp_",
];

/// The parameters of a kernel's command line that are kept, in their order. Text after `--` is for the init process, not for the kernel.
pub fn relevant(command_line: &str) -> Vec<String> {
    command_line
        .split_whitespace()
        .take_while(|&word| word != "--")
        .filter(|word| {
            let name = word.split_once('=').map_or(*word, |(name, _)| name);
            NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        })
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parameters_that_affect_memory_and_cpus_are_kept() {
        let line = "BOOT_IMAGE=/vmlinuz root=UUID=1234 hugepagesz=1G hugepages=4 intel_idle.max_cstate=1 \
                    console=ttyS0 password=secret isolcpus=2-3 spectre_v2=off -- numa=off";
        assert_eq!(
            relevant(line),
            ["hugepagesz=1G", "hugepages=4", "intel_idle.max_cstate=1", "isolcpus=2-3", "spectre_v2=off"]
        );
    }
}

//! The processor's identity, and the settings of kernel and firmware that affect memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::Bytes;

/// Vendor and model of the processor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Processor {
    /// Vendor as the processor reports it: `GenuineIntel`, `AuthenticAMD`, `ARM`, …
    pub vendor: String,
    /// Marketing name.
    pub model: String,
    /// Family, model and stepping (x86) or implementer, part and variant (Arm).
    pub family: Option<u32>,
    /// See `family`.
    pub model_number: Option<u32>,
    /// See `family`.
    pub stepping: Option<u32>,
    /// Instruction sets relevant to memory kernels (`avx512f`, `avx2`, `sve`, …).
    pub instruction_sets: Vec<String>,
    /// Second-level TLB for data, if the processor describes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_level_tlb: Option<SecondLevelTlb>,
}

impl Processor {
    /// Whether it is an Arm processor, whose numbers are implementer, part and variant.
    pub fn is_arm(&self) -> bool {
        self.instruction_sets.iter().any(|set| set == "asimd")
    }
}

impl OperatingSystem {
    /// Whether the kernel divides nodes into several that share their CPUs and their memory (`numa=fake`).
    pub fn fakes_nodes(&self) -> bool {
        self.kernel_parameters
            .iter()
            .filter_map(|parameter| parameter.strip_prefix("numa="))
            .any(|modes| modes.split(',').any(|mode| mode.starts_with("fake=")))
    }
}

/// Number of entries of a core's second-level data TLB for each page size; zero if none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecondLevelTlb {
    /// Entries for pages of 4 KiB.
    pub pages_4k: u32,
    /// Entries for pages of 2 MiB.
    pub pages_2m: u32,
    /// Entries for pages of 1 GiB.
    pub pages_1g: u32,
}

/// Pages of one size reserved by hugetlbfs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HugePagePool {
    /// Page size, in bytes.
    pub page: Bytes,
    /// Number of reserved pages.
    pub total: u64,
    /// Number of free pages.
    pub free: u64,
}

/// The operating system and its settings. `None` means "could not be read".
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperatingSystem {
    /// Kernel release.
    pub kernel: Option<String>,
    /// Kernel parameters that affect memory, caches, clocks or CPUs; all others are omitted.
    pub kernel_parameters: Vec<String>,
    /// Hypervisor that the machine runs on (`KVM`, `VMware`, …); `None` on bare metal or if none is reported.
    pub hypervisor: Option<String>,
    /// Mode of transparent huge pages (THP): `always`, `madvise` or `never`.
    pub transparent_huge_pages: Option<String>,
    /// Defragmentation mode of transparent huge pages.
    pub transparent_huge_page_defrag: Option<String>,
    /// Default page size of mappings, in bytes.
    pub base_page: Option<Bytes>,
    /// Whether automatic NUMA balancing moves pages.
    pub numa_balancing: Option<bool>,
    /// Value of `zone_reclaim_mode`.
    pub zone_reclaim: Option<u32>,
    /// cpufreq governor, if all PUs have the same one; otherwise the list of governors, comma-separated.
    pub governor: Option<String>,
    /// cpufreq driver.
    pub frequency_driver: Option<String>,
    /// Whether turbo (boost) is on.
    pub turbo: Option<bool>,
    /// Whether SMT is active.
    pub smt: Option<bool>,
    /// Clock source of the kernel.
    pub clock_source: Option<String>,
    /// PUs that exist but are offline, as a CPU list.
    pub offline_pus: Option<String>,
    /// PUs that the kernel isolates from programs that do not request them (`isolcpus`), as a CPU list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolated_pus: Option<String>,
    /// CPUs of the cpuset, if fewer than online.
    pub cpuset_cpus: Option<String>,
    /// Memory nodes of the cpuset, if fewer than online.
    pub cpuset_mems: Option<String>,
    /// CPU time limit of the cgroup, in CPUs.
    pub cpu_quota: Option<f64>,
    /// Memory limit of the cgroup, in bytes.
    pub memory_limit: Option<Bytes>,
    /// Memory that this process may map (`ulimit -v` or `ulimit -d`), in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_memory_limit: Option<Bytes>,
}

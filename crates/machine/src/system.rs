//! The processor's identity, and the settings of kernel and firmware that affect memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::Bytes;

/// The processor's vendor and model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Processor {
    /// `GenuineIntel`, `AuthenticAMD`, `ARM`, … as the processor reports it.
    pub vendor: String,
    /// The marketing name.
    pub model: String,
    /// Family, model and stepping (x86) or implementer, part and variant (Arm).
    pub family: Option<u32>,
    /// See `family`.
    pub model_number: Option<u32>,
    /// See `family`.
    pub stepping: Option<u32>,
    /// Instruction sets that matter to memory kernels (`avx512f`, `avx2`, `sve`, …).
    pub instruction_sets: Vec<String>,
    /// The second-level TLB for data, where the processor describes it.
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

/// The address translations that a core's second-level TLB holds, for each size of page; zero if none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecondLevelTlb {
    /// Pages of 4 KiB.
    pub pages_4k: u32,
    /// Pages of 2 MiB.
    pub pages_2m: u32,
    /// Pages of 1 GiB.
    pub pages_1g: u32,
}

/// Pages of one size reserved by hugetlbfs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HugePagePool {
    /// The page size.
    pub page: Bytes,
    /// The number of pages.
    pub total: u64,
    /// The number of free pages.
    pub free: u64,
}

/// The operating system and its settings. `None` means "could not be read".
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperatingSystem {
    /// Kernel release.
    pub kernel: Option<String>,
    /// The kernel parameters that affect memory, caches, clocks or CPUs; others are left out.
    pub kernel_parameters: Vec<String>,
    /// The hypervisor of this machine (`KVM`, `VMware`, …); `None` on bare metal or if none is reported.
    pub hypervisor: Option<String>,
    /// `always`, `madvise` or `never`.
    pub transparent_huge_pages: Option<String>,
    /// THP's defragmentation mode.
    pub transparent_huge_page_defrag: Option<String>,
    /// Default page size of mappings.
    pub base_page: Option<Bytes>,
    /// Whether automatic NUMA balancing moves pages.
    pub numa_balancing: Option<bool>,
    /// `zone_reclaim_mode`.
    pub zone_reclaim: Option<u32>,
    /// cpufreq governor, if all PUs have the same one; otherwise each one once, comma-separated.
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
    /// PUs that the kernel keeps from all programs that do not ask for them (`isolcpus`), as a CPU list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolated_pus: Option<String>,
    /// The cpuset's CPUs, if fewer than online.
    pub cpuset_cpus: Option<String>,
    /// The cpuset's memory nodes, if fewer than online.
    pub cpuset_mems: Option<String>,
    /// CPU time that the cgroup may use, in CPUs.
    pub cpu_quota: Option<f64>,
    /// Memory that the cgroup may use.
    pub memory_limit: Option<Bytes>,
    /// Memory that this process may map (`ulimit -v` or `ulimit -d`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_memory_limit: Option<Bytes>,
}

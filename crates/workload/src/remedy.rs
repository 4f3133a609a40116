//! What the reader of a [`Warning`] can do.

use crate::warning::Warning;

impl Warning {
    /// What the reader can do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::HugePagesMissing { .. } => {
                "reserve huge pages (`sysctl vm.nr_hugepages`) or set transparent huge pages to madvise"
            }
            Self::PagesMisplaced { .. } => "free memory on the node, or use a smaller --buffer",
            Self::PlacementUnproven { .. } | Self::PlacementNotBound { .. } => {
                "allow the NUMA system calls (in a container: CAP_SYS_NICE, or a seccomp profile that allows them)"
            }
            Self::CpuTaken { .. }
            | Self::RarelyTogether { .. }
            | Self::SamplesDisturbed { .. }
            | Self::LatencyRaised { .. } => "stop other load, or measure again when the machine is quiet",
            Self::QuotaShort { .. } => {
                "raise the CPU quota (cpu.max; `docker run --cpus`; a limit of Kubernetes), or use fewer --cpus"
            }
            Self::CpusIsolated { .. } => "start zerohop on them: `taskset --cpu-list LIST zerohop …`",
            Self::NodesFake {} => "boot without numa=fake to measure the machine's own nodes",
            Self::CacheSmaller { .. } => {
                "nothing is wrong: the hypervisor shows the host's cache, of which this machine has a part"
            }
            Self::CpusMoved { .. } | Self::PlacedSeveralWays { .. } => {
                "pin the virtual CPUs, or measure again until they stay (`survey --repeat`)"
            }
            Self::CpuElsewhere { .. } => {
                "let zerohop read /sys/devices/system/node: mount /sys (in a container, do not mask it)"
            }
            Self::BudgetShort { .. } => {
                "cells without their turn are left out, with the --budget that holds all"
            }
            Self::CpuLost { .. } => "let no CPU go offline, and no cpuset change, while zerohop measures",
            Self::TwoPeaks { .. } => "look at the raw samples; in a virtual machine, pin the virtual CPUs",
            Self::SpreadWide { .. } => "lengthen the samples with --duration",
            Self::IntervalWide { .. } | Self::SamplesFew { .. } => {
                "allow more time: --full instead of --quick, or a larger --budget"
            }
            Self::BufferNearCache { .. } | Self::CachesUnknown { .. } => {
                "use a larger buffer (--buffer) or, in another tool, larger arrays"
            }
            Self::ClockDrift { .. } => "set the cpufreq governor to performance, or pin the clock",
            Self::Throttled {} => "check cooling and power limits",
            Self::DemandNotReached { .. } => "lower the demand, or use more background cores",
            Self::Stolen { .. } => "ask for dedicated cores, or measure when other guests are quiet",
            Self::NodeSkipped { .. } | Self::CpusSkipped { .. } => {
                "widen the cpuset (cpuset.cpus, cpuset.mems)"
            }
            Self::CasesSkipped { .. } => "nothing is wrong: there are no other cases",
            Self::ExperimentSkipped { .. } => "fix what the reason names; the other results stand",
            Self::NotSteady {} => "lengthen the samples with --duration",
            Self::SimulatedInstead { .. } => "nothing is wrong: --solver event simulates everything",
            Self::ClockCoarse { .. } => "lengthen the sample with --duration",
            Self::Implausible { .. } => "look at the line in the tool's output, and run the tool again",
            Self::Attributed { .. } => "give each machine's text a file of its own, if that is wrong",
            Self::NotImported { .. } => "nothing is wrong, unless a value that you need is in there",
            Self::ToolWarned { .. } => "do what the tool asks for, and run it again",
            Self::Unknown(_) => "read the result with the version of zerohop that wrote it",
        }
    }
}

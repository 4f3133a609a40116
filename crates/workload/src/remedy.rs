//! Advice on a [`Warning`] for the reader.

use crate::engine::EngineError;
use crate::warning::Warning;

impl Warning {
    /// Advice on the warning for the reader.
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
            | Self::LatencyRaised { .. } => "stop other load, or measure again when the machine is idle",
            Self::QuotaShort { .. } => {
                "raise the CPU quota (cpu.max; `docker run --cpus`; a Kubernetes limit), or use fewer --cpus"
            }
            Self::CpusIsolated { .. } => "start zerohop on them: `taskset --cpu-list LIST zerohop …`",
            Self::NodesFake {} => "boot without numa=fake to measure the machine's own nodes",
            Self::CacheSmaller { .. } => {
                "this is normal: the hypervisor shows the host's cache, of which this machine has a part"
            }
            Self::CpusMoved { .. } | Self::PlacedSeveralWays { .. } => {
                "pin the virtual CPUs, or measure again until they stay (`survey --repeat`)"
            }
            Self::CpuElsewhere { .. } => {
                "let zerohop read /sys/devices/system/node: mount /sys (in a container, do not mask it)"
            }
            Self::BudgetShort { .. } => "skipped cells are listed with the --budget that is enough for all",
            Self::CpuLost { .. } => "keep CPUs online and cpusets unchanged while zerohop measures",
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
            Self::Stolen { .. } => "use dedicated cores, or measure when other guests are idle",
            Self::NodeSkipped { .. } | Self::CpusSkipped { .. } => {
                "widen the cpuset (cpuset.cpus, cpuset.mems)"
            }
            Self::CasesSkipped { .. } => "this is normal: there are no other cases",
            Self::ExperimentSkipped { reason, .. }
                if reason.ends_with(&EngineError::OutOfTime.to_string()) =>
            {
                "allow more time with --budget; the other results are valid"
            }
            Self::ExperimentSkipped { .. } => "fix the cause in the message; the other results are valid",
            Self::NotSteady {} => "lengthen the samples with --duration",
            Self::SimulatedInstead { .. } => "this is normal: --solver event simulates everything",
            Self::ClockCoarse { .. } => "lengthen the sample with --duration",
            Self::Implausible { .. } => "check the line in the tool's output, and run the tool again",
            Self::Attributed { .. } => "if that is wrong, put each machine's text into its own file",
            Self::NotImported { .. } => "this is normal, unless these lines contain values that you need",
            Self::ToolWarned { .. } => "follow the tool's message, and run it again",
            Self::Unknown(_) => "read the result with the version of zerohop that wrote it",
        }
    }
}

//! The processor's identity, from `/proc/cpuinfo`.

use super::arm;
use super::reader::{Reader, field};
use crate::Processor;

/// Keys of `/proc/cpuinfo` that identify the processor, its PUs or its features. Others are neither read nor kept
/// in a capture (the file shows the serial number of single-board computers).
pub(crate) const KEYS: [&str; 19] = [
    "processor",
    "vendor_id",
    "cpu family",
    "model",
    "model name",
    "stepping",
    "flags",
    "physical id",
    "core id",
    "siblings",
    "cpu cores",
    "apicid",
    "CPU implementer",
    "CPU architecture",
    "CPU variant",
    "CPU part",
    "CPU revision",
    "Features",
    "microcode",
];

/// Features that determine which bandwidth kernels can run, or how fast a copy in the C library is.
const INSTRUCTION_SETS: [&str; 22] = [
    "sse2",
    "sse4_1",
    "avx",
    "avx2",
    "avx512f",
    "avx512bw",
    "avx512vl",
    "amx_tile",
    "movdiri",
    "movdir64b",
    "clflushopt",
    "clwb",
    "cldemote",
    "erms",
    "fsrm",
    "rdtscp",
    "nonstop_tsc",
    "asimd",
    "atomics",
    "dcpop",
    "sve",
    "sve2",
];

pub(super) fn load(reader: &Reader<'_>) -> Processor {
    let Some(text) = reader.text("/proc/cpuinfo") else {
        reader.gap("processor: no /proc/cpuinfo");
        return Processor::default();
    };
    let abilities = field(&text, "flags").or_else(|| field(&text, "Features")).unwrap_or_default();
    let instruction_sets = relevant_instruction_sets(abilities);
    let number = |key: &str| field(&text, key).and_then(number);
    if let (Some(implementer), Some(part)) = (number("CPU implementer"), number("CPU part")) {
        return Processor {
            vendor: arm::implementer(implementer),
            model: field(&text, "model name").map_or_else(|| arm::core(implementer, part), str::to_owned),
            family: Some(implementer),
            model_number: Some(part),
            stepping: number("CPU variant"),
            instruction_sets,
            second_level_tlb: None,
        };
    }
    let text_of = |key: &str| field(&text, key).unwrap_or_default().to_owned();
    let processor = Processor {
        vendor: text_of("vendor_id"),
        model: text_of("model name"),
        family: number("cpu family"),
        model_number: number("model"),
        stepping: number("stepping"),
        instruction_sets,
        second_level_tlb: None,
    };
    if processor.vendor.is_empty() && processor.model.is_empty() {
        reader.gap("processor: /proc/cpuinfo contains neither vendor nor model");
    }
    processor
}

/// Flags of a processor that matter to memory kernels.
pub fn relevant_instruction_sets(flags: &str) -> Vec<String> {
    let relevant = flags.split_whitespace().filter(|flag| INSTRUCTION_SETS.contains(flag));
    relevant.map(str::to_owned).collect()
}

/// A number: decimal on x86, hexadecimal with `0x` on Arm.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capture;

    fn processor(cpuinfo: &str) -> Processor {
        load(&Reader::new(&Capture::from_files([("/proc/cpuinfo", cpuinfo)])))
    }

    #[test]
    fn x86_reports_its_name() {
        let read = processor(
            "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC \
             9554 64-Core Processor\nstepping\t: 1\nflags\t\t: fpu sse2 avx2 avx512f hypervisor\n",
        );
        assert_eq!(
            (read.vendor.as_str(), read.model.as_str()),
            ("AuthenticAMD", "AMD EPYC 9554 64-Core Processor")
        );
        assert_eq!((read.family, read.model_number, read.stepping), (Some(25), Some(17), Some(1)));
        assert_eq!(read.instruction_sets, ["sse2", "avx2", "avx512f"]);
    }

    #[test]
    fn arm_is_named_by_its_numbers() {
        let read = processor(
            "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd atomics sve\nCPU implementer\t: 0x41\nCPU \
             architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd40\nCPU revision\t: 1\n",
        );
        assert_eq!((read.vendor.as_str(), read.model.as_str()), ("ARM", "Neoverse V1"));
        assert_eq!(read.model_number, Some(0xd40));
        assert_eq!(read.instruction_sets, ["asimd", "atomics", "sve"]);
    }
}

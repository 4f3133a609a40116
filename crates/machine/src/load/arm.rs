//! Arm cores by the implementer and part number of their MIDR register.
//!
//! The numbers are from Linux, `arch/arm64/include/asm/cputype.h`, and otherwise from util-linux, `sys-utils/lscpu-arm.c`.

/// Implementers of cores: code and name.
const IMPLEMENTERS: [(u32, &str); 13] = [
    (0x41, "ARM"),
    (0x42, "Broadcom"),
    (0x43, "Cavium"),
    (0x46, "Fujitsu"),
    (0x48, "HiSilicon"),
    (0x4e, "NVIDIA"),
    (0x50, "APM"),
    (0x51, "Qualcomm"),
    (0x53, "Samsung"),
    (0x61, "Apple"),
    (0x6d, "Microsoft"),
    (0x70, "Phytium"),
    (0xc0, "Ampere"),
];

/// Cores: implementer, part and name.
const PARTS: [(u32, u32, &str); 34] = [
    (0x41, 0xd03, "Cortex-A53"),
    (0x41, 0xd05, "Cortex-A55"),
    (0x41, 0xd07, "Cortex-A57"),
    (0x41, 0xd08, "Cortex-A72"),
    (0x41, 0xd09, "Cortex-A73"),
    (0x41, 0xd0a, "Cortex-A75"),
    (0x41, 0xd0b, "Cortex-A76"),
    (0x41, 0xd0c, "Neoverse N1"),
    (0x41, 0xd40, "Neoverse V1"),
    (0x41, 0xd49, "Neoverse N2"),
    (0x41, 0xd4a, "Neoverse E1"),
    (0x41, 0xd4f, "Neoverse V2"),
    (0x41, 0xd83, "Neoverse V3AE"),
    (0x41, 0xd84, "Neoverse V3"),
    (0x41, 0xd8e, "Neoverse N3"),
    (0x42, 0x516, "ThunderX2 (Vulcan)"),
    (0x43, 0x0a1, "ThunderX"),
    (0x43, 0x0af, "ThunderX2"),
    (0x43, 0x0b8, "ThunderX3"),
    (0x46, 0x001, "A64FX"),
    (0x46, 0x003, "MONAKA"),
    (0x48, 0xd01, "TaiShan V110 (Kunpeng 920)"),
    (0x48, 0xd02, "HIP09 (Kunpeng)"),
    (0x4e, 0x003, "Denver 2"),
    (0x4e, 0x004, "Carmel"),
    (0x4e, 0x010, "Olympus"),
    (0x50, 0x000, "X-Gene"),
    (0x51, 0xc00, "Falkor"),
    (0x6d, 0xd49, "Cobalt 100"),
    (0x70, 0x662, "FTC662"),
    (0x70, 0x663, "FTC663"),
    (0x70, 0x862, "FTC862"),
    (0xc0, 0xac3, "Ampere-1"),
    (0xc0, 0xac4, "Ampere-1A"),
];

/// The implementer's name, or its code if the name is unknown.
pub(super) fn implementer(code: u32) -> String {
    let known = IMPLEMENTERS.iter().find(|&&(known, _)| known == code);
    known.map_or_else(|| format!("implementer {code:#x}"), |(_, name)| (*name).to_owned())
}

/// The core's name, or its codes if the name is unknown.
pub(super) fn core(implementer_code: u32, part: u32) -> String {
    let known = PARTS.iter().find(|&&(who, what, _)| (who, what) == (implementer_code, part));
    known.map_or_else(
        || format!("{} part {part:#05x}", implementer(implementer_code)),
        |(.., name)| (*name).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_cores_have_names_and_others_have_codes() {
        assert_eq!(core(0x41, 0xd4f), "Neoverse V2");
        assert_eq!(core(0x46, 0x001), "A64FX");
        assert_eq!(core(0x41, 0x001), "ARM part 0x001");
        assert_eq!(core(0x99, 0xd0c), "implementer 0x99 part 0xd0c");
    }
}

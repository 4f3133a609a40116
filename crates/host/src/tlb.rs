//! What a core's second-level TLB holds, as far as CPUID describes it.

use zerohop_machine::SecondLevelTlb;

/// Registers EAX, EBX, ECX and EDX of a CPUID leaf.
type Leaf = [u32; 4];

/// The second-level TLB of this processor; `None` if CPUID does not describe it.
pub fn second_level_tlb() -> Option<SecondLevelTlb> {
    #[cfg(target_arch = "x86_64")]
    {
        let leaf = |leaf: u32, subleaf: u32| {
            let read = std::arch::x86_64::__cpuid_count(leaf, subleaf);
            [read.eax, read.ebx, read.ecx, read.edx]
        };
        described(leaf)
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// What the leaves of CPUID describe.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
fn described(leaf: impl Fn(u32, u32) -> Leaf) -> Option<SecondLevelTlb> {
    let [last, b, c, d] = leaf(0, 0);
    let vendor: Vec<u8> = [b, d, c].into_iter().flat_map(u32::to_le_bytes).collect();
    let tlb = match vendor.as_slice() {
        b"AuthenticAMD" | b"HygonGenuine" => amd(leaf),
        b"GenuineIntel" => intel(leaf, last),
        _ => return None,
    };
    (tlb != SecondLevelTlb::default()).then_some(tlb)
}

/// AMD APM volume 3, appendix E: Fn8000_0006 "L2 cache and TLB information", Fn8000_0019 "1-GB page TLB information". A
/// field of associativity that is zero means that there is none. Processors with TLBs too large for these fields set
/// Fn8000_0021 EAX\[14\], `L2TlbSizeX32`.
fn amd(leaf: impl Fn(u32, u32) -> Leaf) -> SecondLevelTlb {
    let [last, ..] = leaf(0x8000_0000, 0);
    let times = if last >= 0x8000_0021 && leaf(0x8000_0021, 0)[0] >> 14 & 1 == 1 { 32 } else { 1 };
    let entries = |register: u32| if register >> 28 == 0 { 0 } else { (register >> 16 & 0xfff) * times };
    let [large, small, ..] = if last >= 0x8000_0006 { leaf(0x8000_0006, 0) } else { [0; 4] };
    let [_, huge, ..] = if last >= 0x8000_0019 { leaf(0x8000_0019, 0) } else { [0; 4] };
    SecondLevelTlb { pages_4k: entries(small), pages_2m: entries(large), pages_1g: entries(huge) }
}

/// Intel SDM volume 2, CPUID leaf 18H "Deterministic address translation parameters".
fn intel(leaf: impl Fn(u32, u32) -> Leaf, last: u32) -> SecondLevelTlb {
    const LEAF: u32 = 0x18;
    let mut tlb = SecondLevelTlb::default();
    if last < LEAF {
        return tlb;
    }
    let [subleaves, ..] = leaf(LEAF, 0);
    for subleaf in 0..=subleaves.min(64) {
        let [_, ways_and_pages, sets, kind] = leaf(LEAF, subleaf);
        // Type 1 is a data TLB, 3 a unified one, 4 is for loads only.
        let for_loads = matches!(kind & 0x1f, 1 | 3 | 4);
        if !for_loads || kind >> 5 & 0b111 != 2 {
            continue;
        }
        let entries = (ways_and_pages >> 16).saturating_mul(sets);
        for (bit, pages) in [(0, &mut tlb.pages_4k), (1, &mut tlb.pages_2m), (3, &mut tlb.pages_1g)] {
            if ways_and_pages >> bit & 1 == 1 {
                *pages = entries.max(*pages);
            }
        }
    }
    tlb
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &[u8; 12]) -> [u32; 3] {
        [0, 4, 8].map(|at| u32::from_le_bytes([text[at], text[at + 1], text[at + 2], text[at + 3]]))
    }

    #[test]
    fn amd_s_tlb_is_that_of_its_extended_leaves() {
        let [b, d, c] = words(b"AuthenticAMD");
        // The values of Zen 3: 2048 pages of 4 KiB and 2 MiB, 64 of 1 GiB.
        let cpuid = |leaf: u32, _: u32| match leaf {
            0 => [0x10, b, c, d],
            0x8000_0000 => [0x8000_0023, 0, 0, 0],
            0x8000_0006 => [0x5800_2200, 0x6800_4200, 0x0200_6140, 0],
            0x8000_0019 => [0xf040_f040, 0xf040_0000, 0, 0],
            0x8000_0021 => [0, 0, 0, 0],
            other => panic!("{other:x}"),
        };
        let tlb = SecondLevelTlb { pages_4k: 2048, pages_2m: 2048, pages_1g: 64 };
        assert_eq!(described(cpuid), Some(tlb));
        // Family 1Ah counts in units of 32.
        let in_units = |leaf: u32, subleaf: u32| match leaf {
            0x8000_0006 => [0x5080_0000, 0x6080_0000, 0, 0],
            0x8000_0019 => [0, 0, 0, 0],
            0x8000_0021 => [1 << 14, 0, 0, 0],
            _ => cpuid(leaf, subleaf),
        };
        let tlb = SecondLevelTlb { pages_4k: 4096, pages_2m: 4096, pages_1g: 0 };
        assert_eq!(described(in_units), Some(tlb));
    }

    #[test]
    fn intel_s_tlb_is_that_of_leaf_18h_where_there_is_one() {
        let [b, d, c] = words(b"GenuineIntel");
        // A first-level TLB, then 1024 entries for pages of 4 KiB and 2 MiB, and 1024 for 4 KiB and 1 GiB.
        let cpuid = |last: u32| {
            move |leaf: u32, subleaf: u32| match (leaf, subleaf) {
                (0, _) => [last, b, c, d],
                (0x18, 0) => [3, 0, 0, 0],
                (0x18, 1) => [0, 4 << 16 | 0b0001, 16, 1 << 5 | 1],
                (0x18, 2) => [0, 8 << 16 | 0b0011, 128, 2 << 5 | 3],
                (0x18, 3) => [0, 8 << 16 | 0b1001, 128, 2 << 5 | 3],
                other => panic!("{other:x?}"),
            }
        };
        let tlb = SecondLevelTlb { pages_4k: 1024, pages_2m: 1024, pages_1g: 1024 };
        assert_eq!(described(cpuid(0x20)), Some(tlb));
        assert_eq!(described(cpuid(0x16)), None);
    }

    #[test]
    fn other_processors_describe_none() {
        assert_eq!(described(|_, _| [0; 4]), None);
    }
}

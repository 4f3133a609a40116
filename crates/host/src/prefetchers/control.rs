//! The registers that switch prefetchers off, by processor, as far as their makers have published them.

use zerohop_machine::Processor;

/// A model-specific register that every core has, with a bit for each prefetcher.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Control {
    /// The address of the register.
    pub(super) register: u32,
    /// For each prefetcher, the bit that is 1 when it is off, and its maker's name for it.
    pub(super) prefetchers: &'static [(u32, &'static str)],
}

/// Intel, "Disclosure of Hardware Prefetcher Control on Some Intel Processors" (2014), and SDM volume 4,
/// `MSR_MISC_FEATURE_CONTROL`.
static CORE: Control = Control {
    register: 0x1a4,
    prefetchers: &[(0, "L2 hardware"), (1, "L2 adjacent cache line"), (2, "DCU"), (3, "DCU IP")],
};

/// Intel SDM volume 4, `MSR_PREFETCH_CONTROL`: Golden Cove and later cores have a fifth prefetcher.
static GOLDEN_COVE: Control = Control {
    register: 0x1a4,
    prefetchers: &[
        (0, "L2 hardware"),
        (1, "L2 adjacent cache line"),
        (2, "DCU"),
        (3, "DCU IP"),
        (5, "L2 adaptive multipath probability"),
    ],
};

/// AMD, Processor Programming References for family 19h and for family 1Ah (57238), `MSRC000_0108` "Prefetch Control". A
/// processor that has it says so by CPUID Fn8000_0021 EAX\[13\], `PrefetchCtlMsr` (AMD APM volume 3, appendix E).
static ZEN: Control = Control {
    register: 0xc000_0108,
    prefetchers: &[(0, "L1 stream"), (1, "L1 stride"), (2, "L1 region"), (3, "L2 stream"), (5, "L2 up/down")],
};

impl Control {
    /// The control of `processor`, if it is known; `announced` says whether CPUID announces AMD's. It is unknown for Xeon Phi and Atom cores, whose bits have another
    /// meaning, hence also for hybrid processors, and for Granite Rapids, which has undocumented prefetchers.
    pub(super) fn of(processor: &Processor, announced: bool) -> Option<&'static Self> {
        match (processor.vendor.as_str(), processor.family?, processor.model_number?) {
            ("GenuineIntel", 6, model) => Self::of_intel(model),
            ("AuthenticAMD", ..) if announced => Some(&ZEN),
            _ => None,
        }
    }

    /// Model numbers are from the SDM, volume 4, table "CPUID signature values of DisplayFamily_DisplayModel".
    fn of_intel(model: u32) -> Option<&'static Self> {
        match model {
            // Nehalem and Westmere.
            0x1a | 0x1e | 0x1f | 0x2e | 0x25 | 0x2c | 0x2f => Some(&CORE),
            // Sandy Bridge and Ivy Bridge.
            0x2a | 0x2d | 0x3a | 0x3e => Some(&CORE),
            // Haswell and Broadwell.
            0x3c | 0x3f | 0x45 | 0x46 | 0x3d | 0x47 | 0x4f | 0x56 => Some(&CORE),
            // Skylake and its successors to Comet Lake; 55H is Skylake-SP, Cascade Lake and Cooper Lake.
            0x4e | 0x5e | 0x55 | 0x8e | 0x9e | 0xa5 | 0xa6 => Some(&CORE),
            // Ice Lake, Tiger Lake and Rocket Lake.
            0x7d | 0x7e | 0x6a | 0x6c | 0x8c | 0x8d | 0xa7 => Some(&CORE),
            // Sapphire Rapids and Emerald Rapids.
            0x8f | 0xcf => Some(&GOLDEN_COVE),
            _ => None,
        }
    }

    /// The bits of all prefetchers.
    pub(super) fn bits(&self) -> u64 {
        self.prefetchers.iter().map(|(bit, _)| 1 << bit).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(vendor: &str, family: u32, model: u32, announced: bool) -> Option<(u32, u64)> {
        let processor = Processor {
            vendor: vendor.to_owned(),
            family: Some(family),
            model_number: Some(model),
            ..Processor::default()
        };
        Control::of(&processor, announced).map(|control| (control.register, control.bits()))
    }

    #[test]
    fn servers_of_both_vendors_are_known() {
        assert_eq!(control("GenuineIntel", 6, 0x55, false), Some((0x1a4, 0b1111)));
        assert_eq!(control("GenuineIntel", 6, 0x8f, false), Some((0x1a4, 0b10_1111)));
        assert_eq!(control("AuthenticAMD", 0x19, 0x11, true), Some((0xc000_0108, 0b10_1111)));
        assert_eq!(control("AuthenticAMD", 0x1a, 0x02, true), Some((0xc000_0108, 0b10_1111)));
    }

    #[test]
    fn amd_s_control_is_there_where_cpuid_announces_it_whatever_the_family() {
        assert_eq!(control("AuthenticAMD", 0x1b, 0x00, true), Some((0xc000_0108, 0b10_1111)));
        assert_eq!(control("AuthenticAMD", 0x19, 0x01, false), None);
        assert_eq!(control("GenuineIntel", 6, 0x57, true), None, "the bit means nothing on others");
    }

    #[test]
    fn nothing_is_guessed() {
        let phi = control("GenuineIntel", 6, 0x57, false);
        let goldmont = control("GenuineIntel", 6, 0x5c, false);
        let alder_lake = control("GenuineIntel", 6, 0x97, false);
        let netburst = control("GenuineIntel", 15, 0x55, false);
        let zen_2 = control("AuthenticAMD", 0x17, 0x31, false);
        let arm = control("ARM", 0x41, 0xd0c, false);
        assert_eq!([phi, goldmont, alder_lake, netburst, zen_2, arm], [None; 6]);
        assert_eq!(Control::of(&Processor::default(), true), None);
    }
}

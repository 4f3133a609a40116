//! The kernel's release and settings.

use std::collections::BTreeSet;

use zerohop_units::Bytes;

use super::kernel_parameters;
use super::reader::Reader;
use crate::{OperatingSystem, PuSet};

const CPU: &str = "/sys/devices/system/cpu";

/// All settings except those of the hypervisor and the control groups.
pub(super) fn load(reader: &Reader<'_>, online: &PuSet) -> OperatingSystem {
    let kernel = reader.text("/proc/sys/kernel/osrelease");
    if kernel.is_none() {
        reader.gap("kernel: no /proc/sys/kernel/osrelease");
    }
    let huge_page_mode = |file: &str| {
        let text = reader.text(&format!("/sys/kernel/mm/transparent_hugepage/{file}"))?;
        selected(&text).map(str::to_owned)
    };
    let present = reader.list(&format!("{CPU}/present")).unwrap_or_default();
    let offline = present.difference(online);
    OperatingSystem {
        kernel,
        kernel_parameters: kernel_parameters::relevant(&reader.text("/proc/cmdline").unwrap_or_default()),
        transparent_huge_pages: huge_page_mode("enabled"),
        transparent_huge_page_defrag: huge_page_mode("defrag"),
        base_page: base_page(reader),
        // Values above 1 are the modes of memory tiering, which move pages as well.
        numa_balancing: reader.number::<u32>("/proc/sys/kernel/numa_balancing").map(|mode| mode != 0),
        zone_reclaim: reader.number("/proc/sys/vm/zone_reclaim_mode"),
        governor: each_once(reader, online, "scaling_governor"),
        frequency_driver: each_once(reader, online, "scaling_driver"),
        turbo: turbo(reader),
        smt: reader.number::<u32>(&format!("{CPU}/smt/active")).map(|active| active != 0),
        clock_source: reader.text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        offline_pus: (!offline.is_empty()).then(|| offline.to_string()),
        isolated_pus: reader
            .list(&format!("{CPU}/isolated"))
            .filter(|isolated| !isolated.is_empty())
            .map(|isolated| isolated.to_string()),
        ..OperatingSystem::default()
    }
}

/// The word in brackets in a text such as `always [madvise] never`.
fn selected(text: &str) -> Option<&str> {
    text.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'))
}

/// The value that all PUs share, or else each value once.
fn each_once(reader: &Reader<'_>, online: &PuSet, file: &str) -> Option<String> {
    let values: BTreeSet<String> =
        online.iter().filter_map(|pu| reader.text(&format!("{CPU}/cpu{pu}/cpufreq/{file}"))).collect();
    (!values.is_empty()).then(|| Vec::from_iter(values).join(","))
}

fn turbo(reader: &Reader<'_>) -> Option<bool> {
    let without: Option<u32> = reader.number(&format!("{CPU}/intel_pstate/no_turbo"));
    let boost = || reader.number::<u32>(&format!("{CPU}/cpufreq/boost"));
    without.map(|off| off == 0).or_else(|| boost().map(|on| on != 0))
}

/// The page size that the kernel passed to this process at its start (`AT_PAGESZ` of its auxiliary vector).
fn base_page(reader: &Reader<'_>) -> Option<Bytes> {
    let vector = reader.bytes("/proc/self/auxv").ok()?;
    let entry = page_size_entry(&vector)?;
    let size = u64::from_le_bytes(entry[8..].try_into().ok()?);
    (size.is_power_of_two()).then_some(Bytes(size))
}

/// The entry of an auxiliary vector that holds the page size: a key and a value of 64 bits each, as on all
/// supported machines.
pub(crate) fn page_size_entry(vector: &[u8]) -> Option<&[u8]> {
    const AT_PAGESZ: [u8; 8] = 6u64.to_le_bytes();
    vector.chunks_exact(16).find(|entry| entry.starts_with(&AT_PAGESZ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selected_word_is_the_one_in_brackets() {
        assert_eq!(selected("always [madvise] never"), Some("madvise"));
        assert_eq!(selected("always madvise"), None);
    }

    #[test]
    fn the_page_size_is_found_by_its_key() {
        let words = [33u64, 7, 6, 65536, 0, 0];
        let vector: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        assert_eq!(page_size_entry(&vector), Some(&vector[16..32]));
        assert_eq!(page_size_entry(&vector[..20]), None);
    }
}

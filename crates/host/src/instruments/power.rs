//! Energy that packages and their memory used (RAPL, `/sys/class/powercap/intel-rapl*`, which AMD processors have too), and the clock
//! of the uncore (`/sys/devices/system/cpu/intel_uncore_frequency`).

use zerohop_machine::FileTree;
use zerohop_units::{Hertz, Seconds};

use super::unavailable::WhyUnseen;
use crate::tree::{number, text};

const POWERCAP: &str = "/sys/class/powercap";
const UNCORE: &str = "/sys/devices/system/cpu/intel_uncore_frequency";

/// What a meter of energy is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Domain {
    Package,
    Memory,
}

/// A meter of energy, in microjoules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Meter {
    domain: Domain,
    path: String,
    /// The value after which it starts again from zero.
    range: u64,
}

/// All meters.
///
/// # Errors
/// There are none, or this user may not read them.
pub(super) fn meters(tree: &dyn FileTree) -> Result<Vec<Meter>, WhyUnseen> {
    let mut names = tree.list(POWERCAP).map_err(|_| WhyUnseen::NotThere)?;
    names.sort_unstable();
    let zones = names.iter().filter(|name| name.starts_with("intel-rapl:")).filter_map(|name| {
        let zone = format!("{POWERCAP}/{name}");
        let domain = match text(tree, &format!("{zone}/name"))?.trim() {
            package if package.starts_with("package") => Domain::Package,
            "dram" => Domain::Memory,
            _ => return None,
        };
        let range = number(tree, &format!("{zone}/max_energy_range_uj")).unwrap_or(u64::MAX);
        Some(Meter { domain, path: format!("{zone}/energy_uj"), range })
    });
    let zones: Vec<Meter> = zones.collect();
    match zones.first().map(|zone| tree.read(&zone.path)) {
        None => Err(WhyUnseen::NotThere),
        Some(Err(error)) => Err(WhyUnseen::of_meter(&error)),
        Some(Ok(_)) => Ok(zones),
    }
}

impl Meter {
    /// Microjoules so far.
    pub(super) fn read(&self, tree: &dyn FileTree) -> Option<u64> {
        number(tree, &self.path)
    }
}

/// Power of a domain in watts, over all packages; `None` if a meter of it could not be read.
pub(super) fn watts(
    meters: &[Meter],
    domain: Domain,
    (before, after): (&[Option<u64>], &[Option<u64>]),
    time: Seconds,
) -> Option<f64> {
    let meant = meters.iter().zip(before.iter().zip(after)).filter(|(meter, _)| meter.domain == domain);
    let used = meant.map(|(meter, (before, after))| {
        let (before, after) = ((*before)?, (*after)?);
        // A meter that has started again from zero was at the end of its range meanwhile.
        let used = after.checked_sub(before).or_else(|| (after + meter.range).checked_sub(before))?;
        Some(used as f64 / 1e6)
    });
    let used: Option<Vec<f64>> = used.collect();
    let used = used.filter(|used| !used.is_empty() && time.get() > 0.0)?;
    Some(used.into_iter().sum::<f64>() / time.get())
}

/// The files that show the clock of each package's uncore.
pub(super) fn uncore_clocks(tree: &dyn FileTree) -> Vec<String> {
    let names = tree.list(UNCORE).unwrap_or_default();
    let files = names.iter().map(|name| format!("{UNCORE}/{name}/current_freq_khz"));
    files.filter(|path| number(tree, path).is_some()).collect()
}

/// The lowest of these clocks now.
pub(super) fn lowest_clock(tree: &dyn FileTree, paths: &[String]) -> Option<Hertz> {
    let clocks = paths.iter().filter_map(|path| number(tree, path)).filter(|khz| *khz > 0);
    clocks.min().map(|khz| Hertz(khz as f64 * 1e3))
}

//! Memory channels of a template: a rate, and the timings of their technology.

use super::draft::{Basis, Draft};
use super::plan::Plan;
use crate::file::timings::{self, Chosen, Technology};

/// Share of its time that the bus of a channel is idle under sequential reads of all cores, because banks are still opening rows:
/// found in simulations of the technologies.
const CONFLICTS: f64 = 0.01;

/// The key of a share of the bus.
const EFFICIENCY: &str = "efficiency";

/// Technologies that a template may name.
pub(super) fn technologies() -> impl Iterator<Item = &'static str> {
    timings::technologies()
}

/// Share of a channel's bandwidth that sequential reads reach with the timings of that technology.
pub(super) fn reads(technology: &str) -> f64 {
    let share = |found: Technology| found.efficiency * found.available * (1.0 - CONFLICTS);
    timings::technology(technology).map_or(1.0, share)
}

/// A kind of channel.
pub(super) struct Kind<'a> {
    pub(super) name: &'a str,
    pub(super) technology: &'a str,
    /// DIMMs of a channel.
    pub(super) dimms: u32,
    /// Number of these channels in one channel as vendors count it.
    pub(super) parts: u32,
    /// Share of the bandwidth that sequential reads reach, if known to differ from the technology's.
    pub(super) reads: Option<(f64, Basis)>,
    /// Loss for each line that is written without a fetch, if known, in ns.
    pub(super) store_gap: Option<(f64, Basis)>,
    /// Rate or bandwidth: key, value, source.
    pub(super) rate: (&'a str, String, Basis),
}

/// Writes a kind of channel.
pub(super) fn write(draft: &mut Draft, plan: &Plan<'_>, kind: &Kind<'_>) {
    let Some(found) = timings::technology(kind.technology) else { return };
    let (key, value, basis) = &kind.rate;
    draft.table(&format!("channel.{}", kind.name));
    draft.text("timings", kind.technology);
    draft.value(key, value, basis);
    if *key == "rate" {
        draft.value("devices", "1", &Basis::assumed("no DIMMs in lockstep"));
    }
    if kind.parts > 1 {
        draft.value("parts", kind.parts.to_string(), &plan.basis("generation.parts"));
    }
    // What a study decided is not known without it.
    let chosen = plan.without.map_or_else(Vec::new, |study| timings::chosen_without(kind.technology, study));
    let is_known = |chosen: &&Chosen| chosen.key != EFFICIENCY || kind.reads.is_none();
    for Chosen { key, value, source } in chosen.iter().filter(is_known) {
        draft.value(key, value, &Basis::documented(source));
    }
    if let Some((reads, basis)) = &kind.reads {
        let efficiency = (reads / found.available / (1.0 - CONFLICTS)).min(1.0);
        let basis = basis.clone().computed("refreshes and bank conflicts add to it");
        draft.value(EFFICIENCY, format!("\"{:.1} %\"", 100.0 * efficiency), &basis);
    }
    if let Some((gap, basis)) = &kind.store_gap {
        draft.value("store_gap", format!("\"{gap:.2} ns\""), basis);
    }
    if kind.dimms > 1 {
        let basis = plan.basis("known.dimms").computed("the banks of a channel with one DIMM, times this");
        draft.value("banks", (found.banks * kind.dimms).to_string(), &basis);
    }
}

//! Memory channels of a template: everything about them is written here.

use super::draft::{Basis, Draft};
use super::plan::Plan;

/// What the standard of a technology says, and what the controllers of its machines were found to do.
struct Technology {
    name: &'static str,
    standard: &'static str,
    /// Banks of a rank, those of both subchannels together.
    banks: u32,
    row: &'static str,
    row_miss: f64,
    row_cycle: f64,
    to_write: f64,
    to_read: f64,
}

const TECHNOLOGIES: [Technology; 7] = [
    Technology {
        name: "DDR",
        standard: "JEDEC JESD79",
        banks: 4,
        row: "8 KiB",
        row_miss: 30.0,
        row_cycle: 55.0,
        to_write: 4.0,
        to_read: 10.0,
    },
    Technology {
        name: "DDR3",
        standard: "JEDEC JESD79-3",
        banks: 8,
        row: "8 KiB",
        row_miss: 27.0,
        row_cycle: 48.0,
        to_write: 4.0,
        to_read: 16.0,
    },
    Technology {
        name: "DDR4",
        standard: "JEDEC JESD79-4",
        banks: 16,
        row: "8 KiB",
        row_miss: 28.0,
        row_cycle: 46.0,
        to_write: 4.0,
        to_read: 16.0,
    },
    Technology {
        name: "DDR5",
        standard: "JEDEC JESD79-5",
        banks: 64,
        row: "8 KiB",
        row_miss: 32.0,
        row_cycle: 48.0,
        to_write: 4.0,
        to_read: 8.0,
    },
    Technology {
        name: "LPDDR5X",
        standard: "JEDEC JESD209-5",
        banks: 64,
        row: "8 KiB",
        row_miss: 36.0,
        row_cycle: 60.0,
        to_write: 4.0,
        to_read: 8.0,
    },
    Technology {
        name: "HBM2",
        standard: "JEDEC JESD235",
        banks: 32,
        row: "1 KiB",
        row_miss: 28.0,
        row_cycle: 48.0,
        to_write: 3.0,
        to_read: 7.0,
    },
    Technology {
        name: "HBM3",
        standard: "JEDEC JESD238",
        banks: 64,
        row: "1 KiB",
        row_miss: 28.0,
        row_cycle: 48.0,
        to_write: 3.0,
        to_read: 7.0,
    },
];

/// Technologies that a template may name.
pub(super) fn technologies() -> impl Iterator<Item = &'static str> {
    TECHNOLOGIES.iter().map(|technology| technology.name)
}

/// Writes the kind of channel `name` of that technology.
///
/// `rate` is its rate or bandwidth: key, value, source.
pub(super) fn write(
    draft: &mut Draft,
    plan: &Plan<'_>,
    name: &str,
    technology: &str,
    rate: &[(&str, String, Basis)],
) {
    let Some(found) = TECHNOLOGIES.iter().find(|known| known.name == technology) else { return };
    let standard = Basis::documented(found.standard);
    let ns = |time: f64| format!("\"{time} ns\"");
    draft.table(&format!("channel.{name}"));
    for (key, value, basis) in rate {
        draft.value(key, value, basis);
    }
    draft.text("technology", found.name);
    if rate.iter().any(|(key, ..)| *key == "width") {
        draft.value("devices", "1", &Basis::assumed("no DIMMs in lockstep"));
    }
    draft.value(
        "efficiency",
        format!("\"{} %\"", 100.0 * plan.generation.efficiency.0),
        &plan.basis("generation.efficiency"),
    );
    draft.value(
        "access",
        ns(ACCESS),
        &Basis::assumed("controller, row hit and bus; the rest of the idle latency is on the way there"),
    );
    let ranks = 2 * plan.known.dimms;
    let two = "two ranks a DIMM";
    draft.value("banks", (found.banks * ranks).to_string(), &Basis::documented(found.standard).computed(two));
    draft.value("row", format!("\"{}\"", found.row), &standard);
    draft.value("row_miss", ns(found.row_miss), &standard);
    draft.value("row_cycle", ns(found.row_cycle), &standard);
    draft.value("write_batch", "16", &Basis::assumed("nothing public is known"));
    draft.table(&format!("channel.{name}.turnaround"));
    draft.source(&Basis::assumed(
        "as controllers of this technology were found to behave under mixes of reads and writes",
    ));
    draft.plain("to_write", &ns(found.to_write));
    draft.plain("to_read", &ns(found.to_read));
}

/// From a read's arrival at a channel to its data.
const ACCESS: f64 = 22.0;

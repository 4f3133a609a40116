//! The events that count what memory controllers read and write.
//!
//! - Intel: `uncore_imc*/events/cas_count_read*`, or `data_read*` of client processors, with the kernel's own scales.
//! - AMD from Zen 4: `amd_umc_*`, event 0x0a (column accesses) for reads and for writes, 64 bytes each (Linux,
//!   tools/perf/pmu-events/arch/x86/amdzen4/memory-controller.json).
//! - AMD before that: `amd_df`, the eight events of a memory controller's data, reads and writes together, 64 bytes each
//!   (tools/perf/pmu-events/arch/x86/amdzen2/data-fabric.json).

use zerohop_machine::FileTree;

use super::event::{DEVICES, Event};
use crate::tree::text;

/// What an event counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// Lines from memory.
    Read,
    /// Lines to memory.
    Written,
    Either,
}

/// An event of memory controllers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BusEvent {
    pub(super) flow: Flow,
    /// Bytes of one count.
    pub(super) bytes: f64,
    pub(super) event: Event,
}

/// A line, where the kernel gives no scale.
const LINE: f64 = 64.0;

/// Families of AMD processors whose data fabric has the events below: Zen to Zen 3.
const DATA_FABRIC_FAMILIES: [u32; 2] = [0x17, 0x19];

/// All of them. Empty where the kernel has no driver for them, as in a virtual machine.
pub(super) fn events(tree: &dyn FileTree, family: Option<u32>) -> Vec<BusEvent> {
    let mut devices = tree.list(DEVICES).unwrap_or_default();
    devices.sort_unstable();
    let of = |prefix: &str| devices.iter().filter(|name| name.starts_with(prefix)).collect::<Vec<_>>();
    let imc = of("uncore_imc");
    for names in [["cas_count_read", "cas_count_write"], ["data_read", "data_write"]] {
        let found: Vec<BusEvent> = imc.iter().flat_map(|device| named(tree, device, names)).collect();
        if !found.is_empty() {
            return found;
        }
    }
    let fixed = |device: &str, flow, terms: &str| {
        Event::of(tree, device, terms).map(|event| BusEvent { flow, bytes: LINE, event })
    };
    let umc = of("amd_umc").into_iter().flat_map(|device| {
        let read = fixed(device, Flow::Read, "event=0x0a,rdwrmask=0x1");
        read.into_iter().chain(fixed(device, Flow::Written, "event=0x0a,rdwrmask=0x2"))
    });
    let umc: Vec<BusEvent> = umc.collect();
    if !umc.is_empty() || !family.is_some_and(|family| DATA_FABRIC_FAMILIES.contains(&family)) {
        return umc;
    }
    // The controllers' events are 0x07 and so on in steps of 0x40, the last four with another bit of the event.
    let channels = [0x007u32, 0x047, 0x087, 0x0c7, 0x107, 0x147, 0x187, 0x1c7];
    let fabric = channels.into_iter().filter(|_| devices.iter().any(|name| name == "amd_df"));
    fabric
        .filter_map(|event| fixed("amd_df", Flow::Either, &format!("event={event:#x},umask=0x38")))
        .collect()
}

/// The events of a device whose names begin with these words: one for reads, one for writes.
fn named(tree: &dyn FileTree, device: &str, words: [&str; 2]) -> Vec<BusEvent> {
    let path = format!("{DEVICES}/{device}/events");
    let mut names = tree.list(&path).unwrap_or_default();
    names.sort_unstable();
    let events = names.iter().filter(|name| !name.contains('.')).filter_map(|name| {
        let flow = match words.map(|word| name.starts_with(word)) {
            [true, _] => Flow::Read,
            [_, true] => Flow::Written,
            _ => return None,
        };
        let event = Event::of(tree, device, text(tree, &format!("{path}/{name}"))?.trim())?;
        let scale = text(tree, &format!("{path}/{name}.scale"));
        let unit = text(tree, &format!("{path}/{name}.unit"));
        Some(BusEvent { flow, bytes: bytes(scale.as_deref(), unit.as_deref())?, event })
    });
    events.collect()
}

/// Bytes of one count, by its scale and the unit of the scaled value; `None` for a unit that is not one of bytes.
fn bytes(scale: Option<&str>, unit: Option<&str>) -> Option<f64> {
    let Some(scale) = scale else { return Some(LINE) };
    let unit = match unit.map_or("MiB", str::trim) {
        "MiB" => f64::from(1 << 20),
        "KiB" => 1024.0,
        "B" | "Bytes" => 1.0,
        _ => return None,
    };
    scale.trim().parse::<f64>().ok().map(|scale| scale * unit)
}

//! What `dmidecode -t memory` prints: a block for each slot.

use std::collections::BTreeSet;

use zerohop_machine::MemoryDevice;
use zerohop_units::{Bytes, TransfersPerSecond};

use super::fact_collection::Facts;
use super::size::binary_size;
use crate::lines::Text;
use crate::number::first_number;

/// Fields of a slot without a place in a machine.
const OTHERS: [&str; 26] = [
    "Array Handle",
    "Error Information Handle",
    "Total Width",
    "Form Factor",
    "Set",
    "Type Detail",
    "Serial Number",
    "Asset Tag",
    "Rank",
    "Minimum Voltage",
    "Maximum Voltage",
    "Configured Voltage",
    "Memory Technology",
    "Memory Operating Mode Capability",
    "Firmware Version",
    "Module Manufacturer ID",
    "Module Product ID",
    "Memory Subsystem Controller Manufacturer ID",
    "Memory Subsystem Controller Product ID",
    "Non-Volatile Size",
    "Volatile Size",
    "Cache Size",
    "Logical Size",
    "PMIC0 Manufacturer ID",
    "PMIC0 Revision Number",
    "RCD Manufacturer ID",
];

/// Reads the blocks of all slots, wherever they stand.
pub(super) fn read_dimms(text: &mut Text, facts: &mut Facts) {
    let mut read = Vec::new();
    let mut without_place = BTreeSet::new();
    // Whether the line is inside a block, and a part number's halves.
    let mut inside = false;
    let mut handle = None;
    for (rank, line) in text.open() {
        if line.starts_with("Handle 0x") && line.contains("DMI type") {
            inside = false;
            handle = Some(rank);
            continue;
        }
        if line == "Memory Device" {
            inside = true;
            facts.dimms.push(empty_slot());
            read.extend(handle.take());
            read.push(rank);
            continue;
        }
        let Some((name, value)) = line.split_once(':').filter(|_| inside) else {
            inside = false;
            continue;
        };
        let (name, value) = (name.trim(), value.trim());
        let Some(device) = facts.dimms.last_mut() else { continue };
        if take_field(device, name, value) {
            read.push(rank);
        } else if OTHERS.contains(&name) {
            without_place.insert(name.to_owned());
            read.push(rank);
        }
    }
    if !without_place.is_empty() {
        let names: Vec<String> = without_place.into_iter().collect();
        facts.left_out.push(format!("of DIMM slots: {}", names.join(", ")));
    }
    read.into_iter().for_each(|rank| text.mark(rank));
}

pub(super) fn empty_slot() -> MemoryDevice {
    MemoryDevice {
        locator: String::new(),
        bank: String::new(),
        size: Bytes(0),
        technology: "unknown".to_owned(),
        data_width: None,
        channel_width: None,
        rated: None,
        configured: None,
        part: None,
        package: None,
        channel: None,
    }
}

/// Takes a field into a slot; says whether it has a place there.
fn take_field(device: &mut MemoryDevice, name: &str, value: &str) -> bool {
    const UNTOLD: [&str; 5] = ["Unknown", "None", "Not Specified", "NO DIMM", ""];
    let told = Some(value).filter(|value| !UNTOLD.contains(value));
    let rate = || {
        let number = told.and_then(first_number).filter(|&rate| rate > 0.0)?;
        // `2400 MHz` of older versions means the same.
        Some(TransfersPerSecond(number * 1e6))
    };
    match name {
        "Size" => device.size = binary_size(value).unwrap_or(Bytes(0)),
        "Locator" => value.clone_into(&mut device.locator),
        "Bank Locator" => told.unwrap_or_default().clone_into(&mut device.bank),
        "Type" => told.unwrap_or("unknown").clone_into(&mut device.technology),
        "Data Width" => {
            device.data_width = told.and_then(first_number).map(|bits| bits as u16).filter(|&bits| bits > 0);
        }
        "Speed" => device.rated = rate(),
        "Configured Memory Speed" | "Configured Clock Speed" => device.configured = rate(),
        "Manufacturer" | "Part Number" => {
            if let Some(told) = told {
                let before = device.part.take().map(|part| format!("{part} ")).unwrap_or_default();
                device.part = Some(format!("{before}{told}"));
            }
        }
        _ => return false,
    }
    true
}

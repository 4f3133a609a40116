//! DIMM slots, from the SMBIOS table.

use dmidecode::memory_device::{MemoryDevice as Entry, Type};
use dmidecode::{EntryPoint, Structure};
use zerohop_units::{Bytes, TransfersPerSecond};

use super::reader::Reader;
use super::{slot, smbios};
use crate::{MemoryDevice, Processor, ReadError};

const TABLE: &str = "/sys/firmware/dmi/tables/DMI";

/// All slots, including empty ones, with the package and channel that their names indicate; or why there are none.
pub(super) fn load(reader: &Reader<'_>, processor: &Processor) -> Result<Vec<MemoryDevice>, String> {
    let devices = read(reader, processor);
    if let Err(why) = &devices {
        reader.gap(format!("memory devices: {why}"));
    }
    devices
}

fn read(reader: &Reader<'_>, processor: &Processor) -> Result<Vec<MemoryDevice>, String> {
    let table = match reader.bytes(TABLE) {
        Ok(table) => smbios::memory_devices_only(&table),
        Err(ReadError::Denied) => {
            return Err(
                "only root may read the SMBIOS table, which lists DIMMs and their speed, and so gives the \
                                        theoretical bandwidth"
                    .to_owned(),
            );
        }
        Err(ReadError::Absent) => return Err("this machine has no SMBIOS table".to_owned()),
        Err(error) => return Err(format!("{TABLE}: {error}")),
    };
    let devices = decode(reader, &table)?;
    if devices.is_empty() {
        return Err("the SMBIOS table lists none".to_owned());
    }
    let vendor = reader.text("/sys/class/dmi/id/sys_vendor").unwrap_or_default();
    Ok(in_place(devices, &vendor, processor))
}

/// Slots with the package and the channel that their names indicate on boards of that maker.
pub fn in_place(devices: Vec<MemoryDevice>, maker: &str, processor: &Processor) -> Vec<MemoryDevice> {
    slot::assign(devices, maker, slot::channels_of(processor))
}

fn decode(reader: &Reader<'_>, table: &[u8]) -> Result<Vec<MemoryDevice>, String> {
    let point = EntryPoint::search(&smbios::entry_point(table.len())).map_err(|error| error.to_string())?;
    let mut devices = Vec::new();
    for structure in point.structures(table) {
        match structure {
            Ok(Structure::MemoryDevice(entry)) => devices.push(device(&entry)),
            Ok(_) => {}
            Err(error) => reader.gap(format!("memory devices: skipped one: {error}")),
        }
    }
    Ok(devices)
}

fn device(entry: &Entry<'_>) -> MemoryDevice {
    let part =
        [entry.manufacturer, entry.part_number].map(filled_in).into_iter().flatten().collect::<Vec<_>>();
    MemoryDevice {
        locator: entry.device_locator.trim().to_owned(),
        bank: filled_in(entry.bank_locator).unwrap_or_default().to_owned(),
        size: size(entry),
        technology: technology(entry.memory_type),
        data_width: entry.data_width.filter(|&width| width > 0),
        channel_width: None,
        rated: rate(entry.speed, entry.extended_speed),
        configured: rate(entry.configured_memory_speed, entry.extended_configured_memory_speed),
        part: (!part.is_empty()).then(|| part.join(" ")),
        package: None,
        channel: None,
    }
}

/// A text, unless it is a placeholder.
fn filled_in(text: &str) -> Option<&str> {
    const UNTOLD: [&str; 7] =
        ["", "-", "unknown", "none", "no dimm", "not specified", "to be filled by o.e.m."];
    Some(text.trim()).filter(|text| !UNTOLD.contains(&text.to_ascii_lowercase().as_str()))
}

/// A size in MB, or in kB if the highest bit is set; `0x7fff` refers to the wider field (SMBIOS 7.18.2, 7.18.5).
fn size(entry: &Entry<'_>) -> Bytes {
    match entry.size {
        None => Bytes(0),
        Some(0x7fff) => Bytes::mib(u64::from(entry.extended_size & 0x7fff_ffff)),
        Some(kilobytes) if kilobytes & 0x8000 != 0 => Bytes::kib(u64::from(kilobytes & 0x7fff)),
        Some(megabytes) => Bytes::mib(u64::from(megabytes)),
    }
}

/// A rate in MT/s; `0xffff` refers to the wider field (SMBIOS 3.3).
fn rate(speed: Option<u16>, extended: Option<u32>) -> Option<TransfersPerSecond> {
    let megatransfers = match speed? {
        u16::MAX => extended.filter(|&speed| speed > 0)?,
        speed => u32::from(speed),
    };
    Some(TransfersPerSecond(f64::from(megatransfers) * 1e6))
}

fn technology(kind: Type) -> String {
    let name = match kind {
        Type::Ddr => "DDR",
        Type::Ddr2 => "DDR2",
        Type::Ddr2FbDimm => "DDR2 FB-DIMM",
        Type::Ddr3 => "DDR3",
        Type::Ddr4 => "DDR4",
        Type::Ddr5 => "DDR5",
        Type::LpDdr4 => "LPDDR4",
        Type::LpDdr5 => "LPDDR5",
        Type::Hbm => "HBM",
        Type::Hbm2 => "HBM2",
        // Added in SMBIOS 3.6.
        Type::Undefined(36) => "HBM3",
        Type::LogicalNonVolatileDevice => "non-volatile",
        Type::Dram => "DRAM",
        Type::Sdram => "SDRAM",
        _ => "unknown",
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capture, Machine, NoPeak};

    #[test]
    fn without_permission_the_reason_mentions_root() {
        let forbidden = r#"{"version": 1, "files": {"/proc/cpuinfo": "processor : 0"},
                            "denied": ["/sys/firmware/dmi/tables/DMI"]}"#;
        let machine = Machine::load(&Capture::from_json(forbidden).unwrap()).unwrap();
        let reason = machine.theoretical_bandwidth().unwrap_err().to_string();
        assert!(reason.starts_with("only root may read the SMBIOS table"), "{reason}");
    }

    #[test]
    fn sizes_and_rates_are_read_from_the_wider_fields_too() {
        let entry = |size, extended_size| Entry { size, extended_size, ..Entry::default() };
        assert_eq!(size(&entry(None, 0)), Bytes(0));
        assert_eq!(size(&entry(Some(0x4000), 0)), Bytes::gib(16));
        assert_eq!(size(&entry(Some(0x8200), 0)), Bytes::kib(512));
        assert_eq!(size(&entry(Some(0x7fff), 0x20000)), Bytes::gib(128));
        assert_eq!(rate(Some(4800), None), Some(TransfersPerSecond(4800e6)));
        assert_eq!(rate(Some(u16::MAX), Some(70000)), Some(TransfersPerSecond(7e10)));
        assert_eq!(rate(None, None), None);
    }

    #[test]
    fn a_virtual_machine_s_dimms_do_not_count() {
        let guest = Capture::from_files([("/proc/cpuinfo", "processor : 0\nflags : hypervisor\n")]);
        let peak = Machine::load(&guest).unwrap().theoretical_bandwidth();
        assert_eq!(peak, Err(NoPeak::VirtualMachine { hypervisor: "unknown".to_owned() }));
    }
}

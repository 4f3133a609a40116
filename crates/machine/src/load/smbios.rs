//! The SMBIOS table, sanitized for the decoder.
//!
//! `dmidecode` trusts the lengths in the table, and requires fields that tables before SMBIOS 2.7 lack. So the
//! structures are first walked and copied here with bounds checks, and only memory devices (type 17) are passed on.

use std::ops::Range;

/// The type of a memory device.
const MEMORY_DEVICE: u8 = 17;
/// The type of the structure that ends a table.
const END: u8 = 127;
/// Length of the header: type, length, handle.
const HEADER: usize = 4;
/// The formatted part of a memory device as of SMBIOS 3.7; missing fields are zero, which means "unknown".
const MEMORY_DEVICE_LENGTH: usize = 0x5c;
/// The fields of the formatted part that are kept: type, length and handle; widths, size and form; memory type and rate;
/// attributes, the wide size, rates and voltages; technology; the wide rates. References to other structures, identities
/// of modules and fields of later versions are set to zero.
const KEPT: [Range<usize>; 5] = [0..4, 0x08..0x0f, 0x12..0x17, 0x1b..0x29, 0x54..0x5c];
/// Offsets of the numbers of those strings that are kept: device locator, bank locator, manufacturer and part number.
const KEPT_STRINGS: [usize; 4] = [0x10, 0x11, 0x17, 0x1a];
/// Offsets of the numbers of serial number and asset tag. A string that is also one of these is not kept.
const PRIVATE_STRINGS: [usize; 2] = [0x18, 0x19];

/// One structure of the table.
struct Structure<'table> {
    kind: u8,
    /// The formatted part, with its header.
    formatted: &'table [u8],
    strings: Vec<&'table [u8]>,
}

/// The structures up to the end of the table, or to the first truncated one.
fn structures(table: &[u8]) -> Vec<Structure<'_>> {
    let mut found = Vec::new();
    let mut rest = table;
    while let Some((structure, after)) = first_structure(rest) {
        if structure.kind == END {
            break;
        }
        found.push(structure);
        rest = after;
    }
    found
}

fn first_structure(table: &[u8]) -> Option<(Structure<'_>, &[u8])> {
    let (&kind, &length) = (table.first()?, table.get(1)?);
    let (formatted, mut rest) = table.split_at_checked(usize::from(length).max(HEADER))?;
    let mut strings = Vec::new();
    loop {
        let end = rest.iter().position(|&byte| byte == 0)?;
        let (string, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        if string.is_empty() {
            break;
        }
        strings.push(string);
    }
    if strings.is_empty() {
        // A structure without strings ends in two zeros. One of them has been consumed.
        rest = rest.strip_prefix(&[0])?;
    }
    Some((Structure { kind, formatted, strings }, rest))
}

/// Only the memory devices of the table, each padded to its full length, with only the fields and strings that are listed
/// above: no serial numbers, asset tags or vendor-specific text.
pub(crate) fn memory_devices_only(table: &[u8]) -> Vec<u8> {
    let mut copy = Vec::new();
    for structure in structures(table).iter().filter(|structure| structure.kind == MEMORY_DEVICE) {
        write_memory_device(&mut copy, structure);
    }
    copy.extend([END, HEADER as u8, 0xff, 0xfe, 0, 0]);
    copy
}

fn write_memory_device(copy: &mut Vec<u8>, structure: &Structure<'_>) {
    let byte = |at: usize| structure.formatted.get(at).copied().unwrap_or_default();
    let mut formatted = [0; MEMORY_DEVICE_LENGTH];
    for at in KEPT.into_iter().flatten().chain(KEPT_STRINGS) {
        formatted[at] = byte(at);
    }
    formatted[1] = MEMORY_DEVICE_LENGTH as u8;
    copy.extend(formatted);
    let kept = |number: usize| {
        let is_at = |at: &usize| usize::from(byte(*at)) == number;
        KEPT_STRINGS.iter().any(is_at) && !PRIVATE_STRINGS.iter().any(is_at)
    };
    for (string, number) in structure.strings.iter().zip(1..) {
        if kept(number) {
            // The decoder stops at a string that is not UTF-8.
            copy.extend(string.iter().map(|&byte| if byte.is_ascii() { byte } else { b'?' }));
        } else {
            copy.push(b'-');
        }
        copy.push(0);
    }
    copy.extend(if structure.strings.is_empty() { &[0, 0][..] } else { &[0] });
}

/// An entry point (SMBIOS 3) for a table of `length` bytes.
pub(super) fn entry_point(length: usize) -> Vec<u8> {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    let mut entry = b"_SM3_\0\x18\x03\x07\0\x01\0".to_vec();
    entry.extend(length.to_le_bytes());
    entry.extend([0; 8]);
    entry[5] = entry.iter().fold(0u8, |sum, &byte| sum.wrapping_sub(byte));
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn device(strings: &[&str]) -> Vec<u8> {
        let mut bytes = vec![MEMORY_DEVICE, 0x1b, 0x11, 0x00];
        bytes.resize(0x1b, 0);
        bytes[0x10..0x12].copy_from_slice(&[1, 2]);
        bytes[0x17..0x1b].copy_from_slice(&[3, 4, 5, 6]);
        for string in strings {
            bytes.extend(string.bytes().chain([0]));
        }
        bytes.push(0);
        bytes
    }

    #[test]
    fn serial_numbers_and_other_structures_are_dropped() {
        let mut table = vec![1, 4, 0, 0];
        table.extend(b"UUID-AND-SERIAL\0\0");
        table.extend(device(&["DIMM A1", "P0 CHANNEL A", "Maker", "S3R1AL", "T4G", "PART-1"]));
        table.extend([END, 4, 0, 0, 0, 0]);
        let copy = memory_devices_only(&table);
        let text = String::from_utf8_lossy(&copy);
        assert!(text.contains("DIMM A1") && text.contains("PART-1"), "{text}");
        assert!(!text.contains("S3R1AL") && !text.contains("T4G") && !text.contains("UUID"), "{text}");
        assert_eq!(memory_devices_only(&copy), copy);
    }

    #[test]
    fn only_listed_strings_are_kept() {
        // The strings include a module's firmware version and one that nothing refers to. The part number is also the serial
        // number.
        let mut table =
            device(&["DIMM A1", "P0 CHANNEL A", "Maker", "S3R1AL", "T4G", "PART-1", "F1RMWARE", "0EM-WORDS"]);
        table[0x1a] = 4;
        table.extend([END, 4, 0, 0, 0, 0]);
        let text = String::from_utf8_lossy(&memory_devices_only(&table)).into_owned();
        assert!(
            text.contains("DIMM A1") && text.contains("P0 CHANNEL A") && text.contains("Maker"),
            "{text}"
        );
        for private in ["S3R1AL", "T4G", "PART-1", "F1RMWARE", "0EM-WORDS"] {
            assert!(!text.contains(private), "{private}: {text}");
        }
    }

    #[test]
    fn module_identities_are_not_kept() {
        let mut table = vec![MEMORY_DEVICE, MEMORY_DEVICE_LENGTH as u8 + 8, 0x11, 0x00];
        table.resize(MEMORY_DEVICE_LENGTH + 8, 0xa5);
        table.extend([0, 0, END, 4, 0, 0, 0, 0]);
        let copy = memory_devices_only(&table);
        for at in [0x04..0x08, 0x0f..0x10, 0x18..0x1a, 0x29..0x54] {
            assert!(copy[at.clone()].iter().all(|&byte| byte == 0), "{at:?}");
        }
        assert_eq!(copy[0x0c..0x0f], [0xa5; 3]);
    }

    #[test]
    fn the_decoder_accepts_the_entry_point() {
        assert!(
            dmidecode::EntryPoint::search(&entry_point(1234)).is_ok_and(|point| point.smbios_len() == 1234)
        );
    }

    proptest! {
        #[test]
        fn garbage_gives_a_table_that_decodes(table in proptest::collection::vec(any::<u8>(), 0..400)) {
            let mut table = table;
            table.splice(0..0, [MEMORY_DEVICE, 0x20]);
            let copy = memory_devices_only(&table);
            let point = dmidecode::EntryPoint::search(&entry_point(copy.len())).unwrap();
            prop_assert!(point.structures(&copy).count() >= 1);
        }
    }
}

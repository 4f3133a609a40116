//! SMBIOS tables with memory devices.

/// A table of slots: locator, bank, size in GiB (zero for an empty slot), rate in MT/s. Each DIMM has a serial number
/// and an asset tag.
pub(crate) fn table(slots: &[(String, String, u16, u16)]) -> Vec<u8> {
    let mut table = Vec::new();
    for ((locator, bank, gib, rate), handle) in slots.iter().zip(0x1100u16..) {
        let mut formatted = vec![0; 0x5c];
        formatted[..2].copy_from_slice(&[17, 0x5c]);
        let mut word = |at: usize, value: u16| formatted[at..at + 2].copy_from_slice(&value.to_le_bytes());
        word(0x02, handle);
        word(0x08, 80);
        word(0x0a, 64);
        // Sizes from 32 GiB on are in the wider field.
        word(0x0c, if *gib < 32 { gib * 1024 } else { 0x7fff });
        word(0x15, *rate);
        word(0x20, *rate);
        formatted[0x1c..0x20].copy_from_slice(&(u32::from(*gib) * 1024).to_le_bytes());
        formatted[0x0e] = 9;
        formatted[0x10..0x12].copy_from_slice(&[1, 2]);
        formatted[0x12] = 0x22;
        formatted[0x17..0x1b].copy_from_slice(&[3, 4, 5, 6]);
        table.extend(formatted);
        for string in [locator.as_str(), bank, "Maker", "SERIAL-0001", "ASSET-0001", "PART-0001"] {
            table.extend(string.bytes().chain([0]));
        }
        table.push(0);
    }
    table.extend([127, 4, 0xff, 0xfe, 0, 0]);
    table
}

/// `per_package` slots on each of two packages, named as in AMD's reference code, with the first `populated` filled.
pub(crate) fn two_epyc_packages(per_package: usize, populated: usize) -> Vec<u8> {
    let slots: Vec<_> = (0..2)
        .flat_map(|package| {
            ('A'..).take(per_package).enumerate().map(move |(rank, channel)| {
                let size = if rank < populated { 64 } else { 0 };
                ("DIMM 0".to_owned(), format!("P{package} CHANNEL {channel}"), size, 4800)
            })
        })
        .collect();
    table(&slots)
}

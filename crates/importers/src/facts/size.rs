//! Sizes with units of powers of two, whatever these are called.

use zerohop_units::Bytes;

use crate::number::number;

/// `1024K`, `96 MiB`, `3.5Gi`, `16384 MB`; a size without a unit is in bytes.
pub(crate) fn binary_size(value: &str) -> Option<Bytes> {
    let value = value.split('(').next().unwrap_or_default().trim();
    let end = value.find(|one: char| !one.is_ascii_digit() && !matches!(one, '.' | ','));
    let (digits, unit) = value.split_at(end.unwrap_or(value.len()));
    let factor = binary_unit(unit.split_whitespace().next().unwrap_or_default())?;
    let bytes = number(digits)? * factor;
    (0.0..=9e18).contains(&bytes).then_some(Bytes(bytes as u64))
}

/// The bytes of a unit.
fn binary_unit(unit: &str) -> Option<f64> {
    let power = match unit.to_ascii_lowercase().as_str() {
        "" | "b" | "bytes" => 0,
        "k" | "kb" | "ki" | "kib" => 1,
        "m" | "mb" | "mi" | "mib" => 2,
        "g" | "gb" | "gi" | "gib" => 3,
        "t" | "tb" | "ti" | "tib" => 4,
        _ => return None,
    };
    Some(1024f64.powi(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_powers_of_two() {
        for (text, bytes) in [
            ("32K", Some(32 << 10)),
            ("96 MiB (96 instances)", Some(96 << 20)),
            ("1.5Gi", Some(3 << 29)),
            ("16384 MB", Some(16 << 30)),
            ("512", Some(512)),
            ("No Module Installed", None),
            ("12 parsecs", None),
        ] {
            assert_eq!(binary_size(text), bytes.map(Bytes), "{text}");
        }
    }
}

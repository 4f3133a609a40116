//! Amounts of memory.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parse::{Notation, ParseQuantityError};
use crate::{GigabytesPerSecond, Seconds};

/// An amount of memory or of data, in bytes.
///
/// It is printed in binary units (`512 B`, `64 KiB`, `1.5 GiB`) and parsed from binary and decimal ones; a bare letter
/// (`1G`) is binary, as in `numactl` and hugetlbfs.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

const NOTATION: Notation = Notation {
    quantity: "an amount of memory",
    example: "64 MiB",
    units: &[
        ("B", 1.0),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("TiB", 1_099_511_627_776.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("K", 1024.0),
        ("M", 1_048_576.0),
        ("G", 1_073_741_824.0),
        ("T", 1_099_511_627_776.0),
        ("", 1.0),
    ],
};

impl Bytes {
    /// `count` KiB.
    pub const fn kib(count: u64) -> Self {
        Self(count << 10)
    }

    /// `count` MiB.
    pub const fn mib(count: u64) -> Self {
        Self(count << 20)
    }

    /// `count` GiB.
    pub const fn gib(count: u64) -> Self {
        Self(count << 30)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The bandwidth of moving this many bytes in `time`.
    pub fn per(self, time: Seconds) -> GigabytesPerSecond {
        GigabytesPerSecond(self.0 as f64 / time.0 / 1e9)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const STEPS: [(u64, &str); 4] =
            [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        let (unit, name) = STEPS.into_iter().find(|&(unit, _)| self.0 >= unit).unwrap_or((1, "B"));
        let text = if self.0.is_multiple_of(unit) {
            format!("{} {name}", self.0 / unit)
        } else {
            format!("{:.1} {name}", self.0 as f64 / unit as f64)
        };
        f.pad(&text)
    }
}

impl FromStr for Bytes {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let value = NOTATION.parse(text)?;
        if value > u64::MAX as f64 {
            return Err(ParseQuantityError::OutOfRange {
                text: text.to_owned(),
                quantity: NOTATION.quantity,
            });
        }
        Ok(Self(value.round() as u64))
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Self;
    /// Saturates at zero.
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0 * factor)
    }
}

impl Div<u64> for Bytes {
    type Output = Self;
    fn div(self, parts: u64) -> Self {
        Self(self.0 / parts)
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        Self(parts.map(|part| part.0).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prints_the_largest_binary_unit() {
        assert_eq!(Bytes(0).to_string(), "0 B");
        assert_eq!(Bytes(1023).to_string(), "1023 B");
        assert_eq!(Bytes::kib(64).to_string(), "64 KiB");
        assert_eq!(Bytes(1_610_612_736).to_string(), "1.5 GiB");
    }

    #[test]
    fn reads_binary_decimal_and_bare_letters() {
        for (text, bytes) in
            [("64 MiB", 64 << 20), ("1G", 1 << 30), ("2 GB", 2_000_000_000), ("4k", 4096), ("17", 17)]
        {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn says_what_was_expected() {
        let error = "12 parsecs".parse::<Bytes>().unwrap_err().to_string();
        assert!(
            error.contains("`12 parsecs` is not an amount of memory (expected a number and one of"),
            "{error}"
        );
        assert!("-1 MiB".parse::<Bytes>().is_err());
        assert!("MiB".parse::<Bytes>().is_err());
        assert!("99999999 TiB".parse::<Bytes>().is_err());
    }

    proptest! {
        #[test]
        fn whole_units_survive_a_round_trip(count in 0u64..1024, shift in 0u32..4) {
            let amount = Bytes(count << (10 * shift));
            prop_assert_eq!(amount.to_string().parse::<Bytes>().unwrap(), amount);
        }
    }
}

//! Quantities that are measured: a real number in one base unit.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Div, Mul, Sub};
use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parse::{Notation, ParseQuantityError};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $words:literal, $example:literal, print $unit:literal / $scale:literal, units $units:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub f64);

        impl $name {
            /// The unit it is printed in.
            pub const UNIT: &'static str = $unit;

            /// The number, in the unit that the type's description names.
            pub const fn get(self) -> f64 {
                self.0
            }

            const NOTATION: Notation = Notation { quantity: $words, example: $example, units: &$units };
        }

        impl fmt::Display for $name {
            /// Prints with the requested precision (`{:.1}`), or with all its digits.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let value = self.0 / $scale;
                match f.precision() {
                    Some(digits) => write!(f, "{value:.digits$} {}", $unit),
                    None => write!(f, "{value} {}", $unit),
                }
            }
        }

        impl FromStr for $name {
            type Err = ParseQuantityError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::NOTATION.parse(text).map(Self)
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }

        impl Div<f64> for $name {
            type Output = Self;
            fn div(self, divisor: f64) -> Self {
                Self(self.0 / divisor)
            }
        }

        /// The ratio of two of a kind is a bare number.
        impl Div for $name {
            type Output = f64;
            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
                Self(parts.map(|part| part.0).sum())
            }
        }
    };
}

quantity!(
    /// A latency, in ns.
    Nanoseconds, "a latency", "95 ns", print "ns" / 1.0,
    units [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("ps", 1e-3)]
);
quantity!(
    /// A bandwidth, in decimal GB/s of bytes that the program asked for.
    GigabytesPerSecond, "a bandwidth", "12.8 GB/s", print "GB/s" / 1.0,
    units [
        ("GB/s", 1.0), ("MB/s", 1e-3), ("kB/s", 1e-6), ("B/s", 1e-9), ("TB/s", 1e3),
        ("GiB/s", 1.073_741_824), ("MiB/s", 1.048_576e-3)
    ]
);
quantity!(
    /// A stretch of time, in seconds.
    Seconds, "a time", "1.5 s", print "s" / 1.0,
    units [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("ns", 1e-9), ("min", 60.0), ("m", 60.0), ("h", 3600.0)]
);
quantity!(
    /// A clock rate, in Hz; printed in GHz.
    Hertz, "a clock rate", "2.2 GHz", print "GHz" / 1e9,
    units [("Hz", 1.0), ("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9)]
);
quantity!(
    /// Transfers a second on one data wire or lane, in T/s; printed in MT/s, as memory is sold.
    TransfersPerSecond, "a transfer rate", "4800 MT/s", print "MT/s" / 1e6,
    units [("T/s", 1.0), ("MT/s", 1e6), ("GT/s", 1e9), ("Gbps", 1e9)]
);

impl From<Duration> for Seconds {
    fn from(time: Duration) -> Self {
        Self(time.as_secs_f64())
    }
}

impl From<Seconds> for Duration {
    /// Negative and not-a-number become zero.
    fn from(time: Seconds) -> Self {
        Duration::try_from_secs_f64(time.0).unwrap_or_default()
    }
}

impl Seconds {
    /// The time of one of `count` equal steps.
    pub fn per_step(self, count: f64) -> Nanoseconds {
        Nanoseconds(self.0 * 1e9 / count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;

    #[test]
    fn each_is_read_and_printed_with_its_unit() {
        assert_eq!("0.5 GB/s".parse(), Ok(GigabytesPerSecond(0.5)));
        assert_eq!("2.2GHz".parse(), Ok(Hertz(2.2e9)));
        assert_eq!("10m".parse::<Seconds>(), "10 min".parse());
        assert_eq!("16 GT/s".parse(), Ok(TransfersPerSecond(16e9)));
        assert_eq!(format!("{:.1}", Nanoseconds(95.26)), "95.3 ns");
        assert_eq!(format!("{:.1}", Hertz(2.2e9)), "2.2 GHz");
        assert_eq!(TransfersPerSecond(4800e6).to_string(), "4800 MT/s");
    }

    #[test]
    fn a_bandwidth_needs_its_unit() {
        let error = "12.8".parse::<GigabytesPerSecond>().unwrap_err().to_string();
        assert!(
            error.starts_with("`12.8` is not a bandwidth (expected a number and one of `GB/s`"),
            "{error}"
        );
    }

    #[test]
    fn bytes_over_time_is_decimal() {
        assert_eq!(Bytes(2_000_000_000).per(Seconds(2.0)), GigabytesPerSecond(1.0));
        assert_eq!(Seconds(1.0).per_step(1e7), Nanoseconds(100.0));
    }
}

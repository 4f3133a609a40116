//! The kinds of numbers in a document: their notation and their bounds.

use std::str::FromStr;

use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use zerohop_units::{Bytes, GigabytesPerSecond, Hertz, Nanoseconds, ParseQuantityError, TransfersPerSecond};

use crate::tree::{Content, Value};

/// A kind of number.
pub trait Quantity: Clone + 'static {
    /// Its name in the schema.
    const NAME: &'static str;
    /// Its unit in documentation.
    const UNIT: &'static str;
    /// Its name in words.
    const WORDS: &'static str;
    /// A valid value, as a document writes it.
    const EXAMPLE: &'static str;

    /// Reads it.
    ///
    /// # Errors
    /// A description of what is wrong.
    fn read(value: &Value) -> Result<Self, String>;

    fn schema() -> Schema;

    /// As a document writes it, without quotes.
    fn shown(&self) -> String;

    /// As a schema gives it: a text, unless it is a bare number.
    fn json(&self) -> serde_json::Value {
        self.shown().into()
    }

    /// Its bounds, if it has any.
    fn limits() -> Option<[String; 2]> {
        None
    }
}

/// Reads a text with a unit, within these bounds.
fn with_unit<T>(value: &Value, words: &str, bounds: [T; 2]) -> Result<T, String>
where
    T: FromStr<Err = ParseQuantityError> + PartialOrd + std::fmt::Display + Copy,
{
    let text =
        value.text().ok_or_else(|| format!("{words} must be a string with a unit, not {}", value.kind()))?;
    let parsed: T = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    let [least, most] = bounds;
    if parsed >= least && parsed <= most {
        return Ok(parsed);
    }
    Err(format!("`{text}` is out of range: {words} must be between {least} and {most}"))
}

macro_rules! quantities {
    ($($type:ident: $name:literal, $unit:literal, $words:literal, $example:literal, $least:expr => $most:expr;)*) => {$(
        impl Quantity for $type {
            const NAME: &'static str = $name;
            const UNIT: &'static str = $unit;
            const WORDS: &'static str = $words;
            const EXAMPLE: &'static str = concat!("\"", $example, "\"");

            fn read(value: &Value) -> Result<Self, String> {
                with_unit(value, $words, [$least, $most])
            }

            fn schema() -> Schema {
                json_schema!({ "type": "string", "examples": [$example] })
            }

            fn shown(&self) -> String {
                self.to_string()
            }

            fn limits() -> Option<[String; 2]> {
                Some([$least, $most].map(|limit: Self| limit.shown()))
            }
        }
    )*};
}

// The bounds reject garbled values, and values that would make a simulation endless.
quantities! {
    Hertz: "Clock", "Hz", "a clock rate", "2.2 GHz", Self(1e6) => Self(1e12);
    GigabytesPerSecond: "Bandwidth", "B/s", "a bandwidth", "4 GB/s", Self(1e-3) => Self(1e5);
    TransfersPerSecond: "TransferRate", "T/s", "a transfer rate", "400 MT/s", Self(1e6) => Self(1e12);
    Nanoseconds: "Time", "ns", "a time", "12.5 ns", Self(0.0) => Self(1e6);
    Bytes: "Memory", "bytes", "an amount of memory", "64 KiB", Self(1) => Self(1 << 52);
}

/// Reads a plain number followed by one of these units.
fn number_and_unit(value: &Value, words: &str, units: &[&str]) -> Result<f64, String> {
    let text =
        value.text().ok_or_else(|| format!("{words} must be a string with a unit, not {}", value.kind()))?;
    let number = units.iter().find_map(|unit| text.trim().strip_suffix(unit)).map(str::trim_end);
    let plain = number.filter(|digits| digits.chars().all(|c| c.is_ascii_digit() || c == '.'));
    plain
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| format!("`{text}` is not {words} (expected a number and `{}`)", units[0]))
}

/// A share of a whole, above zero.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Share(pub f64);

impl Quantity for Share {
    const NAME: &'static str = "Share";
    const UNIT: &'static str = "%";
    const WORDS: &'static str = "a share";
    const EXAMPLE: &'static str = "\"70 %\"";

    fn read(value: &Value) -> Result<Self, String> {
        let percent = number_and_unit(value, Self::WORDS, &["%"])?;
        if !(1.0..=100.0).contains(&percent) {
            return Err(format!("`{percent} %` is out of range: a share must be between 1 % and 100 %"));
        }
        Ok(Self(percent / 100.0))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": r"^\s*[0-9.]+\s*%\s*$", "examples": ["70 %"] })
    }

    fn shown(&self) -> String {
        // A share is written in percent with a few digits, and kept as a fraction that cannot hold all of them.
        format!("{} %", (self.0 * 1e12).round() / 1e10)
    }

    fn limits() -> Option<[String; 2]> {
        Some(["1 %", "100 %"].map(str::to_owned))
    }
}

/// A number of bytes that may be zero or fractional: an average over many packets.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct FractionalBytes(pub f64);

impl Quantity for FractionalBytes {
    const NAME: &'static str = "FractionalBytes";
    const UNIT: &'static str = "bytes";
    const WORDS: &'static str = "a number of bytes";
    const EXAMPLE: &'static str = "\"6.5 B\"";

    fn read(value: &Value) -> Result<Self, String> {
        let bytes = number_and_unit(value, Self::WORDS, &["B"])?;
        if bytes > 4096.0 {
            return Err(format!("`{bytes} B` is out of range: it must be between 0 B and 4096 B"));
        }
        Ok(Self(bytes))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": r"^\s*[0-9.]+\s*B\s*$", "examples": ["6.5 B"] })
    }

    fn shown(&self) -> String {
        format!("{} B", self.0)
    }

    fn limits() -> Option<[String; 2]> {
        Some(["0 B", "4096 B"].map(str::to_owned))
    }
}

/// The width of a bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Bits(pub u16);

impl Quantity for Bits {
    const NAME: &'static str = "Width";
    const UNIT: &'static str = "bit";
    const WORDS: &'static str = "a width in bits";
    const EXAMPLE: &'static str = "\"64 bit\"";

    fn read(value: &Value) -> Result<Self, String> {
        let bits = number_and_unit(value, Self::WORDS, &["bit", "bits"])?;
        if bits.fract() != 0.0 || bits % 8.0 != 0.0 || !(8.0..=8192.0).contains(&bits) {
            return Err(format!(
                "`{bits} bit` is not a bus width: it must be a multiple of 8 bit, from 8 bit to 8192 bit"
            ));
        }
        Ok(Self(bits as u16))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": r"^\s*[0-9]+\s*bits?\s*$", "examples": ["64 bit"] })
    }

    fn shown(&self) -> String {
        format!("{} bit", self.0)
    }

    fn limits() -> Option<[String; 2]> {
        Some(["8 bit", "8192 bit"].map(str::to_owned))
    }
}

/// Reads an integer within these bounds.
///
/// # Errors
/// When it is not an integer, or is out of bounds: a description.
pub fn integer(value: &Value, words: &str, bounds: [i64; 2]) -> Result<i64, String> {
    let Content::Integer(integer) = value.content else {
        return Err(format!("{words} must be an integer, not {}", value.kind()));
    };
    let [least, most] = bounds;
    if (least..=most).contains(&integer) {
        return Ok(integer);
    }
    Err(format!("`{integer}` is out of range: {words} must be between {least} and {most}"))
}

macro_rules! integers {
    ($($type:ty: $name:literal, $words:literal, $example:literal, $least:literal => $most:literal;)*) => {$(
        impl Quantity for $type {
            const NAME: &'static str = $name;
            const UNIT: &'static str = "count";
            const WORDS: &'static str = $words;
            const EXAMPLE: &'static str = $example;

            fn read(value: &Value) -> Result<Self, String> {
                Ok(integer(value, $words, [$least, $most])? as Self)
            }

            fn schema() -> Schema {
                json_schema!({ "type": "integer", "minimum": $least, "maximum": $most })
            }

            fn shown(&self) -> String {
                self.to_string()
            }

            fn json(&self) -> serde_json::Value {
                (*self).into()
            }

            fn limits() -> Option<[String; 2]> {
                Some([$least, $most].map(|limit: i64| limit.to_string()))
            }
        }
    )*};
}

integers! {
    u32: "Count", "a count", "4", 1 => 65536;
    u8: "Level", "a cache's level", "1", 1 => 8;
}

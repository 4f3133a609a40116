//! What a number of a document can be, how it is written, and between which bounds.

use std::str::FromStr;

use schemars::{Schema, json_schema};
use zerohop_units::{Bytes, GigabytesPerSecond, Hertz, Nanoseconds, ParseQuantityError, TransfersPerSecond};

use crate::tree::{Content, Value};

/// A kind of number.
pub trait Quantity: Sized {
    /// Its name in the schema.
    const NAME: &'static str;
    /// What it is, in words.
    const WORDS: &'static str;
    /// One that is right, as it is written.
    const EXAMPLE: &'static str;

    /// Reads it.
    ///
    /// # Errors
    /// What is wrong, in words.
    fn read(value: &Value) -> Result<Self, String>;

    /// What a schema says of it.
    fn schema() -> Schema;
}

/// Reads a text with a unit; `bounds` say what is possible.
fn with_unit<T>(value: &Value, words: &str, bounds: [T; 2]) -> Result<T, String>
where
    T: FromStr<Err = ParseQuantityError> + PartialOrd + std::fmt::Display + Copy,
{
    let text = value.text().ok_or_else(|| format!("{words} is a text with a unit, not {}", value.kind()))?;
    let parsed: T = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    let [least, most] = bounds;
    if parsed >= least && parsed <= most {
        return Ok(parsed);
    }
    Err(format!("`{text}` is not possible: {words} is between {least} and {most}"))
}

macro_rules! quantities {
    ($($type:ident: $name:literal, $words:literal, $example:literal, $least:expr => $most:expr;)*) => {$(
        impl Quantity for $type {
            const NAME: &'static str = $name;
            const WORDS: &'static str = $words;
            const EXAMPLE: &'static str = concat!("\"", $example, "\"");

            fn read(value: &Value) -> Result<Self, String> {
                with_unit(value, $words, [$least, $most])
            }

            fn schema() -> Schema {
                json_schema!({ "type": "string", "examples": [$example] })
            }
        }
    )*};
}

// Bounds keep what is garbled out, and what would make a simulation endless.
quantities! {
    Hertz: "Clock", "a clock rate", "2.2 GHz", Self(1e6) => Self(1e12);
    GigabytesPerSecond: "Bandwidth", "a bandwidth", "4 GB/s", Self(1e-3) => Self(1e5);
    TransfersPerSecond: "TransferRate", "a transfer rate", "400 MT/s", Self(1e6) => Self(1e12);
    Nanoseconds: "Time", "a time", "12.5 ns", Self(0.0) => Self(1e6);
    Bytes: "Memory", "an amount of memory", "64 KiB", Self(1) => Self(1 << 52);
}

/// A text of a plain number and one of these units.
fn number_and_unit(value: &Value, words: &str, units: &[&str]) -> Result<f64, String> {
    let text = value.text().ok_or_else(|| format!("{words} is a text with a unit, not {}", value.kind()))?;
    let number = units.iter().find_map(|unit| text.trim().strip_suffix(unit)).map(str::trim_end);
    let plain = number.filter(|digits| digits.chars().all(|c| c.is_ascii_digit() || c == '.'));
    plain
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| format!("`{text}` is not {words} (expected a number and `{}`)", units[0]))
}

/// A share of a whole, more than nothing.
#[derive(Debug, Clone, Copy)]
pub struct Share(pub f64);

impl Quantity for Share {
    const NAME: &'static str = "Share";
    const WORDS: &'static str = "a share";
    const EXAMPLE: &'static str = "\"70 %\"";

    fn read(value: &Value) -> Result<Self, String> {
        let percent = number_and_unit(value, Self::WORDS, &["%"])?;
        if !(1.0..=100.0).contains(&percent) {
            return Err(format!("`{percent} %` is not possible: a share is between 1 % and 100 %"));
        }
        Ok(Self(percent / 100.0))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": r"^\s*[0-9.]+\s*%\s*$", "examples": ["70 %"] })
    }
}

/// Bytes, of which there may be none or a fraction: an average over many packets.
#[derive(Debug, Clone, Copy)]
pub struct FractionalBytes(pub f64);

impl Quantity for FractionalBytes {
    const NAME: &'static str = "FractionalBytes";
    const WORDS: &'static str = "a number of bytes, whole or not";
    const EXAMPLE: &'static str = "\"6.5 B\"";

    fn read(value: &Value) -> Result<Self, String> {
        let bytes = number_and_unit(value, Self::WORDS, &["B"])?;
        if bytes > 4096.0 {
            return Err(format!("`{bytes} B` is not possible: it is between 0 B and 4096 B"));
        }
        Ok(Self(bytes))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": r"^\s*[0-9.]+\s*B\s*$", "examples": ["6.5 B"] })
    }
}

/// The width of a bus.
#[derive(Debug, Clone, Copy)]
pub struct Bits(pub u16);

impl Quantity for Bits {
    const NAME: &'static str = "Width";
    const WORDS: &'static str = "a width in bits";
    const EXAMPLE: &'static str = "\"64 bit\"";

    fn read(value: &Value) -> Result<Self, String> {
        let bits = number_and_unit(value, Self::WORDS, &["bit", "bits"])?;
        if bits.fract() != 0.0 || bits % 8.0 != 0.0 || !(8.0..=8192.0).contains(&bits) {
            return Err(format!(
                "`{bits} bit` is not possible: a width is of whole bytes, 8 bit to 8192 bit"
            ));
        }
        Ok(Self(bits as u16))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": r"^\s*[0-9]+\s*bits?\s*$", "examples": ["64 bit"] })
    }
}

/// Reads an integer; `bounds` say what is possible.
///
/// # Errors
/// When it is none, or not within them: in words.
pub fn integer(value: &Value, words: &str, bounds: [i64; 2]) -> Result<i64, String> {
    let Content::Integer(integer) = value.content else {
        return Err(format!("{words} is an integer, not {}", value.kind()));
    };
    let [least, most] = bounds;
    if (least..=most).contains(&integer) {
        return Ok(integer);
    }
    Err(format!("`{integer}` is not possible: {words} is between {least} and {most}"))
}

macro_rules! integers {
    ($($(#[$doc:meta])* $type:ident($inner:ty): $words:literal, $example:literal, $least:literal => $most:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $type(pub $inner);

        impl Quantity for $type {
            const NAME: &'static str = stringify!($type);
            const WORDS: &'static str = $words;
            const EXAMPLE: &'static str = $example;

            fn read(value: &Value) -> Result<Self, String> {
                Ok(Self(integer(value, $words, [$least, $most])? as $inner))
            }

            fn schema() -> Schema {
                json_schema!({ "type": "integer", "minimum": $least, "maximum": $most })
            }
        }
    )*};
}

integers! {
    /// How many.
    Count(u32): "a count", "4", 1 => 65536;
    /// A cache's level.
    Level(u8): "a cache's level", "1", 1 => 8;
}

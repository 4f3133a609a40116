//! Bytes as hexadecimal digits in JSON.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    serializer.serialize_str(&digits)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let digits = String::deserialize(deserializer)?;
    let byte = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).ok().filter(|text| text.len() == 2)?;
        u8::from_str_radix(text, 16).ok()
    };
    let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
    bytes.ok_or_else(|| D::Error::custom("expected pairs of hexadecimal digits"))
}

//! Points in time, as files have them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use jiff::Unit;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A point in time, written in RFC 3339, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    /// Timestamp of a time, rounded to the second.
    pub fn to_the_second(time: jiff::Timestamp) -> Self {
        Self(time.round(Unit::Second).unwrap_or(time))
    }

    /// Timestamp of a time with all its digits.
    pub const fn exactly(time: jiff::Timestamp) -> Self {
        Self(time)
    }

    /// The day and the minute, in UTC, for tables: `2026-11-03 04:10`.
    pub fn day_and_minute(self) -> String {
        self.0.strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// The time in the form of its library.
    pub const fn get(self) -> jiff::Timestamp {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Reason why a text is not a point in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid time `{text}` (expected RFC 3339, for example `2026-11-22T10:15:00Z`)")]
pub struct ParseTimestampError {
    text: String,
}

impl FromStr for Timestamp {
    type Err = ParseTimestampError;

    fn from_str(text: &str) -> Result<Self, ParseTimestampError> {
        text.parse().map(Self).map_err(|_| ParseTimestampError { text: text.to_owned() })
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'_, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A point in time, RFC 3339, in UTC.", "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_it_is_read() {
        for text in ["2026-11-22T10:15:00Z", "2026-11-22T10:15:00.25Z"] {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), text);
        }
        let message = "yesterday".parse::<Timestamp>().unwrap_err().to_string();
        assert!(message.starts_with("invalid time `yesterday`"), "{message}");
    }

    #[test]
    fn a_time_of_now_has_whole_seconds() {
        let time = "2026-11-22T10:15:00.25Z".parse().unwrap();
        assert_eq!(Timestamp::to_the_second(time).to_string(), "2026-11-22T10:15:00Z");
    }
}

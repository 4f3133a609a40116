//! The name of an experiment.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Valid names of experiments, as a regular expression.
const FORM: &str = "^[a-z0-9][a-z0-9-]{0,63}$";

/// The longest name, in bytes.
const LONGEST: usize = 64;

/// Name of an experiment: lower-case letters, digits and hyphens.
///
/// Any such name can be read. A result keeps the name of an experiment that this version does not know, so that it can be shown, compared and written
/// again.
#[derive(Clone)]
pub struct ExperimentName(Text);

/// The text, stored so that a clone never copies it.
#[derive(Clone)]
enum Text {
    Known(&'static str),
    Read(Arc<str>),
}

/// A text is not the name of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseExperimentNameError(String);

impl ExperimentName {
    /// The name of an experiment that is part of the program.
    ///
    /// # Panics
    /// When the text is not a valid name; in a constant, this is a compile-time error.
    pub const fn known(name: &'static str) -> Self {
        assert!(is_name(name), "an experiment's name consists of lower-case letters, digits and hyphens");
        Self(Text::Known(name))
    }

    pub fn as_str(&self) -> &str {
        match &self.0 {
            Text::Known(name) => name,
            Text::Read(name) => name,
        }
    }
}

const fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.is_empty() || bytes.len() > LONGEST || bytes[0] == b'-' {
        return false;
    }
    let mut rank = 0;
    while rank < bytes.len() {
        if !matches!(bytes[rank], b'a'..=b'z' | b'0'..=b'9' | b'-') {
            return false;
        }
        rank += 1;
    }
    true
}

impl std::str::FromStr for ExperimentName {
    type Err = ParseExperimentNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if is_name(text) {
            Ok(Self(Text::Read(text.into())))
        } else {
            Err(ParseExperimentNameError(text.chars().take(LONGEST).collect()))
        }
    }
}

impl fmt::Display for ParseExperimentNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid experiment name `{}` (expected at most {LONGEST} lower-case letters, digits and hyphens)",
            self.0.escape_debug()
        )
    }
}

impl std::error::Error for ParseExperimentNameError {}

impl PartialEq for ExperimentName {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for ExperimentName {}

impl PartialEq<str> for ExperimentName {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for ExperimentName {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialOrd for ExperimentName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ExperimentName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for ExperimentName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for ExperimentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for ExperimentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for ExperimentName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ExperimentName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ExperimentName {
    fn schema_name() -> Cow<'static, str> {
        "ExperimentName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The name of an experiment. Later versions have more of them.",
            "type": "string",
            "pattern": FORM,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_this_version_does_not_know_is_read_and_kept() {
        let name: ExperimentName = serde_json::from_str(r#""heat-by-row""#).unwrap();
        assert_eq!(name, "heat-by-row");
        assert_eq!(serde_json::to_string(&name).unwrap(), r#""heat-by-row""#);
        assert_eq!(name, ExperimentName::known("heat-by-row"));
    }

    #[test]
    fn text_that_could_garble_a_page_is_not_a_name() {
        for text in ["", "-x", "Stream", "a b", "\u{1b}[2J", &"a".repeat(65)] {
            let message = text.parse::<ExperimentName>().unwrap_err().to_string();
            assert!(message.contains("invalid experiment name"), "{message}");
            assert!(!message.contains('\u{1b}'), "{message:?}");
        }
        assert!(serde_json::from_str::<ExperimentName>(r#""\u001b[2J""#).is_err());
    }
}

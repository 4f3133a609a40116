//! Settings that change a machine without another file: `links=3`, `home.cha.remote_limit=20`.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The chosen value of an option, or a new value for a key of the machine file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    /// Name of the option, or the path to a value: keys joined by dots.
    pub name: String,
    /// The value, as written after `=`.
    pub value: String,
}

/// Reason why a text is not a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid setting `{text}` (expected NAME=VALUE, for example `links=3`)")]
pub struct ParseSettingError {
    text: String,
}

impl Setting {
    /// `name=value`.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into() }
    }

    /// Whether it names a value by its path, rather than an option.
    pub fn is_path(&self) -> bool {
        self.name.contains('.')
    }
}

impl FromStr for Setting {
    type Err = ParseSettingError;

    fn from_str(text: &str) -> Result<Self, ParseSettingError> {
        let parts = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        match parts {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok(Self::new(name, value)),
            _ => Err(ParseSettingError { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

/// Settings, each name at most once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<Setting>", into = "Vec<Setting>")]
pub struct Settings(Vec<Setting>);

impl From<Vec<Setting>> for Settings {
    fn from(settings: Vec<Setting>) -> Self {
        settings.into_iter().collect()
    }
}

impl From<Settings> for Vec<Setting> {
    fn from(settings: Settings) -> Self {
        settings.0
    }
}

impl Settings {
    /// No settings: every option at its default, every value as in the file.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// These and one more, which replaces an earlier one of the same name.
    #[must_use]
    pub fn with(mut self, setting: Setting) -> Self {
        match self.0.iter_mut().find(|known| known.name == setting.name) {
            Some(known) => *known = setting,
            None => self.0.push(setting),
        }
        self
    }

    /// One after the other.
    pub fn iter(&self) -> std::slice::Iter<'_, Setting> {
        self.0.iter()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Setting> for Settings {
    fn from_iter<I: IntoIterator<Item = Setting>>(settings: I) -> Self {
        settings.into_iter().fold(Self::none(), Self::with)
    }
}

impl fmt::Display for Settings {
    /// `links=3, speed=16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (rank, setting) in self.0.iter().enumerate() {
            let separator = if rank == 0 { "" } else { ", " };
            write!(f, "{separator}{setting}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_a_name_and_a_value() {
        assert_eq!("links=3".parse(), Ok(Setting::new("links", "3")));
        assert_eq!("core.k8.clock = 3 GHz".parse(), Ok(Setting::new("core.k8.clock", "3 GHz")));
        assert_eq!("node.0.channels.at=[\"a=b\"]".parse::<Setting>().unwrap().value, "[\"a=b\"]");
        for text in ["", "links", "=3", "links=", " = "] {
            assert!(text.parse::<Setting>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_last_of_a_name_counts() {
        let settings: Settings =
            ["links=3", "nps=4", "links=4"].into_iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!(settings.to_string(), "links=4, nps=4");
    }
}

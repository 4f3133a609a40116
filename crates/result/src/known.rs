//! Reading what people write: there, an unknown name is a mistake rather than a name of a later version.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::{Axis, Measure};

/// A value that may contain names that this version does not know.
pub trait Known {
    /// The first unknown name, and the known names.
    fn unknown(&self) -> Option<(&'static str, Vec<&'static str>)>;
}

/// Reads a value whose names are all known, for `#[serde(deserialize_with)]`.
///
/// # Errors
/// When a name is unknown.
pub fn known<'de, D: Deserializer<'de>, T: Deserialize<'de> + Known>(deserializer: D) -> Result<T, D::Error> {
    let value = T::deserialize(deserializer)?;
    match value.unknown() {
        None => Ok(value),
        Some((name, known)) => {
            let known: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
            let known = known.join(", ");
            Err(D::Error::custom(format_args!("unknown variant `{name}`, expected one of {known}")))
        }
    }
}

impl Known for Measure {
    fn unknown(&self) -> Option<(&'static str, Vec<&'static str>)> {
        (!self.is_known()).then(|| (self.name(), Self::ALL.map(Self::name).into()))
    }
}

impl Known for Axis {
    fn unknown(&self) -> Option<(&'static str, Vec<&'static str>)> {
        matches!(self, Self::Unknown(_)).then(|| (self.name(), Self::ALL.map(Self::name).into()))
    }
}

impl<T> Known for BTreeMap<Axis, T> {
    fn unknown(&self) -> Option<(&'static str, Vec<&'static str>)> {
        self.keys().find_map(Known::unknown)
    }
}

impl<T: Known> Known for Option<T> {
    fn unknown(&self) -> Option<(&'static str, Vec<&'static str>)> {
        self.as_ref().and_then(Known::unknown)
    }
}

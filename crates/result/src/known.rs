//! Reading what people write: there, a name without a meaning is a mistake, and not a later version's word.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::{Axis, Measure};

/// What may hold names that this version does not know.
pub trait Known {
    /// The first of them, and what could stand there instead.
    fn unknown(&self) -> Option<(&'static str, Vec<&'static str>)>;
}

/// Reads a value all of whose names are known: for `#[serde(deserialize_with)]`.
///
/// # Errors
/// When one is not.
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

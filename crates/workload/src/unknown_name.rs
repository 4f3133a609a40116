//! Names from files of later versions that this version does not know.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The schema of an enum that also accepts unknown names: a known name matches two alternatives.
pub fn open_schema(schema: &mut Schema) {
    if let Some(forms) = schema.remove("oneOf") {
        schema.insert("anyOf".to_owned(), forms);
    }
}

/// Names that are interned, at most: files of a later version have a few dozen, and a server must not fill up with what clients send.
const MOST: usize = 10_000;

/// The longest name, in bytes.
const LONGEST: usize = 200;

/// What stands for names that are too many or too long.
const OTHER: &str = "unknown";

/// A name that this version does not know. It is `Copy`, like known names: each distinct name is interned for as long as the
/// program runs. Files with names that are longer than 200 bytes, or that have ever more of them, cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownName(&'static str);

static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

impl UnknownName {
    /// Interns a name; `unknown` stands for one for which there is no room.
    pub fn new(name: &str) -> Self {
        Self::interned(name).unwrap_or(Self(OTHER))
    }

    /// The interned name, if there is room for it.
    fn interned(name: &str) -> Option<Self> {
        // The set stays valid even if another thread panicked while it held the lock.
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = kept.get(name) {
            return Some(Self(name));
        }
        if kept.len() >= MOST || name.len() > LONGEST {
            return None;
        }
        let name: &'static str = Box::leak(name.into());
        kept.insert(name);
        Some(Self(name))
    }

    /// The name, as written in the file.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Debug for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

impl Serialize for UnknownName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for UnknownName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::interned(&name).ok_or_else(|| {
            let shown: String = name.chars().take(40).collect();
            Error::custom(format_args!("no room for the unknown name `{}`", shown.escape_debug()))
        })
    }
}

impl JsonSchema for UnknownName {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "UnknownName".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_unless_it_is_too_long() {
        let read = |name: &str| serde_json::from_str::<UnknownName>(&format!("\"{name}\""));
        assert_eq!(read("later").unwrap().as_str(), "later");
        let long = "x".repeat(LONGEST + 1);
        let error = read(&long).unwrap_err().to_string();
        assert!(error.contains("no room for the unknown name") && error.len() < 200, "{error}");
        assert_eq!(UnknownName::new(&long).as_str(), OTHER);
    }
}

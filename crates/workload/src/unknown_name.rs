//! Names from files of later versions that this version does not know.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The schema of an enum that also accepts unknown names: a known name matches two alternatives.
pub fn open_schema(schema: &mut Schema) {
    if let Some(forms) = schema.remove("oneOf") {
        schema.insert("anyOf".to_owned(), forms);
    }
}

/// A name that this version does not know. It is `Copy`, like known names: each distinct name is interned for as long as the
/// program runs, and there are no more of them than files contain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownName(&'static str);

static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

impl UnknownName {
    /// Interns a name.
    pub fn new(name: &str) -> Self {
        // The set stays valid even if another thread panicked while it held the lock.
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = kept.get(name) {
            return Self(name);
        }
        let name: &'static str = Box::leak(name.into());
        kept.insert(name);
        Self(name)
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
        Ok(Self::new(&String::deserialize(deserializer)?))
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

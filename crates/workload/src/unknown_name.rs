//! Names that a file of a later version has, and this version has no meaning for.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The schema of an enum that takes unknown names as well: a known one fits it twice.
pub fn open_schema(schema: &mut Schema) {
    if let Some(forms) = schema.remove("oneOf") {
        schema.insert("anyOf".to_owned(), forms);
    }
}

/// A name without a meaning to this version. It can be copied as the names that have one: each is kept once for as long as the
/// program runs, and there are no more of them than files have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownName(&'static str);

static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

impl UnknownName {
    /// That name.
    pub fn new(name: &str) -> Self {
        // What another thread left behind when it panicked is a set of names all the same.
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = kept.get(name) {
            return Self(name);
        }
        let name: &'static str = Box::leak(name.into());
        kept.insert(name);
        Self(name)
    }

    /// As it stands in the file.
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

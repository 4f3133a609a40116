//! Fields of a result of a later writer, for which this version has no place.

use serde_json::Value;

/// A field that no type has a place for.
#[derive(Debug, Clone, PartialEq)]
pub struct UnknownField {
    path: Vec<Step>,
    value: Value,
}

/// One step into a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Rank(usize),
    /// Into the only member of an object, whose name is that of a variant.
    Variant,
}

impl UnknownField {
    /// The field that stands there.
    pub(crate) fn of(path: Vec<Step>, file: &Value) -> Option<Self> {
        let mut named = Vec::with_capacity(path.len());
        let mut value = file;
        for step in path {
            let step = match step {
                Step::Variant => Step::Key(value.as_object()?.keys().next()?.clone()),
                other => other,
            };
            value = match &step {
                Step::Key(key) => value.get(key)?,
                Step::Rank(rank) => value.get(rank)?,
                Step::Variant => return None,
            };
            named.push(step);
        }
        Some(Self { path: named, value: value.clone() })
    }

    /// Puts the field back where it stood.
    pub(crate) fn put_back(&self, file: &mut Value) {
        let Some((Step::Key(last), way)) = self.path.split_last() else { return };
        let parent = way.iter().try_fold(file, |value, step| match step {
            Step::Key(key) => value.get_mut(key),
            Step::Rank(rank) => value.get_mut(rank),
            Step::Variant => None,
        });
        if let Some(Value::Object(fields)) = parent {
            fields.entry(last.clone()).or_insert_with(|| self.value.clone());
        }
    }

    /// Its name, with those of the fields that it is in: `evidence.row_misses`. Ranks are left out, so that the same field of
    /// every cell has one name.
    pub fn name(&self) -> String {
        let keys = self.path.iter().filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Rank(_) | Step::Variant => None,
        });
        keys.collect::<Vec<_>>().join(".")
    }
}

//! Fields of a later writer's result that this version does not know.

use serde_json::Value;

/// A field that no type has.
#[derive(Debug, Clone, PartialEq)]
pub struct UnknownField {
    path: Vec<Step>,
    value: Value,
}

/// One step into a JSON text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Key(String),
    Rank(usize),
    /// Into the only member of an object, whose name is that of a variant.
    Variant,
}

impl UnknownField {
    /// The field at this path.
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

    /// Its path.
    pub(crate) fn path(&self) -> &[Step] {
        &self.path
    }

    /// Puts the field back at its path.
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

    /// Its name, prefixed with the fields that contain it: `evidence.row_misses`. Array indices are omitted, so that the same field
    /// of every cell has one name.
    pub fn name(&self) -> String {
        let keys = self.path.iter().filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Rank(_) | Step::Variant => None,
        });
        keys.collect::<Vec<_>>().join(".")
    }
}

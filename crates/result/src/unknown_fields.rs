//! Data of a file that the types of results do not hold: fields of a later writer, and the full source of texts that the types hold in a plain form.

use serde_json::Value;

/// A field without a type, or a text whose type holds the plain form.
#[derive(Debug, Clone, PartialEq)]
pub struct UnknownField {
    path: Vec<Step>,
    value: Value,
    /// The plain form of a text, or of a list of texts.
    plain: Option<Value>,
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
        Some(Self { path: named, value: value.clone(), plain: None })
    }

    /// A text or a list of texts at this path, whose type holds the plain form.
    pub(crate) fn text(path: Vec<Step>, written: Value, plain: Value) -> Self {
        Self { path, value: written, plain: Some(plain) }
    }

    /// Whether the field is a text or a list of texts whose type holds the plain form.
    pub fn is_text(&self) -> bool {
        self.plain.is_some()
    }

    pub(crate) fn path(&self) -> &[Step] {
        &self.path
    }

    /// Puts the field back at its path.
    pub(crate) fn put_back(&self, file: &mut Value) {
        if let Some(plain) = &self.plain {
            // The types may write something else there by now.
            let held = self.path.iter().try_fold(file, step);
            if let Some(held) = held.filter(|held| *held == plain) {
                held.clone_from(&self.value);
            }
            return;
        }
        let Some((Step::Key(last), way)) = self.path.split_last() else { return };
        if let Some(Value::Object(fields)) = way.iter().try_fold(file, step) {
            fields.entry(last.clone()).or_insert_with(|| self.value.clone());
        }
    }

    /// Name of the field, prefixed with the fields that contain it: `evidence.row_misses`. Array indices are omitted, so that the same field of all
    /// cells has one name.
    pub fn name(&self) -> String {
        let keys = self.path.iter().filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Rank(_) | Step::Variant => None,
        });
        keys.collect::<Vec<_>>().join(".")
    }
}

/// What a step leads to.
fn step<'a>(value: &'a mut Value, step: &Step) -> Option<&'a mut Value> {
    match (value, step) {
        (Value::Object(fields), Step::Key(key)) => fields.get_mut(key),
        (Value::Array(values), Step::Rank(rank)) => values.get_mut(*rank),
        _ => None,
    }
}

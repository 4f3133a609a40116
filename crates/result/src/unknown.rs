//! What a result of a later writer has, and this version no meaning for.

use std::collections::BTreeMap;

use serde_json::Value;
use zerohop_workload::Warning;

use crate::{Axis, Measure, ResultFile};

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
}

impl UnknownField {
    /// The field that stands there.
    pub(crate) fn of(path: Vec<Step>, file: &Value) -> Option<Self> {
        let found = path.iter().try_fold(file, |value, step| match step {
            Step::Key(key) => value.get(key),
            Step::Rank(rank) => value.get(rank),
        });
        let value = found?.clone();
        Some(Self { path, value })
    }

    /// Puts the field back where it stood.
    pub(crate) fn put_back(&self, file: &mut Value) {
        let Some((Step::Key(last), way)) = self.path.split_last() else { return };
        let parent = way.iter().try_fold(file, |value, step| match step {
            Step::Key(key) => value.get_mut(key),
            Step::Rank(rank) => value.get_mut(rank),
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
            Step::Rank(_) => None,
        });
        keys.collect::<Vec<_>>().join(".")
    }
}

impl ResultFile {
    /// What this version does not know of it, in words, each once with how many times it occurs: `the measure row_misses (12)`.
    /// Experiments are not among it: which are known is not known here.
    pub fn unknown(&self) -> Vec<String> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut add = |words: String| *seen.entry(words).or_default() += 1;
        let warning = |warning: &Warning| match warning {
            Warning::Unknown(unknown) => Some(format!("the warning {}", unknown.name())),
            _ => None,
        };
        for cell in self.experiments.iter().flat_map(|experiment| &experiment.cells) {
            if let Measure::Unknown(name) = cell.measure {
                add(format!("the measure {}", name.as_str()));
            }
            for axis in cell.at.0.keys() {
                if let Axis::Unknown(name) = axis {
                    add(format!("the axis {}", name.as_str()));
                }
            }
            cell.warnings.iter().filter_map(warning).for_each(&mut add);
        }
        let others =
            self.experiments.iter().flat_map(|experiment| &experiment.warnings).chain(&self.warnings);
        others.filter_map(warning).for_each(&mut add);
        self.unknown.iter().for_each(|field| add(format!("the field {}", field.name())));
        seen.into_iter().map(|(words, times)| format!("{words} ({times})")).collect()
    }
}

//! Reports the parts of a later version's result that this version does not know.

use std::collections::BTreeMap;

use zerohop_workload::Warning;

use crate::{Axis, Measure, ResultFile};

impl ResultFile {
    /// Unknown parts, in words, each item once with its number of occurrences: `the measure row_misses (12)`. Experiments are not included: this
    /// crate does not know which experiments exist.
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
        let fields = self.unknown.iter().filter(|field| !field.is_text());
        fields.for_each(|field| add(format!("the field {}", field.name())));
        seen.into_iter().map(|(words, times)| format!("{words} ({times})")).collect()
    }

    /// The number of texts that are held in a plain form: they are too long, or have characters that are obeyed instead of shown.
    pub fn plain_texts(&self) -> usize {
        self.unknown.iter().filter(|field| field.is_text()).count()
    }
}

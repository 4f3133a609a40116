//! What a page asks.

use serde::Deserialize;

use crate::base::Base;
use crate::subject::Subject;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Question {
    /// Which machines, templates and experiments there are.
    List,
    /// Which settings and faults of a machine are valid.
    Check { on: Subject },
    /// What a machine looks like, and what can be chosen of it.
    Machine {
        on: Subject,
        /// The run whose threads and load are drawn on it.
        #[serde(default)]
        placed: Option<String>,
        /// The rank of its first picture among those of the page.
        #[serde(default)]
        first: usize,
    },
    /// Which faults a machine can have.
    Faults { on: Subject },
    /// What an experiment measures on a machine.
    Run {
        on: Subject,
        /// The experiment and its options, as typed after `zerohop run`.
        run: String,
        /// The rank of its first picture among those of the page.
        #[serde(default)]
        first: usize,
    },
    /// The published figures of a study beside a model's.
    Reproduce { study: String },
    /// How an experiment on a machine compares with the same on another, or with a result.
    Compare {
        on: Subject,
        with: Base,
        /// The experiment and its options.
        run: String,
        /// The rank of its first picture among those of the page.
        #[serde(default)]
        first: usize,
    },
    /// What changed from one result of an experiment to another, both as JSON.
    Change { before: String, after: String },
}

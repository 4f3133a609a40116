//! What goes wrong, as the user sees it: an `error:` line and, where something can be done, a `hint:` line.

use std::fmt;

/// Why nothing, or not everything, could be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// With what went wrong, as a fragment in lower case.
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), hint: None }
    }

    /// And what the user can do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, where there may be nothing to do.
    pub(crate) fn maybe_hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into);
        self
    }

    /// What went wrong.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// What can be done about it.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

//! Failures as the user sees them: an `error:` line and, where the user can act, a `hint:` line.

use std::fmt;

use zerohop_app::Hinted;

/// Why a request failed, wholly or in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// A failure described by a lower-case fragment.
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), hint: None }
    }

    /// Adds what the user can do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a hint, if there is one.
    pub(crate) fn maybe_hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into);
        self
    }

    /// The same, with other words instead of these.
    pub(crate) fn with(self, words: &str, instead: &str) -> Self {
        let replaced = |text: String| text.replace(words, instead);
        Self { message: replaced(self.message), hint: self.hint.map(replaced) }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// What can be done about it.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl<E: Hinted> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(&error).maybe_hint(error.hint())
    }
}

//! The state of a machine, as pages color it.

use zerohop_diagnosis::Severity;

/// How a machine, or a part of it, is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Fault,
    Warning,
    Sound,
    /// It could not be decided.
    Open,
}

impl State {
    /// The state of what a finding is about. A note decides nothing.
    pub(crate) const fn of(severity: Severity) -> Self {
        match severity {
            Severity::Fault => Self::Fault,
            Severity::Warning => Self::Warning,
            Severity::Note => Self::Open,
        }
    }

    /// Class of an element in the style sheet.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Warning => "warning",
            Self::Sound => "sound",
            Self::Open => "open",
        }
    }
}

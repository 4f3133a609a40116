//! Why this host cannot be measured at all.

use crate::ClockError;

/// Why there is no engine for this host.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HostError {
    /// No clock can be trusted.
    #[error("this host has no reliable clock: {0}")]
    Clock(#[from] ClockError),
}

impl HostError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Clock(error) => error.hint(),
        }
    }
}

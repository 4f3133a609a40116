//! When work that takes long gives up: when the user asks to stop, and when the time is up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use zerohop_workload::EngineError;

/// What ends long work early.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Halt<'a> {
    /// Set when the user asks to stop.
    pub(crate) interrupted: &'a AtomicBool,
    /// When the time is up, if it is limited.
    pub(crate) deadline: Option<Instant>,
}

impl<'a> Halt<'a> {
    /// Only the user ends it.
    #[cfg(test)]
    pub(crate) const fn on(interrupted: &'a AtomicBool) -> Self {
        Self { interrupted, deadline: None }
    }

    /// Whether the time is up.
    pub(crate) fn is_late(self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether to go on.
    ///
    /// # Errors
    /// [`EngineError::Interrupted`] or [`EngineError::OutOfTime`].
    pub(crate) fn check(self) -> Result<(), EngineError> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(EngineError::Interrupted);
        }
        if self.is_late() { Err(EngineError::OutOfTime) } else { Ok(()) }
    }
}

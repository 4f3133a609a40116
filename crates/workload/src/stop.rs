//! The flag that stops engines.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::EngineError;

/// The creator of an engine passes in this flag, keeps a clone, and raises it to stop the engine. Once raised, it stays
/// raised.
///
/// Engines check it every few thousand steps, so that they stop within a fraction of a second at no measurable cost.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// The flag itself, for a signal handler.
    pub fn shared(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Raises it, for all clones.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// # Errors
    /// [`EngineError::Interrupted`] if it is raised.
    pub fn check(&self) -> Result<(), EngineError> {
        if self.is_raised() { Err(EngineError::Interrupted) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raising_one_clone_raises_all() {
        let stop = StopFlag::new();
        let other = stop.clone();
        assert_eq!(other.check(), Ok(()));
        stop.raise();
        assert_eq!(other.check(), Err(EngineError::Interrupted));
    }
}

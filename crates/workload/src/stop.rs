//! The flag that stops engines.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::EngineError;

/// The creator of an engine passes in this flag, keeps a clone, and raises it to stop the engine. Once raised, it stays
/// raised.
///
/// Engines check it every few thousand steps, so that they stop within a fraction of a second at no measurable cost.
#[derive(Debug, Clone, Default)]
pub struct StopFlag {
    raised: Arc<AtomicBool>,
    /// Time when the flag is raised automatically.
    deadline: Option<Instant>,
    /// A flag that raises this one, too.
    parent: Option<Arc<Self>>,
}

impl StopFlag {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag for a part of the work: raising it stops only that part, and this flag stops the part, too.
    #[must_use]
    pub fn part(&self) -> Self {
        Self { raised: Arc::default(), deadline: None, parent: Some(Arc::new(self.clone())) }
    }

    /// Copy of the flag for a part with a time limit from now on. It needs a clock, which a web page does not have.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(time), ..self.part() }
    }

    /// The flag itself, for a signal handler.
    pub fn shared(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.raised)
    }

    /// Raises it, for all clones.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    /// Whether it is raised, its deadline has passed, or the flag is raised that it is a part of.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.parent.as_ref().is_some_and(|parent| parent.is_raised())
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

    #[test]
    fn a_part_is_stopped_alone_with_the_whole_or_by_its_deadline() {
        let whole = StopFlag::new();
        let (part, other) = (whole.part(), whole.within(Duration::from_secs(3600)));
        part.raise();
        assert!(part.is_raised() && !whole.is_raised() && !other.is_raised());
        assert!(whole.within(Duration::ZERO).is_raised() && !whole.is_raised());
        assert!(whole.within(Duration::MAX).check().is_ok());
        whole.raise();
        assert!(other.is_raised() && other.part().is_raised());
    }
}

//! A caller of experiments that receives no events.

use std::time::Duration;

use zerohop_workload::StopFlag;

use crate::event::{Event, Observer};
use crate::executor::{Executor, Sequential};

/// An observer that drops all events: of one run among many, and of tests.
///
/// Its time stands still, so it suits simulations and not hosts.
#[derive(Clone, Copy)]
pub struct NullObserver<'a> {
    executor: &'a dyn Executor,
    stop: Option<&'a StopFlag>,
    each: Option<&'a dyn Fn()>,
}

impl<'a> NullObserver<'a> {
    /// An observer that nothing interrupts; measurements run one after another.
    pub const fn new() -> Self {
        Self { executor: &Sequential, stop: None, each: None }
    }

    /// Copy that is interrupted once the flag is raised.
    #[must_use]
    pub const fn until(self, stop: &'a StopFlag) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Copy with another executor of measurements that can run in parallel.
    #[must_use]
    pub const fn on(self, executor: &'a dyn Executor) -> Self {
        Self { executor, ..self }
    }

    /// Copy that calls `each` at every event.
    #[must_use]
    pub const fn at_each(self, each: &'a dyn Fn()) -> Self {
        Self { each: Some(each), ..self }
    }
}

impl Default for NullObserver<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl Observer for NullObserver<'_> {
    fn event(&mut self, _: Event<'_>) {
        if let Some(each) = self.each {
            each();
        }
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn interrupted(&self) -> bool {
        self.stop.is_some_and(StopFlag::is_raised)
    }

    fn executor(&self) -> &dyn Executor {
        self.executor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_with_its_flag() {
        let stop = StopFlag::new();
        let observer = NullObserver::new().until(&stop);
        assert!(!observer.interrupted());
        stop.raise();
        assert!(observer.interrupted() && !NullObserver::new().interrupted());
    }
}

//! Waits for another program that uses a file of SQLite. They have an end, and a signal ends them before.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

/// How long a wait may be: a batch of a large add takes a second or so.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long one may be that begins after the signal: what was measured until then is worth it.
const LAST_PATIENCE: Duration = Duration::from_secs(2);

/// The pause before another try.
const PAUSE: Duration = Duration::from_millis(20);

#[derive(Debug, Clone, Default)]
pub struct Signals {
    /// Raised by a signal: waits end.
    pub stop: Arc<AtomicBool>,
    /// Not raised while something waits: a signal may end the process at once otherwise.
    pub idle: Arc<AtomicBool>,
}

static SIGNALS: RwLock<Option<Signals>> = RwLock::new(None);

thread_local! {
    /// When the wait of this thread began, and how long it may be.
    static BEGAN: Cell<(Instant, Duration)> = Cell::new((Instant::now(), PATIENCE));
    /// Whether a signal ended it.
    static WAS_ENDED: Cell<bool> = const { Cell::new(false) };
}

/// From now on, these end all waits of this process.
pub fn end_waits_at(signals: Signals) {
    *SIGNALS.write().unwrap_or_else(PoisonError::into_inner) = Some(signals);
}

/// Whether SQLite tries again, after a pause. It asks after each try; `tries` is the number of tries before.
pub(crate) fn goes_on(tries: i32) -> bool {
    let signals = SIGNALS.read().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default();
    if tries == 0 {
        let patience = if signals.stop.load(Ordering::Relaxed) { LAST_PATIENCE } else { PATIENCE };
        BEGAN.set((Instant::now(), patience));
        WAS_ENDED.set(false);
    }
    signals.idle.store(false, Ordering::Relaxed);
    thread::sleep(PAUSE);
    signals.idle.store(true, Ordering::Relaxed);
    let (began, patience) = BEGAN.get();
    if patience == PATIENCE && signals.stop.load(Ordering::Relaxed) {
        WAS_ENDED.set(true);
        return false;
    }
    began.elapsed() < patience
}

/// Whether a signal ended the last wait of this thread.
pub(crate) fn was_ended() -> bool {
    WAS_ENDED.take()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A first Ctrl-C was remembered, and nobody looked at it for a minute.
    #[test]
    fn a_signal_ends_a_wait() {
        let signals = Signals::default();
        end_waits_at(signals.clone());
        assert!(goes_on(0) && goes_on(1) && !was_ended());
        signals.stop.store(true, Ordering::Relaxed);
        assert!(!goes_on(2) && was_ended());
        // One that begins then may still succeed.
        assert!(goes_on(0) && !was_ended());
        end_waits_at(Signals::default());
    }
}

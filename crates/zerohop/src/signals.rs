//! SIGINT, SIGTERM and SIGHUP: the first stops the work in progress and saves its results, the next ends the process at once. Before
//! there is any work to save, while machines are read and experiments planned, the first ends the process at once as well.

use std::ffi::c_int;
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use zerohop_workload::StopFlag;

use crate::failure::Failure;
use crate::prefetchers::Shared;
use crate::terminal;

/// The exit status of a run that was interrupted.
pub(crate) const INTERRUPTED: u8 = 130;

/// Signals this close to the first count as one: `timeout` and batch systems signal a process and then its whole group.
const ONE_WISH: Duration = Duration::from_millis(500);

/// Signals that request a stop. The last one is a terminal or a connection that is gone, which `nohup` has ignored.
const WISHES: [c_int; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Signals that are watched even if they were ignored, as shells do for what runs in the background.
const ALWAYS: [c_int; 2] = [SIGINT, SIGTERM];

/// Signals that would end the process on the spot. While machine settings are changed, they request a stop as well.
const BLOWS: [c_int; 2] = [SIGQUIT, SIGXCPU];

/// Whether there may be something to save.
#[derive(Debug, Clone)]
pub(crate) struct Begun(Arc<AtomicBool>);

impl Begun {
    /// Nothing yet.
    pub(crate) fn not_yet() -> Self {
        Self(Arc::new(AtomicBool::new(false)))
    }

    /// There may be something at any time.
    pub(crate) fn already() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// From now on, there may be.
    pub(crate) fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Sets up the handlers; the flag they return is raised at the first signal. If nothing has begun yet, the first ends the
/// process. Prefetchers that will be switched off are put back before a signal ends the process.
///
/// # Errors
/// When the kernel refuses a handler or a thread.
pub(crate) fn watch(prefetchers: Option<Shared>, begun: Begun) -> Result<StopFlag, Failure> {
    try_to_watch(prefetchers, begun).map_err(|error| {
        Failure::new(format_args!("cannot watch for signals: {error}"))
            .hint("it takes a thread and a pipe: allow more of them (`ulimit -u`, `ulimit -n`, `ulimit -v`; pids.max of the cgroup)")
    })
}

fn try_to_watch(prefetchers: Option<Shared>, begun: Begun) -> io::Result<StopFlag> {
    let mut watched = WISHES.to_vec();
    if prefetchers.is_some() {
        watched.extend(BLOWS);
    }
    watched.retain(|&signal| ALWAYS.contains(&signal) || !is_ignored(signal));
    let stop = StopFlag::new();
    // Raised by the handler itself, so that the engine knows even if no other thread gets to run.
    for &signal in &watched {
        flag::register(signal, stop.shared())?;
    }
    let signals = Signals::new(watched)?;
    let prefetchers = prefetchers.unwrap_or_default();
    // It sleeps until a signal comes, so that it takes no time from what is measured.
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || end_at_the_next(signals, &prefetchers, &begun))?;
    Ok(stop)
}

fn end_at_the_next(mut signals: Signals, prefetchers: &Shared, begun: &Begun) {
    let mut first = None;
    for _ in signals.forever() {
        if !begun.is_begun() {
            terminal::say("interrupted before anything was measured");
            prefetchers.put_back_and(|| signal_hook::low_level::exit(INTERRUPTED.into()));
        }
        if first.get_or_insert_with(Instant::now).elapsed() > ONE_WISH {
            prefetchers.put_back_and(|| signal_hook::low_level::exit(INTERRUPTED.into()));
        }
    }
}

/// Whether the parent process set a signal to be ignored, as `nohup` does: then it stays ignored.
fn is_ignored(signal: c_int) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ignored_signal_is_told_from_others() {
        // Rust's runtime ignores this one in every program.
        assert!(is_ignored(signal_hook::consts::SIGPIPE));
        assert!(!is_ignored(SIGTERM));
    }
}

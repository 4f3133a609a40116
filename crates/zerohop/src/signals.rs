//! SIGINT, SIGTERM and SIGHUP: the first stops the work in progress and saves its results, the next ends the process at once. Before
//! there is any work to save, while machines are read and experiments planned, the first ends the process at once as well.

use std::ffi::c_int;
use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
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
    try_to_watch(prefetchers, begun).map_err(|error| unwatched(&error))
}

fn unwatched(error: &io::Error) -> Failure {
    Failure::new(format_args!("cannot watch for signals: {error}"))
        .hint("this needs a thread and a pipe; raise their limits (`ulimit -u`, `ulimit -n`, `ulimit -v`; pids.max of the cgroup)")
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
    zerohop_archive::end_waits_at(zerohop_archive::Signals { stop: stop.shared(), idle: Arc::default() });
    if let Some(idle) = IDLE.get() {
        idle.store(false, Ordering::Relaxed);
    }
    if ANSWERED.load(Ordering::Relaxed) {
        return Ok(stop);
    }
    let signals = Signals::new(watched)?;
    let prefetchers = prefetchers.unwrap_or_default();
    // It sleeps until a signal comes, so that it takes no time from what is measured.
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || end_at_the_next(signals, &prefetchers, &begun))?;
    Ok(stop)
}

/// Whether [`answer_first`] ends the process.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// Ends the process at the first signal with this answer and exit status: for whoever needs an answer, and has nothing to save.
///
/// # Errors
/// When the kernel refuses a handler or a thread.
pub(crate) fn answer_first(answer: impl FnOnce() -> u8 + Send + 'static) -> Result<(), Failure> {
    let watched = WISHES.into_iter().filter(|signal| ALWAYS.contains(signal) || !is_ignored(*signal));
    let begin = || -> io::Result<()> {
        let mut signals = Signals::new(watched)?;
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            if signals.forever().next().is_some() {
                let status = answer();
                signal_hook::low_level::exit(status.into());
            }
        })?;
        Ok(())
    };
    ANSWERED.store(true, Ordering::Relaxed);
    begin().map_err(|error| unwatched(&error))
}

/// From now on, the first signal ends a wait for an archive that another program uses, so that there is a word about it. At any other time it ends the
/// process at once, as ever.
///
/// # Errors
/// When the kernel refuses a handler.
pub(crate) fn end_waits() -> Result<(), Failure> {
    let signals = zerohop_archive::Signals {
        stop: WAIT_ENDED.get_or_init(Arc::default).clone(),
        idle: IDLE.get_or_init(|| Arc::new(AtomicBool::new(true))).clone(),
    };
    for signal in WISHES.into_iter().filter(|signal| ALWAYS.contains(signal) || !is_ignored(*signal)) {
        let registered = flag::register_conditional_default(signal, Arc::clone(&signals.idle))
            .and_then(|_| flag::register(signal, Arc::clone(&signals.stop)));
        registered.map_err(|error| unwatched(&error))?;
    }
    zerohop_archive::end_waits_at(signals);
    Ok(())
}

/// Not raised while something waits for an archive, or others watch for signals.
static IDLE: OnceLock<Arc<AtomicBool>> = OnceLock::new();

static WAIT_ENDED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Whether a signal ended a wait.
pub(crate) fn has_ended_wait() -> bool {
    WAIT_ENDED.get().is_some_and(|ended| ended.load(Ordering::Relaxed))
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

//! SIGINT and SIGTERM: the first asks to stop after the sample under way, the next ends at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;

/// The exit status of a run that was interrupted.
pub(crate) const INTERRUPTED: u8 = 130;

/// Signals so close to the first are the same wish: `timeout` and batch systems signal a process and then its whole
/// group.
const ONE_WISH: Duration = Duration::from_millis(500);

/// Sets up the handlers; the flag they return becomes true at the first signal.
///
/// # Errors
/// When the kernel refuses a handler or a thread.
pub(crate) fn watch() -> io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // Raised by the handler itself, so that the engine knows even if no other thread gets to run.
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&interrupted))?;
    }
    // A result file larger than `ulimit -f` shall give an error of writing, not kill the process.
    flag::register(SIGXFSZ, Arc::default())?;
    let signals = Signals::new([SIGINT, SIGTERM])?;
    // It sleeps until a signal comes, so that it takes no time from what is measured.
    thread::Builder::new().name("signals".to_owned()).spawn(|| end_at_the_next(signals))?;
    Ok(interrupted)
}

fn end_at_the_next(mut signals: Signals) {
    let mut first = None;
    for _ in signals.forever() {
        if first.get_or_insert_with(Instant::now).elapsed() > ONE_WISH {
            signal_hook::low_level::exit(INTERRUPTED.into());
        }
    }
}

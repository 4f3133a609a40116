//! SIGINT and SIGTERM: the first asks to stop after the sample under way, the second ends at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

/// The exit status of a run that was interrupted.
pub(crate) const INTERRUPTED: u8 = 130;

/// Sets up the handlers; the flag they return becomes true at the first signal.
///
/// # Errors
/// When the kernel refuses a handler.
pub(crate) fn watch() -> io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the shutdown looks at the flag before this signal raises it.
        flag::register_conditional_shutdown(signal, INTERRUPTED.into(), Arc::clone(&interrupted))?;
        flag::register(signal, Arc::clone(&interrupted))?;
    }
    // A result file larger than `ulimit -f` shall give an error of writing, not kill the process.
    flag::register(SIGXFSZ, Arc::default())?;
    Ok(interrupted)
}

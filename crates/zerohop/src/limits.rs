//! Limits of the shell under which the program could only crash: they are answered before anything else is done.

use std::sync::Arc;

use rustix::process::{Resource, getrlimit};
use signal_hook::consts::SIGXFSZ;
use signal_hook::flag;

use crate::failure::Failure;

/// The least stack that arguments, results and pages are read and written on.
const LEAST_STACK: u64 = 1 << 20;

/// Lets a file that grows beyond `ulimit -f` be an error of writing, instead of the end of the process, and refuses a stack that
/// would overflow.
///
/// # Errors
/// When the stack is too small.
pub(crate) fn answer() -> Result<(), Failure> {
    // Without a handler, the first such file ends the process as it always did.
    let _ = flag::register(SIGXFSZ, Arc::default());
    match getrlimit(Resource::Stack).current {
        Some(stack) if stack < LEAST_STACK => {
            let (stack, least) = (stack >> 10, LEAST_STACK >> 10);
            Err(Failure::new(format_args!(
                "the stack is limited to {stack} KiB, but zerohop needs {least} KiB"
            ))
            .hint("`ulimit -s 8192` sets the usual 8 MiB"))
        }
        _ => Ok(()),
    }
}

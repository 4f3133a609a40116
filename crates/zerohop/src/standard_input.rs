//! The end of standard input as a signal: how a program that was started for somebody learns that they are gone.
//!
//! Whoever starts a survey or a chunk of a sweep holds the other end of its standard input (`programs.rs`), over a connection of ssh, too. That end closes
//! when its holder ends, however that ends: nobody would take the result then, and what goes on disturbs whoever uses the host next.

use std::io::{self, ErrorKind, Read};
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};

use crate::failure::Failure;

/// After this time, what still goes on is ended at once: it may be waiting for somebody to read what it prints.
const TO_SAVE: Duration = Duration::from_secs(10);

/// Ends this process, as SIGTERM does, once standard input has ended.
///
/// # Errors
/// When the kernel refuses a thread.
pub(crate) fn end_with_it() -> Result<(), Failure> {
    let watch = || {
        wait_for_its_end();
        let _ = kill_process(getpid(), Signal::TERM);
        thread::sleep(TO_SAVE);
        let _ = kill_process(getpid(), Signal::TERM);
    };
    let started = thread::Builder::new().name("input".to_owned()).spawn(watch);
    started.map(drop).map_err(|error| {
        Failure::new(format_args!("cannot watch standard input: {error}"))
            .hint("this needs a thread; raise the limit (`ulimit -u`; pids.max of the cgroup)")
    })
}

fn wait_for_its_end() {
    let mut bytes = [0; 64];
    loop {
        match io::stdin().read(&mut bytes) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

//! `zerohop`: measures how far every thread of a machine is from its data.
//!
//! ```text
//! Arguments (what was typed) -> Request (checked) -> verb -> Ending or Failure -> exit status
//! ```

#![forbid(unsafe_code)]

mod archive_location;
mod arguments;
mod atomic_file;
mod campaign_attendant;
mod campaign_progress;
mod choices;
mod command;
mod command_suggestions;
mod completion;
mod display;
mod executor;
mod failure;
mod file_name;
mod guarded_path;
mod host_lock;
mod journal;
mod kind;
mod launching;
mod limits;
mod machine_source;
mod open_archive;
mod output;
mod panic_report;
mod prefetchers;
mod program_points;
mod programs;
mod progress;
mod quiet_wait;
mod record;
mod request;
mod secrets;
mod shell;
mod signals;
mod standard_input;
mod stated_machine;
mod subject;
mod terminal;
mod text_file;
mod verbs;
mod watcher;

#[cfg(not(target_env = "musl"))]
use std::alloc::System;
use std::process::ExitCode;

use zerohop_host::OutOfMemory;

use arguments::Arguments;
use failure::Failure;
use request::Request;
use verbs::VerbOutcome;

/// musl's own allocator has one lock for all threads and gives memory back to the kernel at once: simulations took twice the CPU time
/// (docs/decisions/0033-allocator-of-static-builds.md).
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: OutOfMemory<zerohop_host::Heaps> =
    OutOfMemory::ends_with(FAILED as i32, zerohop_host::Heaps::new());

#[cfg(not(target_env = "musl"))]
#[global_allocator]
static ALLOCATOR: OutOfMemory<System> = OutOfMemory::ends_with(FAILED as i32, System);

/// The exit status when the request or the host is at fault; clap's own for what it cannot parse.
const FAILED: u8 = 2;

/// The exit status when the request succeeded, but its results are not good enough to decide.
const UNDECIDED: u8 = 3;

/// The exit status when the request succeeded, but a result is out of bounds.
const MISSED: u8 = 1;

fn main() -> ExitCode {
    match limits::answer() {
        Ok(()) => answer(),
        Err(failure) => {
            terminal::say_failure(&failure);
            ExitCode::from(FAILED)
        }
    }
}

/// Apart from `main`, whose own frame must fit into any stack.
#[inline(never)]
fn answer() -> ExitCode {
    shell::answer();
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if let Err(failure) = secrets::refuse(&words) {
        return failed(&failure);
    }
    let arguments = match Arguments::typed(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(error) => return failed(&command_suggestions::explain(error)),
    };
    if let Err(failure) = output::spares_words(&words) {
        return failed(&failure);
    }
    terminal::choose_colour(arguments.everywhere.color);
    panic_report::install(None);
    if arguments.everywhere.end_with_stdin
        && let Err(failure) = standard_input::end_with_it()
    {
        terminal::say_failure(&failure);
        return ExitCode::from(FAILED);
    }
    match Request::new(arguments).and_then(verbs::perform) {
        Ok(VerbOutcome::Done) => ExitCode::SUCCESS,
        Ok(
            VerbOutcome::NotReproduced
            | VerbOutcome::BelowGate
            | VerbOutcome::NotPlaced
            | VerbOutcome::Damaged
            | VerbOutcome::FaultFound,
        ) => ExitCode::from(MISSED),
        Ok(VerbOutcome::NothingMeasurable | VerbOutcome::Critical) => ExitCode::from(FAILED),
        Ok(VerbOutcome::CannotTell) => ExitCode::from(UNDECIDED),
        Ok(VerbOutcome::Interrupted) => ExitCode::from(signals::INTERRUPTED),
        Err(failure) => failed(&failure),
    }
}

/// Says what went wrong, to the user or to the monitor that asked.
fn failed(failure: &Failure) -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    if verbs::answer_monitor(&words, failure).is_some() {
        return ExitCode::from(UNDECIDED);
    }
    terminal::say_failure(failure);
    ExitCode::from(if signals::has_ended_wait() { signals::INTERRUPTED } else { FAILED })
}

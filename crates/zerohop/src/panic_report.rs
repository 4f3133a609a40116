//! What a user sees when the program meets a bug in itself.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{self, PanicHookInfo};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::terminal;

/// From now on a panic says where to report it and, if there is a result file, that it is kept.
///
/// Nothing needs to be written then: the file on the disk is whole after every experiment.
pub(crate) fn install(result: Option<PathBuf>) {
    panic::set_hook(Box::new(move |panic| {
        terminal::say_failure(&report(panic, result.as_deref()));
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            terminal::say(&backtrace.to_string());
        }
    }));
}

fn report(panic: &PanicHookInfo<'_>, result: Option<&Path>) -> Failure {
    let what = panic.payload_as_str().unwrap_or("unknown panic");
    let place = panic.location().map(|place| format!(" at {place}")).unwrap_or_default();
    describe(what, &place, result)
}

fn describe(what: &str, place: &str, result: Option<&Path>) -> Failure {
    let version = env!("CARGO_PKG_VERSION");
    let kept = result
        .map(|path| format!("; `{}` keeps the experiments that were done", path.display()))
        .unwrap_or_default();
    Failure::new(format_args!("zerohop {version} met a bug in itself: {what}{place}{kept}")).hint(
        "please report it with these lines, RUST_BACKTRACE=1 set, and the output of `zerohop machine capture`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_is_reported_with_its_place_and_the_file_that_is_kept() {
        let failure = describe("index out of bounds", " at src/a.rs:1:2", Some(Path::new("out/result.json")));
        assert!(
            failure.message().ends_with(
                "met a bug in itself: index out of bounds at src/a.rs:1:2; `out/result.json` keeps the experiments \
                 that were done"
            ),
            "{}",
            failure.message()
        );
        assert!(failure.advice().is_some_and(|advice| advice.contains("report")));
    }
}

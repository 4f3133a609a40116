//! What a user sees when the program hits a bug in itself.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::path::{Path, PathBuf};

use zerohop_app::REPORT;

use crate::failure::Failure;
use crate::terminal;

/// From now on a panic message asks for a report and, if there is a result file, says that it is kept.
///
/// Nothing needs to be written at that point: the file on disk is complete after every experiment.
pub(crate) fn install(result: Option<PathBuf>) {
    panic::set_hook(Box::new(move |panic| {
        terminal::say_failure(&report(panic, result.as_deref()));
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            terminal::say(&backtrace.to_string());
        }
    }));
}

/// After this, a panic is not printed but kept for [`caught`]: it ends a part of the work, and not the program.
pub(crate) fn keep() {
    panic::set_hook(Box::new(|panic| {
        let (what, place) = words(panic);
        KEPT.set(Some(bug(what, &place)));
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            terminal::say(&format!("{}\n{backtrace}", bug(what, &place)));
        }
    }));
}

thread_local! {
    /// The message of this thread's last panic, passed from the hook, which alone knows the location, to [`caught`].
    static KEPT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic in transit from the thread that hit it to the one that waits for its work.
#[derive(Debug)]
pub(crate) struct Met(String);

/// The return value of `work`, or the bug that it hit.
///
/// State that `work` was changing must then be discarded, or be valid when half changed.
///
/// # Errors
/// When `work` panics.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Met> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<Met>() {
        Ok(met) => *met,
        Err(payload) => Met(KEPT.take().unwrap_or_else(|| bug(payload_words(payload.as_ref()), ""))),
    })
}

impl Met {
    /// Resumes the panic in this thread. The panic has already been reported or kept.
    pub(crate) fn go_on(self) -> ! {
        panic::resume_unwind(Box::new(self))
    }

    /// The panic's message and location.
    pub(crate) fn message(&self) -> &str {
        &self.0
    }
}

fn payload_words(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown panic")
}

fn report(panic: &PanicHookInfo<'_>, result: Option<&Path>) -> Failure {
    let (what, place) = words(panic);
    describe(what, &place, result)
}

/// A panic's message and location.
fn words<'a>(panic: &'a PanicHookInfo<'_>) -> (&'a str, String) {
    let what = panic.payload_as_str().unwrap_or("unknown panic");
    (what, panic.location().map(|place| format!(" at {place}")).unwrap_or_default())
}

/// The beginning of every bug's message.
const BUG: &str = concat!("zerohop ", env!("CARGO_PKG_VERSION"), " crashed because of a bug: ");

fn bug(what: &str, place: &str) -> String {
    format!("{BUG}{what}{place}")
}

fn describe(what: &str, place: &str, result: Option<&Path>) -> Failure {
    let kept = result
        .map(|path| format!("; `{}` contains the completed experiments", path.display()))
        .unwrap_or_default();
    Failure::new(format_args!("{}{kept}", bug(what, place))).hint(REPORT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_is_reported_with_its_place_and_the_file_that_is_kept() {
        let failure = describe("index out of bounds", " at src/a.rs:1:2", Some(Path::new("out/result.json")));
        assert!(
            failure.message().ends_with(
                "crashed because of a bug: index out of bounds at src/a.rs:1:2; `out/result.json` contains the \
                 completed experiments"
            ),
            "{}",
            failure.message()
        );
        assert!(failure.advice().is_some_and(|advice| advice.contains("report")));
    }

    #[test]
    fn a_bug_is_caught_with_its_words_and_passed_on_as_it_is() {
        assert_eq!(caught(|| 3).unwrap(), 3);
        let met = caught(|| panic!("no {}", "way")).unwrap_err();
        assert!(met.message().contains("crashed because of a bug: no way"), "{}", met.message());
        let message = met.message().to_owned();
        assert_eq!(caught(|| met.go_on()).unwrap_err().message(), message);
    }
}

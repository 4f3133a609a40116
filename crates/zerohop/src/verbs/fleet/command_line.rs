//! The command line of the surveys of a fleet: what is wrong with it is wrong on every node, and said before the first is started.

use std::path::Path;

use clap::Parser;
use zerohop_fleet::{Round, Setup};

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::request::Request;

/// Checks the words that all surveys have in common.
///
/// # Errors
/// When a survey would refuse them.
pub(super) fn check_words(round: &Round, directory: &Path) -> Result<(), Failure> {
    let words = round.program(directory);
    let wrong = |what: &str| {
        Failure::new(format_args!("no node would take the options of its survey: {what}"))
            .hint("options of the survey follow `--`; `zerohop survey --help` lists them")
    };
    let typed = std::iter::once("zerohop").chain(words.iter().skip(1).map(String::as_str));
    let arguments = Arguments::try_parse_from(typed).map_err(|error| match error.use_stderr() {
        true => wrong(reason(&error.to_string())),
        false => wrong("they print help, and measure nothing"),
    })?;
    // Files and machines that they name are on other hosts, unless they run on this one.
    if matches!(round.setup, Setup::Local(_)) {
        Request::new(arguments)?;
    }
    Ok(())
}

/// What clap says is wrong, without how the verb is used.
fn reason(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_start_matches("error: ")
}

//! The command line of the surveys of a fleet: what is wrong with it is wrong on every node, and said before the first is started.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Parser;
use zerohop_launch::{Round, Setup};
use zerohop_result::may_hold_secret;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::request::Request;

/// Checks the words that all surveys have in common.
///
/// # Errors
/// When a survey would refuse them.
pub(super) fn check_words(round: &Round, directory: &Path) -> Result<(), Failure> {
    let words = round.program(directory);
    let is_local = matches!(round.setup, Setup::Local(_));
    let given = if is_local { "--quiet, --on, --solver and --seed" } else { "--quiet" };
    let wrong = |what: &str| {
        Failure::new(format_args!("invalid survey options: {what}")).hint(format!(
            "survey options follow `--`; `zerohop survey --help` lists them; `fleet run` itself sets {given}"
        ))
    };
    let typed = std::iter::once("zerohop").chain(words.iter().skip(1).map(String::as_str));
    let arguments = Arguments::try_parse_from(typed).map_err(|error| match error.use_stderr() {
        true => wrong(reason(&error.to_string())),
        false => wrong("they print help instead of measuring"),
    })?;
    // A record, and the command lines of other programs, which everyone may read, would repeat it.
    let own = round.tasks.iter().flat_map(|task| &task.arguments);
    if words.iter().skip(1).chain(own).any(|word| may_hold_secret(word)) {
        return Err(Failure::new(
            "a survey option may contain a password, which every user on the nodes could read",
        )
        .hint("put the password into ~/.pgpass on the nodes, and give the database without it"));
    }
    // Files and machines that they name are on other hosts, unless they run on this one.
    if !is_local {
        return Ok(());
    }
    Request::new(arguments)?;
    // Faults and settings of single nodes, each kind of node once: what differs is their seed.
    let mut seen = BTreeSet::new();
    for task in &round.tasks {
        let own = || task.arguments.iter().map(String::as_str);
        if !seen.insert(own().take_while(|word| *word != "--seed").collect::<Vec<_>>()) {
            continue;
        }
        let typed = std::iter::once("zerohop").chain(words.iter().skip(1).map(String::as_str)).chain(own());
        let of_node = |what: String| Failure::new(format_args!("{}: {what}", task.name));
        let arguments = Arguments::try_parse_from(typed).map_err(|error| match own().next() {
            // What `fleet run` itself gives was given before.
            Some("--seed") => wrong(reason(&error.to_string())),
            _ => of_node(reason(&error.to_string()).to_owned()),
        })?;
        Request::new(arguments).map_err(|failure| {
            of_node(failure.message().to_owned()).maybe_hint(failure.advice().map(str::to_owned))
        })?;
    }
    Ok(())
}

/// What clap says is wrong, without how the verb is used.
fn reason(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_start_matches("error: ")
}

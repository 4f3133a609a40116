//! `zerohop help`: the help of a verb, or of a value that it takes by name.

use clap::{ColorChoice, Command, CommandFactory};

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::terminal;

/// Prints the `--help` text of these words. A last word that is not a verb may be a value of the verb's first argument:
/// `run hops` prints a summary of `hops`, then `run --help`.
pub(super) fn help(words: &[String]) -> Result<(), Failure> {
    let mut program = Arguments::command().color(ColorChoice::Never);
    program.build();
    let mut verb = &program;
    let mut rest = words;
    while let [word, after @ ..] = rest
        && let Some(next) = verb.find_subcommand(word)
    {
        (verb, rest) = (next, after);
    }
    let mut text = verb.clone().render_long_help().to_string();
    match rest {
        [] => {}
        [word] => {
            let about = named_value(verb, word).ok_or_else(|| no_help(verb, word))?;
            text = format!("{word}: {about}\n\n{text}");
        }
        [_, surplus, ..] => return Err(no_help(verb, surplus)),
    }
    terminal::print(&text)
}

/// The summary of a value of the verb's first argument.
fn named_value(verb: &Command, word: &str) -> Option<String> {
    let first = verb.get_positionals().next()?;
    let value = first.get_possible_values().into_iter().find(|value| value.matches(word, false))?;
    Some(value.get_help()?.to_string())
}

fn no_help(verb: &Command, word: &str) -> Failure {
    let typed = verb.get_bin_name().unwrap_or("zerohop");
    let known = verb.get_subcommands().filter(|one| !one.is_hide_set()).map(|one| one.get_name().to_owned());
    let mut known: Vec<String> = known.collect();
    if known.is_empty()
        && let Some(first) = verb.get_positionals().next()
    {
        known = first.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    }
    let failure = Failure::new(format_args!("no help on `{word}` after `{typed}`"));
    if known.is_empty() {
        return failure.hint(format!("see `{typed} --help`"));
    }
    failure.hint(format!("there is help on {}", known.join(", ")))
}

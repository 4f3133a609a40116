//! `zerohop help`: the help of a verb, of an experiment, or of another value that a verb takes by name.

mod experiment_help;

use clap::{ColorChoice, Command, CommandFactory};
use experiment_help::experiment_help;
use zerohop_app::nearest;

use crate::arguments::{Arguments, fitted};
use crate::failure::Failure;
use crate::terminal;

/// Prints the `--help` text of these words. A last word that is not a verb may be a value of the verb's first argument:
/// `run hops` prints what there is to say about `hops`, `schema result` a summary, then `schema --help`. Where only one verb below knows the word, that verb need not be
/// typed: `hops` is `run hops`, and `show` is `machine show`.
pub(super) fn help(words: &[String]) -> Result<(), Failure> {
    let mut program = fitted(Arguments::command()).color(ColorChoice::Never);
    program.build();
    let (mut verb, mut rest) = below(&program, words);
    if let [word] = rest
        && let topics = topics(verb)
        && topics.iter().all(|topic| topic.name != *word || topic.verb.is_some())
        && let [topic] = *topics.iter().filter(|topic| topic.name == *word).collect::<Vec<_>>()
        && let Some(deeper) = topic.verb
    {
        (verb, rest) = below(deeper, rest);
    }
    let mut text = verb.clone().render_long_help().to_string();
    match rest {
        [] => {}
        [word] if let Some(about) = experiment_help(verb, word) => text = about,
        [word] => {
            let about = named_value(verb, word).ok_or_else(|| no_help(verb, word))?;
            text = format!("{word}: {about}\n\n{text}");
        }
        [_, surplus, ..] => return Err(no_help(verb, surplus)),
    }
    terminal::print(&text)
}

/// Follows words that are verbs below one another; returns the last verb and the words after it.
fn below<'c, 'w>(program: &'c Command, words: &'w [String]) -> (&'c Command, &'w [String]) {
    let (mut verb, mut rest) = (program, words);
    while let [word, after @ ..] = rest
        && let Some(next) = verb.find_subcommand(word)
    {
        (verb, rest) = (next, after);
    }
    (verb, rest)
}

/// Something with help after a verb.
struct Topic<'a> {
    name: String,
    /// The verb in between, if it is that verb's topic.
    verb: Option<&'a Command>,
}

/// What there is help on after `verb`: its verbs and the values of its first argument, and those of its verbs.
fn topics(verb: &Command) -> Vec<Topic<'_>> {
    let own = own_topics(verb).into_iter().map(|name| Topic { name, verb: None });
    let deeper = shown(verb)
        .flat_map(|next| own_topics(next).into_iter().map(move |name| Topic { name, verb: Some(next) }));
    own.chain(deeper).collect()
}

/// The names of a verb's own verbs, and the values of its first argument that have a summary.
fn own_topics(verb: &Command) -> Vec<String> {
    let verbs = shown(verb).map(|one| one.get_name().to_owned());
    let first = verb.get_positionals().next();
    let values = first.into_iter().flat_map(clap::Arg::get_possible_values);
    let explained = values.filter(|value| value.get_help().is_some());
    verbs.chain(explained.map(|value| value.get_name().to_owned())).collect()
}

fn shown(verb: &Command) -> impl Iterator<Item = &Command> {
    verb.get_subcommands().filter(|one| !one.is_hide_set())
}

/// The summary of a value of the verb's first argument.
fn named_value(verb: &Command, word: &str) -> Option<String> {
    let first = verb.get_positionals().next()?;
    let value = first.get_possible_values().into_iter().find(|value| value.matches(word, false))?;
    Some(value.get_help()?.to_string())
}

fn no_help(verb: &Command, word: &str) -> Failure {
    let typed = verb.get_bin_name().unwrap_or("zerohop");
    let failure = Failure::new(format_args!("no help on `{word}` after `{typed}`"));
    let topics = topics(verb);
    let names: Vec<&str> = topics.iter().map(|topic| topic.name.as_str()).collect();
    let own = own_topics(verb);
    // What is near is meant sooner than what lies deeper.
    let near: Vec<&str> = own.iter().map(String::as_str).collect();
    let meant = nearest(word, &near)
        .or_else(|| nearest(word, &names))
        .and_then(|meant| topics.iter().find(|topic| topic.name == meant));
    let own = own.join(", ");
    if let Some(meant) = meant {
        let after = meant.verb.map_or_else(String::new, |verb| format!("{} ", verb.get_name()));
        let path = typed.strip_prefix("zerohop").unwrap_or_default().trim_start();
        let path = if path.is_empty() { String::new() } else { format!("{path} ") };
        let line = format!("zerohop help {path}{after}{}", meant.name);
        let all = if own.is_empty() { String::new() } else { format!(" There is help on {own}") };
        return failure.hint(format!("did you mean `{line}`?{all}"));
    }
    if own.is_empty() {
        return failure.hint(format!("see `{typed} --help`"));
    }
    failure.hint(format!("there is help on {own}"))
}

//! A value that is empty means nothing: it is an unset variable of a script, and would be taken for a default, or for a name.

use std::any::TypeId;
use std::ffi::OsString;

use clap::builder::{StringValueParser, TypedValueParser as _};
use clap::{Arg, Command, CommandFactory, Error, FromArgMatches};

use super::{Arguments, fitted};

impl Arguments {
    /// What was typed, without empty values.
    ///
    /// # Errors
    /// As clap has them.
    pub(crate) fn typed(words: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let mut program = without_empty_values(fitted(Self::command()));
        let matches = program.try_get_matches_from_mut(words)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut program))
    }
}

/// Paths and numbers are never empty anyway.
fn without_empty_values(command: Command) -> Command {
    let with_value = |arg: Arg| {
        if is_text(&arg) { arg.value_parser(StringValueParser::new().try_map(filled)) } else { arg }
    };
    command.mut_args(with_value).mut_subcommands(without_empty_values)
}

/// A text that says something.
fn filled(text: String) -> Result<String, &'static str> {
    if text.is_empty() { Err("the value is empty; is a variable unset?") } else { Ok(text) }
}

/// Whether it takes any text. What follows `--` is for another program, which may want empty words.
fn is_text(arg: &Arg) -> bool {
    arg.get_action().takes_values()
        && arg.get_value_parser().type_id() == TypeId::of::<String>()
        && arg.get_possible_values().is_empty()
        && !arg.is_last_set()
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    fn typed(words: &[String]) -> Result<Arguments, Error> {
        Arguments::typed(words.iter().map(OsString::from))
    }

    /// All options and first words of a verb that take texts, each with nothing for it.
    fn empty_ones(command: &Command, verbs: &[String]) -> Vec<Vec<String>> {
        let texts = command.get_arguments().filter(|arg| is_text(arg));
        let words = texts.filter_map(|arg| match (arg.get_long(), arg.get_index()) {
            (Some(long), _) => Some(format!("--{long}=")),
            (None, Some(1)) => Some(String::new()),
            _ => None,
        });
        let own = words.map(|word| verbs.iter().cloned().chain([word]).collect());
        let below = command.get_subcommands().filter(|verb| verb.get_name() != "help").flat_map(|verb| {
            empty_ones(verb, &verbs.iter().cloned().chain([verb.get_name().to_owned()]).collect::<Vec<_>>())
        });
        own.chain(below).collect()
    }

    /// `--archive ''` took the default archive, and `--of ''` made a machine without a name.
    #[test]
    fn no_text_is_empty() {
        let mut program = Arguments::command();
        program.build();
        let all = empty_ones(&program, &["zerohop".to_owned()]);
        assert!(all.len() > 40, "{}", all.len());
        for words in &all {
            let error = typed(words).err().unwrap_or_else(|| panic!("{words:?}"));
            assert_eq!(error.kind(), ErrorKind::ValueValidation, "{words:?}: {error}");
        }
        for words in [["archive", "list", "--archive", ""], ["archive", "add", "a", "--of="]] {
            let words: Vec<String> = ["zerohop"].iter().chain(&words).map(|&word| word.to_owned()).collect();
            assert!(
                typed(&words).unwrap_err().to_string().contains("the value is empty; is a variable unset?"),
                "{words:?}"
            );
        }
        let words = ["zerohop", "where", "--", "echo", ""].map(str::to_owned);
        assert!(typed(&words).is_ok());
    }
}

//! What a shell offers after TAB. A shell asks the program itself, which knows its machines, studies and experiments: the script
//! that `zerohop completions` prints does no more than ask.

use std::ffi::OsStr;

use clap::CommandFactory;
use clap_complete::CompleteEnv;
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::Shells;
use zerohop_experiment::ExperimentName;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::library;

/// Set by the scripts when they ask. Not `COMPLETE`, clap's default: a user may have that for something else.
const VARIABLE: &str = "ZEROHOP_COMPLETE";

const PROGRAM: &str = "zerohop";

/// Answers a shell that asks for completions, and ends the program; returns at once where none asks.
pub(crate) fn answer_shell() {
    CompleteEnv::with_factory(Arguments::command).var(VARIABLE).bin(PROGRAM).completer(PROGRAM).complete();
}

/// The script that makes a shell ask.
///
/// # Errors
/// When there is none for that shell.
pub(crate) fn script(shell: Shell) -> Result<String, Failure> {
    let shells = Shells::builtins();
    let completer = shells
        .completer(&shell.to_string())
        .ok_or_else(|| Failure::new(format_args!("no completions for {shell}")))?;
    let mut script = Vec::new();
    completer
        .write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)
        .map_err(|error| Failure::new(format_args!("cannot write the script for {shell}: {error}")))?;
    let mut script = String::from_utf8_lossy(&script).trim().to_owned();
    if shell == Shell::Zsh {
        // A file in zsh's `fpath` is loaded by the first TAB, which would otherwise offer nothing.
        script.push_str(
            "\n\nif [ \"$funcstack[1]\" = \"_zerohop\" ]; then\n    _clap_dynamic_completer_zerohop \"$@\"\nfi",
        );
    }
    script.push('\n');
    Ok(script)
}

/// Machines that can be simulated, by name or by file.
pub(crate) fn simulated_machines() -> ArgValueCompleter {
    names_and_files(library::machine_names, &["toml"])
}

/// Machines that can be shown, by name or by file.
pub(crate) fn shown_machines() -> ArgValueCompleter {
    names_and_files(library::machine_names, &["toml", "xml", "json"])
}

/// Studies, by name or by file.
pub(crate) fn studies() -> ArgValueCompleter {
    names_and_files(library::study_names, &["toml"])
}

/// Experiments as `sweep` takes them: the last of a list with commas between, too.
pub(crate) fn experiment_lists() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let Some(typed) = typed.to_str() else { return Vec::new() };
        let before = typed.rfind(',').map_or("", |comma| &typed[..=comma]);
        let names = ExperimentName::ALL.into_iter().map(|(_, name, _)| format!("{before}{name}"));
        names.filter(|name| name.starts_with(typed)).map(CompletionCandidate::new).collect()
    })
}

/// Verbs, and what they take by name, for `zerohop help`.
pub(crate) fn helped() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let program = Arguments::command();
        let verbs =
            program.get_subcommands().flat_map(|verb| std::iter::once(verb).chain(verb.get_subcommands()));
        let verbs = verbs.filter(|verb| !verb.is_hide_set()).map(|verb| verb.get_name().to_owned());
        let experiments = ExperimentName::ALL.into_iter().map(|(_, name, _)| name.to_owned());
        let begins = |name: &String| typed.to_str().is_some_and(|typed| name.starts_with(typed));
        verbs.chain(experiments).filter(begins).map(CompletionCandidate::new).collect()
    })
}

/// The names that begin with what was typed, then the files and folders that do.
fn names_and_files<N>(names: fn() -> N, endings: &'static [&'static str]) -> ArgValueCompleter
where
    N: Iterator<Item = &'static str> + 'static,
{
    let files = PathCompleter::any().filter(|path| {
        path.extension().and_then(OsStr::to_str).is_some_and(|ending| endings.contains(&ending))
    });
    ArgValueCompleter::new(move |typed: &OsStr| {
        let known = names().filter(|name| typed.to_str().is_some_and(|typed| name.starts_with(typed)));
        known.map(CompletionCandidate::new).chain(files.complete(typed)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(completer: &ArgValueCompleter, typed: &str) -> Vec<String> {
        let candidates = completer.complete(OsStr::new(typed));
        candidates.iter().map(|one| one.get_value().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn machines_and_studies_are_offered_by_name() {
        assert_eq!(offered(&simulated_machines(), "quar"), ["quartet"]);
        assert_eq!(offered(&studies(), "amd-"), ["amd-40555"]);
    }

    #[test]
    fn the_last_experiment_of_a_list_is_completed() {
        assert_eq!(offered(&experiment_lists(), "cross"), ["crossfire"]);
        assert_eq!(offered(&experiment_lists(), "hops,cross"), ["hops,crossfire"]);
    }
}

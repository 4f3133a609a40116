//! Completion candidates for arguments that take a name or a file.

use std::ffi::OsStr;

use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use zerohop_app::built_in;
use zerohop_experiment::catalogue;

/// Machines that can be simulated, by name or by file.
pub(crate) fn simulated_machines() -> ArgValueCompleter {
    names_and_files(described, &["toml"])
}

/// Machines that can be shown, by name or by file.
pub(crate) fn shown_machines() -> ArgValueCompleter {
    names_and_files(described, &["toml", "xml", "json"])
}

fn described() -> impl Iterator<Item = &'static str> {
    built_in::machine_names().chain(built_in::template_names())
}

/// Templates, by name or by file.
pub(crate) fn templates() -> ArgValueCompleter {
    names_and_files(built_in::template_names, &["toml"])
}

/// Studies, by name or by file.
pub(crate) fn studies() -> ArgValueCompleter {
    names_and_files(built_in::study_names, &["toml"])
}

/// Experiments as `sweep` takes them; completes the last item of a comma-separated list.
pub(crate) fn experiment_lists() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let Some(typed) = typed.to_str() else { return Vec::new() };
        let before = typed.rfind(',').map_or("", |comma| &typed[..=comma]);
        let names = catalogue().all().map(|known| format!("{before}{}", known.name));
        names.filter(|name| name.starts_with(typed)).map(CompletionCandidate::new).collect()
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

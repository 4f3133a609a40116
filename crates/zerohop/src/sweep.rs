//! The question of a sweep, checked against its machine.

use std::collections::BTreeMap;
use std::path::Path;

use zerohop_campaign::Run;
use zerohop_insight::{Dimension, Points, Selection, Sweep, SweepElement, SweepFile, SweepRun};
use zerohop_machine::{MachineFile, MachineFileError, Setting, Settings};

use crate::built_in::is_file;
use crate::command;
use crate::failure::Failure;
use crate::file_kind::{FileKind, mistaken};
use crate::library;
use crate::models::reason;
use crate::text_file::read_text;

/// A sweep's question that has passed every check possible in advance.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) sweep: Sweep,
    pub(crate) machine_file: MachineFile,
    /// The sweep's runs, in the form of requests.
    pub(crate) runs: Vec<Run>,
}

impl Asked {
    /// From the command line.
    ///
    /// # Errors
    /// When the arguments make no sweep, or name something that the machine does not have.
    pub(crate) fn of_arguments(
        machine: String,
        set: Vec<Dimension>,
        experiments: &[String],
        measures: &[String],
    ) -> Result<Self, Failure> {
        let points = Points::grid(set)
            .map_err(|error| Failure::new(&error).hint("give --set fewer values, or each name once"))?;
        let runs = runs(experiments);
        let measures = measures.iter().map(|words| selection(words, &runs)).collect::<Result<_, _>>()?;
        Self::checked(Sweep { machine, points, runs, measures, faults: Vec::new() }, None)
    }

    /// From a sweep file.
    ///
    /// # Errors
    /// When the file is not a sweep, or names something that the machine does not have.
    pub(crate) fn of_file(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        const HINT: &str =
            "name a sweep file: docs/sweep.md shows one, `zerohop schema sweep` prints its schema";
        let text = read_text(path, HINT)?;
        if text.trim().is_empty() {
            return Err(Failure::new(format_args!("`{name}` is not a sweep file: it is empty")).hint(HINT));
        }
        let file = SweepFile::parse(&name, &text).map_err(|problem| {
            let other = FileKind::of(path) != Some(FileKind::Sweep);
            let other = other.then(|| mistaken(path, FileKind::Sweep.name(), HINT)).flatten();
            other.unwrap_or_else(|| Failure::new(problem))
        })?;
        let mut sweep = file.sweep.clone();
        if is_file(&sweep.machine) {
            let beside = path.parent().unwrap_or(Path::new("")).join(&sweep.machine);
            sweep.machine = beside.display().to_string();
        }
        Self::checked(sweep, Some(&file))
    }

    /// Checks what depends on the machine and the experiments.
    fn checked(sweep: Sweep, file: Option<&SweepFile>) -> Result<Self, Failure> {
        // The location in the file, if it comes from one.
        let shown = |part: SweepElement<'_>, failure: Failure| match file {
            None => failure,
            Some(file) => Failure::new(file.problem(part, failure.message()))
                .maybe_hint(failure.advice().map(str::to_owned)),
        };
        let machine_file = library::machine_file(&sweep.machine)?;
        check_settings(&machine_file, &sweep.points)
            .map_err(|(setting, error)| shown(SweepElement::Setting(&setting), said(&error)))?;
        let runs = sweep.runs.iter().enumerate().map(|(rank, run)| {
            command::parse(&run.command).map_err(|failure| shown(SweepElement::Run(rank), failure))
        });
        let runs = runs.collect::<Result<_, _>>()?;
        Ok(Self { sweep, machine_file, runs })
    }
}

/// Experiments as given: comma-separated names, or one with its options.
fn runs(experiments: &[String]) -> Vec<SweepRun> {
    let mut runs: Vec<SweepRun> = Vec::new();
    for given in experiments {
        let has_options = given.trim().contains(char::is_whitespace);
        let commands = if has_options { vec![given.as_str()] } else { given.split(',').collect() };
        for command in commands.into_iter().map(str::trim) {
            let experiment = command.split_whitespace().next().unwrap_or_default();
            let taken = |name: &str| runs.iter().any(|run: &SweepRun| run.name == name);
            let others = (2..).map(|rank| format!("{experiment}-{rank}"));
            let mut names = std::iter::once(experiment.to_owned()).chain(others);
            let name = names.find(|name| !taken(name)).unwrap_or_default();
            runs.push(SweepRun { name, command: command.to_owned() });
        }
    }
    runs
}

fn selection(words: &str, runs: &[SweepRun]) -> Result<Selection, Failure> {
    let split = shlex::split(words)
        .ok_or_else(|| Failure::new(format_args!("`{words}`: unclosed quotation mark")))?;
    Selection::parse(&split, runs).map_err(|error| {
        Failure::new(format_args!("`{words}` is not a measure: {error}"))
            .hint("write, for example, `stream bandwidth initiator=all kernel=triad`")
    })
}

/// Most values of one setting that are checked before anything is computed: there may be thousands, and each check
/// parses the file again.
const CHECKED: usize = 16;

/// Checks that options have these values, that numeric settings exist and accept theirs, and that not all values of a
/// setting contradict the rest of the file. A single value that does makes its point fail, while the others are
/// computed.
fn check_settings(file: &MachineFile, points: &Points) -> Result<(), (Setting, MachineFileError)> {
    let options = file.options();
    let mut paths: BTreeMap<String, usize> = BTreeMap::new();
    // By name, the first value that contradicts the file; `None` if another value does not.
    let mut contradictions: BTreeMap<String, Option<(Setting, MachineFileError)>> = BTreeMap::new();
    for setting in points.distinct() {
        let known = options.iter().find(|option| option.name == setting.name);
        if known.is_some_and(|option| option.values.contains(&setting.value)) {
            continue;
        }
        if known.is_none() {
            let checked = paths.entry(setting.name.clone()).or_default();
            *checked += 1;
            if *checked > CHECKED {
                continue;
            }
        }
        // A value may exist only with a certain option: the first point chooses it.
        let alone = Settings::none().with(setting.clone());
        let first = (0..points.count())
            .map(|point| points.settings(point))
            .find(|settings| settings.iter().any(|one| *one == setting));
        let tried: Vec<Settings> = [Some(alone), first].into_iter().flatten().collect();
        let read: Vec<_> = tried.iter().map(|settings| file.set(settings)).collect();
        let is_wrong = |error: &MachineFileError| !error.is_refusal();
        let unread: Vec<_> = read.iter().filter_map(|read| read.as_ref().err()).collect();
        if unread.len() == tried.len() && unread.iter().all(|error| is_wrong(error)) {
            return Err((setting, unread[0].clone()));
        }
        let resolved = read.into_iter().map(|read| read?.hardware().map(drop));
        let wrong: Vec<_> = resolved.filter_map(Result::err).filter(is_wrong).collect();
        let of_name = contradictions.entry(setting.name.clone());
        if wrong.len() < tried.len() {
            of_name.insert_entry(None);
        } else if let Some(error) = wrong.into_iter().next() {
            of_name.or_insert(Some((setting, error)));
        }
    }
    contradictions.into_values().flatten().next().map_or(Ok(()), Err)
}

/// What is wrong, in one line, and what to do about it.
fn said(error: &MachineFileError) -> Failure {
    match error.problems() {
        [problem] => Failure::new(&problem.message).maybe_hint(problem.hint.clone()),
        _ => Failure::new(reason(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiments_have_names_of_their_own() {
        let given = ["stream,hops", "ramp --initiators 0,1 --target 3", "stream --kernel triad"];
        let runs = runs(&given.map(str::to_owned));
        let named: Vec<_> = runs.iter().map(|run| (run.name.as_str(), run.command.as_str())).collect();
        assert_eq!(
            named,
            [
                ("stream", "stream"),
                ("hops", "hops"),
                ("ramp", "ramp --initiators 0,1 --target 3"),
                ("stream-2", "stream --kernel triad"),
            ]
        );
    }
}

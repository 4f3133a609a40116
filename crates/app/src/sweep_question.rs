//! The question of a sweep, checked against its machine.

use std::collections::BTreeMap;
use std::path::Path;

use zerohop_document::TextProblem;
use zerohop_experiment::campaign::Run;
use zerohop_machine::{Setting, Settings};
use zerohop_machine_file::{MachineFile, MachineFileError};
use zerohop_study::{
    Dimension, ParseSelectionError, Points, PointsError, Question, Selection, Sweep, SweepElement, SweepFile,
    SweepFileError, SweepRun,
};

use crate::built_in::is_file;
use crate::commands::{CommandError, Commands};
use crate::file_kind::{FileKind, Mistaken};
use crate::files::{FileError, Files};
use crate::hint::Hinted;
use crate::library::{self, LibraryError};
use crate::models::reason;
use crate::templates;

/// A sweep's question that has passed every check possible in advance.
#[derive(Debug)]
pub struct CheckedSweep {
    pub sweep: Sweep,
    /// The file of its machine.
    pub machine_file: MachineFile,
    /// The sweep's runs, in the form of requests.
    pub runs: Vec<Run>,
}

impl CheckedSweep {
    /// From the command line.
    ///
    /// # Errors
    /// When the arguments make no sweep, or name something that the machine does not have.
    pub fn of_arguments(
        machine: String,
        set: Vec<Dimension>,
        experiments: &[String],
        measures: &[String],
        from: &Sources<'_>,
    ) -> Result<Self, AskedError> {
        let points = Points::grid(set)?;
        let runs = runs(experiments);
        let measures = measures.iter().map(|words| selection(words, &runs)).collect::<Result<_, _>>()?;
        Self::checked(Sweep { machine, points, runs, measures, faults: Vec::new() }, None, from)
    }

    /// From a sweep file.
    ///
    /// # Errors
    /// When the file is not a sweep, or names something that the machine does not have.
    pub fn of_file(path: &Path, from: &Sources<'_>) -> Result<Self, AskedError> {
        let (name, files) = (path.display().to_string(), from.files);
        let text = files.read_text(path, HINT)?;
        if text.trim().is_empty() {
            return Err(AskedError::Empty { file: name });
        }
        let file = SweepFile::parse(&name, &text).map_err(|error| {
            let mistaken = Mistaken::of_text(path, &text, FileKind::Sweep, HINT);
            mistaken.map_or_else(|| AskedError::Wrong(error), Into::into)
        })?;
        let mut sweep = file.sweep.clone();
        if is_file(&sweep.machine) {
            let beside = path.parent().unwrap_or(Path::new("")).join(&sweep.machine);
            sweep.machine = beside.display().to_string();
        }
        Self::checked(sweep, Some(&file), from)
    }

    /// Question that another process has already checked, with the text of its machine file.
    ///
    /// # Errors
    /// If this version reads it in another way.
    pub fn of_question(
        question: &Question,
        machine_file: &str,
        commands: &dyn Commands,
    ) -> Result<Self, AskedError> {
        let sweep = question.sweep.clone();
        // What can be stated of a template is not in the text of a machine that it made.
        let machine_file = match templates::machine_file(&sweep.machine) {
            Some(made) => made.map_err(LibraryError::from)?,
            None => MachineFile::parse(&sweep.machine, machine_file, &()).map_err(AskedError::Setting)?,
        };
        let runs = sweep.runs.iter().map(|run| commands.run(&run.command)).collect::<Result<_, _>>()?;
        Ok(Self { sweep, machine_file, runs })
    }

    /// Checks what depends on the machine and the experiments.
    fn checked(sweep: Sweep, file: Option<&SweepFile>, from: &Sources<'_>) -> Result<Self, AskedError> {
        // The location in the file, if it comes from one.
        let shown = |part: SweepElement<'_>, error: AskedError| match file {
            None => error,
            Some(file) => {
                let problem = Box::new(file.problem(part, &error.to_string()));
                AskedError::Part { problem, hint: error.hint() }
            }
        };
        let machine_file = library::machine_file(&sweep.machine, from.files)?;
        check_settings(&machine_file, &sweep.points)
            .map_err(|(setting, error)| shown(SweepElement::Setting(&setting), AskedError::Setting(error)))?;
        let runs = sweep.runs.iter().enumerate().map(|(rank, run)| {
            from.commands.run(&run.command).map_err(|error| shown(SweepElement::Run(rank), error.into()))
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

fn selection(words: &str, runs: &[SweepRun]) -> Result<Selection, AskedError> {
    let split = shlex::split(words).ok_or_else(|| AskedError::Unclosed { words: words.to_owned() })?;
    Selection::parse(&split, runs).map_err(|error| AskedError::NoMeasure { words: words.to_owned(), error })
}

/// Most values of one setting that are checked before anything is computed: there may be thousands, and each check
/// parses the file again.
const CHECKED: usize = 16;

/// Checks that options and numeric settings exist, that options have at least one of their values and numeric settings accept theirs, and that not
/// all values of a setting contradict the rest of the file. A single value that does makes its point fail, while the others are
/// computed.
fn check_settings(file: &MachineFile, points: &Points) -> Result<(), (Setting, MachineFileError)> {
    let options = file.options();
    let mut paths: BTreeMap<String, usize> = BTreeMap::new();
    // By name, the first value that contradicts the file; `None` if another value does not.
    let mut contradictions: BTreeMap<String, Option<(Setting, MachineFileError)>> = BTreeMap::new();
    for setting in points.distinct() {
        let known = options.iter().find(|option| option.name == setting.name);
        if known.is_some_and(|option| option.values.contains(&setting.value)) {
            contradictions.insert(setting.name, None);
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
            let error = unread[0].clone();
            // A value that an option does not have costs its own points, unless it is a slip of the fingers.
            let is_meant = |problem: &TextProblem| {
                problem.hint.as_deref().is_none_or(|hint| !hint.starts_with("did you mean"))
            };
            if known.is_some() && error.problems().iter().all(is_meant) {
                contradictions.entry(setting.name.clone()).or_insert(Some((setting, error)));
                continue;
            }
            return Err((setting, error));
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

/// What to name instead of a file that is no sweep.
const HINT: &str = "give a sweep file: docs/sweep.md shows one, `zerohop schema sweep` prints its schema";

/// Source of the files that a sweep names, and reader of its experiments.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub files: &'a dyn Files,
    pub commands: &'a dyn Commands,
}

/// Reason why there is no question.
#[derive(Debug, thiserror::Error)]
pub enum AskedError {
    /// The sweep file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The sweep file is of another kind.
    #[error(transparent)]
    Mistaken(#[from] Mistaken),
    /// The sweep file is wrong.
    #[error(transparent)]
    Wrong(SweepFileError),
    /// The sweep file is empty.
    #[error("`{file}` is not a sweep file: it is empty")]
    Empty { file: String },
    /// A part of the sweep file does not suit the machine, or is no experiment.
    #[error("{problem}")]
    Part {
        /// Location and description of the problem in the file.
        problem: Box<TextProblem>,
        /// Hint for the user, if there is one.
        hint: Option<String>,
    },
    /// The settings make no points.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// There is no machine of that name.
    #[error(transparent)]
    Machine(#[from] LibraryError),
    /// The machine does not allow a setting.
    #[error("{}", in_one_line(.0))]
    Setting(MachineFileError),
    /// A command is no experiment.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A quotation mark is not closed.
    #[error("`{words}`: unclosed quotation mark")]
    Unclosed { words: String },
    /// Words are no measure.
    #[error("`{words}` is not a measure: {error}")]
    NoMeasure {
        words: String,
        /// Description of the problem.
        error: ParseSelectionError,
    },
}

impl Hinted for AskedError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Mistaken(error) => error.hint(),
            Self::Wrong(_) | Self::Unclosed { .. } => None,
            Self::Empty { .. } => Some(HINT.to_owned()),
            Self::Part { hint, .. } => hint.clone(),
            Self::Points(_) => Some("use fewer values with --set, or each name once".to_owned()),
            Self::Machine(error) => error.hint(),
            Self::Setting(error) => match error.problems() {
                [problem] => problem.hint.clone(),
                _ => None,
            },
            Self::Command(error) => error.hint(),
            Self::NoMeasure { .. } => {
                Some("use, for example, `stream bandwidth initiator=all kernel=triad`".to_owned())
            }
        }
    }
}

/// What is wrong with a machine file, in one line.
fn in_one_line(error: &MachineFileError) -> String {
    match error.problems() {
        [problem] => problem.message.clone(),
        _ => reason(error),
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

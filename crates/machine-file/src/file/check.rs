//! Tries combinations of options, to find mistakes that only some of them reveal.

use zerohop_document::TextProblem;

use super::choose::SET_FILE;
use super::options::{Options, alone};
use super::{MachineFile, MachineFileError};
use zerohop_machine::{Setting, Settings};

/// With more combinations than this, only single values and pairs of values are tried.
const ALL: usize = 2000;

/// The outcome of trying a file's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Combinations {
    /// Combinations that describe a machine.
    pub sound: usize,
    /// Combinations that the file refuses.
    pub refused: usize,
    /// Whether these are all combinations; otherwise, at most two options at a time had a value other than the default.
    pub all: bool,
}

impl MachineFile {
    /// Tries all combinations of options or, if there are thousands, all pairs of values.
    ///
    /// # Errors
    /// When a combination that the file does not refuse does not describe a machine, or every combination with some value
    /// is refused.
    pub fn check(&self) -> Result<Combinations, MachineFileError> {
        let count = self.options.options.iter().try_fold(1usize, |count, option| {
            count.checked_mul(option.value.values.names.len()).filter(|&count| count <= ALL)
        });
        let mut tried = if count.is_some() { every(&self.options) } else { pairs(&self.options) };
        // A problem of one choice is reported for that choice only, not for the pairs that contain it.
        tried.sort_by_key(|settings| settings.iter().count());
        let mut found = Combinations { sound: 0, refused: 0, all: count.is_some() };
        let mut problems: Vec<TextProblem> = Vec::new();
        let mut accepted: Vec<Setting> = Vec::new();
        for settings in &tried {
            match self.set(settings).and_then(|file| file.hardware()) {
                Ok(_) => found.sound += 1,
                Err(error) if error.is_refusal() => {
                    found.refused += 1;
                    continue;
                }
                Err(error) => {
                    for problem in error.problems() {
                        if !problems.iter().any(|known| is_same(known, problem)) {
                            problems.push(of_settings(problem, settings));
                        }
                    }
                }
            }
            accepted.extend(
                settings.iter().filter(|setting| !accepted.contains(setting)).cloned().collect::<Vec<_>>(),
            );
        }
        problems.extend(self.idle(&accepted));
        if problems.is_empty() { Ok(found) } else { Err(MachineFileError::listing(problems)) }
    }

    /// Values that occur only in combinations that are refused.
    fn idle(&self, accepted: &[Setting]) -> Vec<TextProblem> {
        let mut problems = self.files.without_problems();
        for option in &self.options.options {
            let others = option.value.values.names.iter();
            for value in others.filter(|value| value.text != option.value.default.text) {
                if !accepted.contains(&Setting::new(&option.name, &value.text)) {
                    let message = format!("`{}` can never be `{}`", option.name, value.text);
                    problems.add_with_hint(value.place, message, "all combinations with it are rejected");
                }
            }
        }
        problems.into_list()
    }
}

/// Whether the problems differ only in the choices that they name.
fn is_same(known: &TextProblem, problem: &TextProblem) -> bool {
    known.line == problem.line && known.message.starts_with(&problem.message)
}

impl MachineFileError {
    /// Copy of the error for a file that was read with these settings: problems in the file itself name the settings. A refusal names them anyway.
    #[must_use]
    pub fn of_settings(&self, settings: &Settings) -> Self {
        if self.is_refusal() {
            return self.clone();
        }
        let shown = |problem: &TextProblem| match problem.file == SET_FILE {
            true => as_typed(problem),
            false => of_settings(problem, settings),
        };
        self.reworded(self.problems().iter().map(shown).collect())
    }
}

/// A problem of a value that was typed on a command line, where nobody writes the quotation marks of TOML.
fn as_typed(problem: &TextProblem) -> TextProblem {
    const EXAMPLE: &str = "write, for example, `\"";
    let mut typed = problem.clone();
    typed.message = problem.message.replace("must be a string with a unit, not", "needs a unit, and this is");
    let example = problem.hint.as_deref().and_then(|hint| hint.strip_prefix(EXAMPLE)?.strip_suffix("\"`"));
    if let Some(example) = example {
        // A blank would need the quotation marks of a shell.
        typed.hint = Some(format!("write, for example, `{}`", example.replace(' ', "")));
    }
    typed
}

fn of_settings(problem: &TextProblem, settings: &Settings) -> TextProblem {
    let mut named = problem.clone();
    if !settings.is_empty() {
        named.message = format!("{} (with {settings})", problem.message);
        named.hint.get_or_insert_with(|| {
            "also set the option that it conflicts with, or choose another value".to_owned()
        });
    }
    named
}

/// No choice, each value alone, and each pair of values of different options. Defaults are left out.
fn pairs(options: &Options) -> Vec<Settings> {
    let alone = alone(options);
    let mut list = vec![Settings::none()];
    for (rank, one) in alone.iter().enumerate() {
        list.push(one.clone());
        for other in &alone[rank + 1..] {
            let both = other.iter().cloned().fold(one.clone(), Settings::with);
            // Two values of one option exclude each other.
            if both.iter().count() == 2 {
                list.push(both);
            }
        }
    }
    list
}

fn every(options: &Options) -> Vec<Settings> {
    options.options.iter().fold(vec![Settings::none()], |list, option| {
        list.into_iter()
            .flat_map(|settings| {
                option.value.values().map(move |value| match value == option.value.default.text {
                    true => settings.clone(),
                    false => settings.clone().with(Setting::new(&option.name, value)),
                })
            })
            .collect()
    })
}

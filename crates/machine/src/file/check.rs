//! Trying what can be chosen, so that a mistake shows that only some choices bring out.

use zerohop_document::TextProblem;

use super::choose::SET_FILE;
use super::options::{Options, alone};
use super::settings::{Setting, Settings};
use super::{MachineFile, MachineFileError};

/// With more combinations than this, each value is tried alone and with each value of one other option.
const ALL: usize = 2000;

/// What became of the combinations of a file's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Combinations {
    /// Those that describe a machine.
    pub sound: usize,
    /// Those that the file refuses.
    pub refused: usize,
    /// Whether these are all; otherwise no more than two options at a time were not at their default.
    pub all: bool,
}

impl MachineFile {
    /// Tries all combinations of options, or, where there are thousands, every two values together.
    ///
    /// # Errors
    /// When a combination that the file does not refuse describes no machine, or a value goes with nothing.
    pub fn check(&self) -> Result<Combinations, MachineFileError> {
        let count = self.options.options.iter().try_fold(1usize, |count, option| {
            count.checked_mul(option.value.values.names.len()).filter(|&count| count <= ALL)
        });
        let mut tried = if count.is_some() { every(&self.options) } else { pairs(&self.options) };
        // What is wrong with one choice is told of it, and not of another that comes with it.
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

    /// Values that every combination with them refuses.
    fn idle(&self, accepted: &[Setting]) -> Vec<TextProblem> {
        let mut problems = self.files.without_problems();
        for option in &self.options.options {
            let others = option.value.values.names.iter();
            for value in others.filter(|value| value.text != option.value.default.text) {
                if !accepted.contains(&Setting::new(&option.name, &value.text)) {
                    let message = format!("`{}` can never be `{}`", option.name, value.text);
                    problems.add_with_hint(value.place, message, "something refuses all that goes with it");
                }
            }
        }
        problems.into_list()
    }
}

/// Whether the problems are the same but for what was chosen.
fn is_same(known: &TextProblem, problem: &TextProblem) -> bool {
    known.line == problem.line && known.message.starts_with(&problem.message)
}

impl MachineFileError {
    /// The same, where the file was read with these settings: a problem that stands in the file, and not in what was set,
    /// names them. A refusal does so by itself.
    #[must_use]
    pub fn of_settings(&self, settings: &Settings) -> Self {
        if self.is_refusal() {
            return self.clone();
        }
        let shown = |problem: &TextProblem| match problem.file == SET_FILE {
            true => problem.clone(),
            false => of_settings(problem, settings),
        };
        self.reworded(self.problems().iter().map(shown).collect())
    }
}

fn of_settings(problem: &TextProblem, settings: &Settings) -> TextProblem {
    let mut named = problem.clone();
    if !settings.is_empty() {
        named.message = format!("{} (with {settings})", problem.message);
        named.hint.get_or_insert_with(|| "set what it contradicts as well, or another value".to_owned());
    }
    named
}

/// Nothing, each value alone, and each two of different options. A value's default is left out.
fn pairs(options: &Options) -> Vec<Settings> {
    let alone = alone(options);
    let mut list = vec![Settings::none()];
    for (rank, one) in alone.iter().enumerate() {
        list.push(one.clone());
        for other in &alone[rank + 1..] {
            let both = other.iter().cloned().fold(one.clone(), Settings::with);
            // Two values of one option are no pair.
            if both.iter().count() == 2 {
                list.push(both);
            }
        }
    }
    list
}

/// All combinations.
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

//! Unknown names of machines and studies, with suggestions.

use std::path::Path;

use crate::built_in;
use crate::file_kind::{FileKind, Mistaken};
use crate::files::{Entry, Files};
use crate::hint::Hinted;

/// Something with a name or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// A machine that can be simulated.
    Machine,
    /// A study of published figures.
    Study,
}

impl NameKind {
    const fn word(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Study => "study",
        }
    }

    const fn file(self) -> FileKind {
        match self {
            Self::Machine => FileKind::MachineFile,
            Self::Study => FileKind::Study,
        }
    }

    fn known(self) -> Vec<&'static str> {
        match self {
            Self::Machine => built_in::machine_names().collect(),
            Self::Study => built_in::study_names().collect(),
        }
    }

    /// The template most similar to a machine's name.
    fn template(self, name: &str) -> Option<&'static str> {
        match self {
            Self::Machine => nearest(name, &built_in::template_names().collect::<Vec<_>>()),
            Self::Study => None,
        }
    }

    /// What else has a name of that kind.
    const fn others(self) -> &'static str {
        match self {
            Self::Machine => ", the templates of `zerohop machine templates`, and processor names",
            Self::Study => "",
        }
    }

    /// A hint at the verb for the other kind, if the name is of that kind.
    fn of_the_other_kind(self, name: &str) -> Option<String> {
        match self {
            Self::Machine => built_in::study_names()
                .any(|study| study == name)
                .then(|| format!("it is a study: `zerohop reproduce {name}`")),
            Self::Study => built_in::machine_names()
                .any(|machine| machine == name)
                .then(|| format!("it is a machine; `zerohop reproduce --list` lists its studies, `zerohop machine show {name}` shows it")),
        }
    }
}

/// A name that nothing has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownName {
    /// It is that of a file of another kind.
    #[error(transparent)]
    Mistaken(#[from] Mistaken),
    /// Nothing is called so.
    #[error("no {} `{name}`", what.word())]
    Unknown {
        what: NameKind,
        name: String,
        /// Suggestion.
        meant: String,
    },
}

impl Hinted for UnknownName {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Mistaken(error) => error.hint(),
            Self::Unknown { meant, .. } => Some(meant.clone()),
        }
    }
}

/// Error for an unknown name, with a suggestion.
pub(crate) fn unknown(what: NameKind, name: &str, files: &dyn Files) -> UnknownName {
    let path = Path::new(name);
    let entry = files.entry(path);
    let (is_file, is_directory) = (entry == Some(Entry::File), entry == Some(Entry::Directory));
    let known = what.known();
    let are = format!("there are {}", known.join(", "));
    // In a directory, the result of a survey counts.
    let kind = (is_file || is_directory).then(|| FileKind::of(path, files)).flatten();
    if let Some(kind) = kind.filter(|kind| *kind != what.file()) {
        let instead = format!("name a {}: {are}", what.word());
        return Mistaken::new(path, kind, what.file().name(), &instead).into();
    }
    let meant = if let Some(other) = what.of_the_other_kind(name) {
        other
    } else if is_file {
        format!("to use the file of that name, write `./{name}`")
    } else if is_directory {
        format!("`{name}` is a directory; {are}")
    } else if let Some(meant) = nearest(name, &known) {
        format!("did you mean `{meant}`? There are {}", known.join(", "))
    } else if let Some(meant) = what.template(name) {
        format!("did you mean the template `{meant}`? `zerohop machine templates` lists all of them")
    } else {
        format!("{are}{}; the name of a file contains `/` or ends in `.toml`", what.others())
    };
    UnknownName::Unknown { what, name: name.to_owned(), meant }
}

/// The known name most similar to the one typed, if any is similar.
pub fn nearest<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    // Below this, names have next to nothing in common; clap uses the same limit for its suggestions.
    const ALIKE: f64 = 0.7;
    // Letter case and the sign between words are typed in every way.
    let plain = |name: &str| name.to_lowercase().replace([' ', '_'], "-");
    let typed = plain(typed);
    let similarity = |known: &str| strsim::jaro_winkler(&plain(known), &typed);
    // Of equally similar ones, the first.
    let nearest =
        known.iter().rev().copied().max_by(|one, other| similarity(one).total_cmp(&similarity(other)));
    nearest.filter(|nearest| similarity(nearest) > ALIKE)
}

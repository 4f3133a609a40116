//! A directory that is named as a result but holds none: its actual content, and a hint.

use std::path::{Path, PathBuf};

use crate::file_kind::IN_DIRECTORY;
use crate::files::{Entry, Files};
use crate::hint::Hinted;

/// A directory without a result of its own.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is {}", folder.display(), holds.words())]
pub struct WrongFolder {
    folder: PathBuf,
    holds: Holds,
}

/// What such a directory holds.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Holds {
    /// Directories of surveys: how many, and the last by name.
    Surveys(usize, PathBuf),
    Files,
    Nothing,
}

impl WrongFolder {
    /// The error for a directory that holds no result; `None` for anything else.
    pub(crate) fn of(path: &Path, files: &dyn Files) -> Option<Self> {
        let is_there = |path: &Path| files.entry(path) == Some(Entry::File);
        if files.entry(path) != Some(Entry::Directory) || files.entry(&path.join(IN_DIRECTORY)).is_some() {
            return None;
        }
        let inside = files.list(path);
        let surveys = || inside.iter().filter(|one| is_there(&one.join(IN_DIRECTORY)));
        let holds = match surveys().max() {
            Some(last) => Holds::Surveys(surveys().count(), last.clone()),
            None if inside.iter().any(|one| is_there(one)) => Holds::Files,
            None => Holds::Nothing,
        };
        Some(Self { folder: path.to_owned(), holds })
    }
}

impl Holds {
    fn words(&self) -> String {
        match self {
            Self::Surveys(1, _) => "a directory that contains a survey, not a result".to_owned(),
            Self::Surveys(count, _) => {
                format!("a directory that contains {count} surveys, not a result")
            }
            Self::Files => format!("a directory of files without a survey's `{IN_DIRECTORY}`"),
            Self::Nothing => format!("a directory without a `{IN_DIRECTORY}`"),
        }
    }
}

impl Hinted for WrongFolder {
    fn hint(&self) -> Option<String> {
        let quoted = |path: &Path| {
            let shown = path.display().to_string();
            shlex::try_quote(&shown).map_or_else(|_| shown.clone(), Into::into)
        };
        let all = quoted(&self.folder).trim_end_matches('/').to_owned();
        Some(match &self.holds {
            Holds::Surveys(1, only) => format!("name it: `{}`", quoted(only)),
            Holds::Surveys(_, last) => {
                format!(
                    "give one of them, such as `{}`; `diagnose`, `compare` and `report` accept several: `{all}/*`",
                    quoted(last)
                )
            }
            Holds::Files => format!(
                "give one of them; `diagnose`, `compare` and `report` accept several, including the output of other tools: `{all}/*`"
            ),
            Holds::Nothing => "`zerohop survey -o DIR` writes such a directory".to_owned(),
        })
    }
}

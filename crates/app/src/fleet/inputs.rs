//! Files of a fleet: named files, and the files in named directories.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use zerohop_fleet::{FleetNote, UnknownFact};

use crate::expectations::ExpectedError;
use crate::file_kind::IN_DIRECTORY;
use crate::files::{Entry, Files};
use crate::fleet::FactsTableError;
use crate::hint::Hinted;
use crate::input::ForeignError;

/// Reason why a fleet cannot be analyzed.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// A directory holds nothing.
    #[error("`{}` contains no results", directory.display())]
    Empty { directory: PathBuf },
    /// No file can be read.
    #[error("none of {count} files contains a result; the first: {first}")]
    Nothing {
        /// Number of files.
        count: usize,
        /// Error of the first file.
        first: Box<ForeignError>,
    },
    /// No result has a value that can be judged.
    #[error("no result has a value that can be judged")]
    NoValues,
    /// The table of facts cannot be read.
    #[error(transparent)]
    Facts(#[from] FactsTableError),
    /// It cannot be grouped as asked.
    #[error(transparent)]
    Group(#[from] UnknownFact),
    /// The expectations for the values of a result cannot be determined.
    #[error(transparent)]
    Expected(#[from] ExpectedError),
}

impl Hinted for FleetError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Empty { .. } => Some(
                "give the directory of a `zerohop fleet run`, a directory with one survey or text per node, or files"
                    .to_owned(),
            ),
            Self::Nothing { first, .. } => first.hint(),
            Self::NoValues => {
                Some("latencies and bandwidths can be judged: `zerohop show FILE` lists the values of a result".to_owned())
            }
            Self::Facts(error) => error.hint(),
            Self::Group(UnknownFact { known, .. }) => {
                Some(format!("--group-by takes, separated by commas: {}", known.join(", ")))
            }
            Self::Expected(error) => error.hint(),
        }
    }
}

/// The results and texts that paths stand for.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct FleetInputs {
    /// Files, and directories of surveys.
    pub paths: Vec<PathBuf>,
    /// Other entries of directories: pipes, devices, and dangling links.
    pub odd: Vec<PathBuf>,
}

impl FleetInputs {
    /// Note on omissions, if there are any.
    pub fn note(&self) -> Option<FleetNote> {
        let about: Vec<String> = self.odd.iter().map(|path| path.display().to_string()).collect();
        let what = "neither a file nor a directory, or a dangling link";
        (!about.is_empty()).then(|| FleetNote {
            words: match about.len() {
                1 => format!("1 directory entry is {what}: skipped"),
                count => format!("{count} directory entries, each of which is {what}: skipped"),
            },
            about,
            leaves_open: true,
        })
    }
}

/// The results and texts that these paths stand for: a file, a survey's directory, or all of them in any other directory.
///
/// # Errors
/// When a directory holds nothing.
pub fn fleet_inputs(paths: &[PathBuf], files: &dyn Files) -> Result<FleetInputs, FleetError> {
    let mut inputs = FleetInputs::default();
    for path in paths {
        let holds_others =
            files.entry(path) == Some(Entry::Directory) && files.entry(&path.join(IN_DIRECTORY)).is_none();
        if !holds_others {
            inputs.paths.push(path.clone());
            continue;
        }
        let listed = files.list(path).into_iter().filter(|held| !is_hidden(held));
        let (mut held, mut odd): (Vec<PathBuf>, Vec<PathBuf>) =
            listed.partition(|held| matches!(files.entry(held), Some(Entry::File | Entry::Directory)));
        odd.sort_unstable();
        inputs.odd.extend(odd);
        if held.is_empty() {
            return Err(FleetError::Empty { directory: path.clone() });
        }
        held.sort_unstable();
        leave_out_reports(&mut held);
        inputs.paths.extend(held);
    }
    Ok(inputs)
}

/// Leaves out each page that differs in its extension only from another file: it is the report of what that one holds.
fn leave_out_reports(held: &mut Vec<PathBuf>) {
    let is_page = |path: &Path| path.extension().is_some_and(|extension| extension == "html");
    let others: HashSet<PathBuf> =
        held.iter().filter(|path| !is_page(path)).map(|path| path.with_extension("")).collect();
    held.retain(|path| !is_page(path) || !others.contains(&path.with_extension("")));
}

/// What a launcher keeps beside the results begins with a dot.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'))
}

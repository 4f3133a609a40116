//! Reasons why an archive cannot answer.

use crate::ArchiveError;
use zerohop_app::{ExpectedError, FileError, FleetError, ForeignError, Hinted, nearest};
use zerohop_compare::CompareError;
use zerohop_result::{MachineNameError, ParseExperimentNameError, ParseQueryError, ReadError};

/// Reason why an archive cannot answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The archive itself says why.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A file holds no results.
    #[error(transparent)]
    Foreign(#[from] ForeignError),
    /// A text does not say which machine it is of.
    #[error("`{name}` does not name its machine")]
    NoMachine {
        /// Name of the text.
        name: String,
    },
    /// A machine has no result that counts.
    #[error("machine `{machine}` has no usable result")]
    NothingCounts { machine: String },
    /// The caller no longer waits, or it took too long.
    #[error("it was stopped before it finished")]
    Stopped,
    /// A machine cannot be called so.
    #[error(transparent)]
    Name(#[from] MachineNameError),
    /// A result can no longer be read.
    #[error("cannot read result {id}: {error}")]
    Unreadable { id: String, error: ReadError },
    /// Nothing can be said of what its values should be.
    #[error(transparent)]
    Expected(ExpectedError),
    /// The machines cannot be compared with each other.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// Results cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A query does not begin with an experiment.
    #[error(transparent)]
    Experiment(ParseExperimentNameError),
    /// A query names only an experiment, of which there are no headline values.
    #[error("no result of `{machine}` has headline values of {experiment}")]
    NoHeadlines {
        machine: String,
        experiment: String,
        /// The experiments with headline values.
        known: Vec<String>,
    },
    /// A query is none.
    #[error(transparent)]
    Query(#[from] ParseQueryError),
}

impl From<ExpectedError> for QueryError {
    fn from(error: ExpectedError) -> Self {
        match error {
            ExpectedError::Stopped => Self::Stopped,
            other => Self::Expected(other),
        }
    }
}

impl QueryError {
    /// Whether a file could not be read at all, so that its content is unknown.
    pub const fn is_unread(&self) -> bool {
        matches!(
            self,
            Self::Foreign(ForeignError::File(FileError::Denied { .. } | FileError::Unreadable { .. }))
        )
    }
}

impl Hinted for QueryError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Archive(error) => error.hint(),
            Self::Foreign(error) => error.hint(),
            Self::NoMachine { .. } => Some("give the machine with --of MACHINE".to_owned()),
            Self::NothingCounts { .. } => Some("`zerohop archive list` shows why results are unusable; any of them can be given by a prefix of its id".to_owned()),
            Self::Stopped => None,
            Self::Name(error) => Some(error.hint()),
            Self::Unreadable { error, .. } => Some(error.hint().to_owned()),
            Self::Expected(error) => error.hint(),
            Self::Fleet(error) => error.hint(),
            Self::Compare(error) => Some(error.hint().to_owned()),
            Self::Experiment(_) => {
                Some("a query starts with an experiment: `stream bandwidth kernel=triad`".to_owned())
            }
            Self::NoHeadlines { known, experiment, .. } => {
                let names: Vec<&str> = known.iter().map(String::as_str).collect();
                let meant = nearest(experiment, &names).map(|meant| format!("did you mean `{meant}`? It has "));
                let has = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                Some(format!("{}those of {has}; after the experiment, a measure selects other values: `stream bandwidth kernel=triad`", meant.unwrap_or_else(|| "it has ".to_owned())))
            }
            Self::Query(_) => Some("docs/queries.md describes queries".to_owned()),
        }
    }
}

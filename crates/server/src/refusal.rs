//! Error responses.

use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use zerohop_app::Hinted;
use zerohop_archive::ArchiveError;
use zerohop_archive::query::QueryError;
use zerohop_report::RenderError;
use zerohop_result::{LONGEST_WORDS, plain_text};

/// Reason why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) problem: Problem,
}

/// Error response to a request, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Problem {
    /// Description of the error.
    pub(crate) error: String,
    /// Hint on how to fix it, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// Parameter that the error is about, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameter: Option<&'static str>,
}

impl Refusal {
    /// A refusal with these words.
    pub(crate) fn new(status: StatusCode, error: &(impl ToString + ?Sized), hint: Option<String>) -> Self {
        // They may quote what was sent.
        let plain = |text: &str| plain_text(text, LONGEST_WORDS).into_owned();
        let hint = hint.map(|hint| plain(&hint));
        Self { status, problem: Problem { error: plain(&error.to_string()), hint, parameter: None } }
    }

    /// The request is wrong.
    pub(crate) fn bad(error: &(impl ToString + ?Sized), hint: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error, Some(hint.into()))
    }

    /// The same, about a parameter.
    pub(crate) fn about(self, parameter: &'static str) -> Self {
        Self { problem: Problem { parameter: Some(parameter), ..self.problem }, ..self }
    }

    /// Whether the archive may be at fault: then its connection is not used again.
    pub(crate) fn is_of_archive(&self) -> bool {
        self.status.is_server_error()
    }
}

impl From<ArchiveError> for Refusal {
    fn from(error: ArchiveError) -> Self {
        let status = match &error {
            ArchiveError::NoMachine { .. } | ArchiveError::NoResult { .. } => StatusCode::NOT_FOUND,
            ArchiveError::SeveralResults { .. } | ArchiveError::TooManyMachines { .. } => {
                StatusCode::BAD_REQUEST
            }
            ArchiveError::AnotherMachine { .. } | ArchiveError::NameTaken { .. } => StatusCode::CONFLICT,
            ArchiveError::Absent { .. }
            | ArchiveError::Empty { .. }
            | ArchiveError::Foreign { .. }
            | ArchiveError::Moved { .. }
            | ArchiveError::Busy { .. }
            | ArchiveError::Stopped { .. }
            | ArchiveError::Closed { .. }
            | ArchiveError::Unavailable { .. }
            | ArchiveError::Disconnected { .. }
            | ArchiveError::Untrusted { .. } => StatusCode::SERVICE_UNAVAILABLE,
            ArchiveError::Full { .. } => StatusCode::INSUFFICIENT_STORAGE,
            ArchiveError::OtherForm { .. }
            | ArchiveError::Unfinished { .. }
            | ArchiveError::Unindexed { .. }
            | ArchiveError::Damaged { .. }
            | ArchiveError::Denied { .. }
            | ArchiveError::DamagedResult { .. }
            | ArchiveError::Failed { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, &error, error.hint())
    }
}

impl From<QueryError> for Refusal {
    fn from(error: QueryError) -> Self {
        let hint = error.hint();
        match error {
            QueryError::Archive(error) => error.into(),
            QueryError::Unreadable { .. } | QueryError::Expected(_) => {
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, &error, hint)
            }
            QueryError::Stopped => Self::new(StatusCode::SERVICE_UNAVAILABLE, &error, hint),
            QueryError::Foreign(_)
            | QueryError::Name(_)
            | QueryError::NoMachine { .. }
            | QueryError::NothingCounts { .. }
            | QueryError::Fleet(_)
            | QueryError::Compare(_)
            | QueryError::Experiment(_)
            | QueryError::NoHeadlines { .. }
            | QueryError::Query(_) => Self::new(StatusCode::BAD_REQUEST, &error, hint),
        }
    }
}

impl From<RenderError> for Refusal {
    fn from(error: RenderError) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, &error, error.hint())
    }
}

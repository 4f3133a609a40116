//! Problems of a study.

use std::fmt;

use zerohop_document::{TextProblem, write_problems};

/// Reason why a text is not a study: every problem, with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyError {
    /// Problems in the order of the text. Not empty.
    pub problems: Vec<TextProblem>,
}

impl std::error::Error for StudyError {}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_problems(&self.problems, f)
    }
}

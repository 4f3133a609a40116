//! Mistakes in a study.

use std::fmt;
use std::ops::Range;

use zerohop_document::TextProblem;

/// Why a text is not a study: all mistakes in it, each with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyError {
    /// In the order of the text. Not empty.
    pub problems: Vec<TextProblem>,
}

/// A mistake at the bytes `span` of a study's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl StudyError {
    /// An error with the mistakes in the text of the file `name`.
    pub(super) fn new(name: &str, text: &str, problems: Vec<Problem>) -> Self {
        Self { problems: text_problems(name, text, problems) }
    }
}

/// The mistakes in the text of the file `name`, each with its location, in the order of the text.
pub(crate) fn text_problems(name: &str, text: &str, mut problems: Vec<Problem>) -> Vec<TextProblem> {
    problems.sort_by_key(|problem| problem.span.start);
    let problem = |Problem { span, message, hint }| {
        let problem = TextProblem::new(name, text, span, message);
        hint.into_iter().fold(problem, TextProblem::hint)
    };
    problems.into_iter().map(problem).collect()
}

/// One after the other, as the program prints errors.
pub(crate) fn write_problems(problems: &[TextProblem], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (rank, problem) in problems.iter().enumerate() {
        let separator = if rank == 0 { "" } else { "\n\nerror: " };
        write!(f, "{separator}{problem}")?;
    }
    Ok(())
}

impl std::error::Error for StudyError {}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_problems(&self.problems, f)
    }
}

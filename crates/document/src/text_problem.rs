//! A mistake in a file that a person wrote, shown at its place.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// A mistake at a place in a text file.
///
/// It is printed as the message, the place, the line with a caret under the place, and the hint:
///
/// ```text
/// no run `idle`
///   --> published/study.toml:12:7
///    |
/// 12 | run = "idle"
///    |       ^^^^^^
///    = hint: there are `low`, `high`
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct TextProblem {
    /// What is wrong, in lower case.
    pub message: String,
    /// What the user can do about it.
    pub hint: Option<String>,
    /// The file, as its reader named it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    excerpt: String,
    /// The place in the line's text, in bytes.
    span: Range<usize>,
}

impl TextProblem {
    /// A problem at the bytes `span` of `text`; the part in the first line is shown.
    pub fn new(file: &str, text: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        let start = floor(text, span.start);
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let excerpt = text[line_start..].lines().next().unwrap_or_default();
        // A file may be one line of megabytes: only the text around the place is shown.
        let (line_start, excerpt) = shortened(text, line_start, excerpt, start);
        // At the end of a line, the caret is under the end itself.
        let first = (start - line_start).min(excerpt.len());
        let last = floor(text, span.end).saturating_sub(line_start).clamp(first, excerpt.len());
        Self {
            message: message.into(),
            hint: None,
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[before.rfind('\n').map_or(0, |newline| newline + 1)..].chars().count() + 1,
            excerpt: excerpt.to_owned(),
            span: first..last,
        }
    }

    /// Adds what the user can do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The part of a long line around `at`, and where it begins.
fn shortened<'t>(text: &'t str, line_start: usize, line: &'t str, at: usize) -> (usize, &'t str) {
    const LONGEST: usize = 400;
    if line.len() <= LONGEST {
        return (line_start, line);
    }
    let line_end = line_start + line.len();
    let first = floor(text, at.saturating_sub(LONGEST / 2).max(line_start));
    let last = floor(text, (first + LONGEST).min(line_end));
    (first, &text[first..last])
}

/// Writes problems one after another, as the program prints errors. The caller has written `error: ` before the first.
///
/// # Errors
/// When `f` cannot be written to.
pub fn write_problems(problems: &[TextProblem], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (rank, problem) in problems.iter().enumerate() {
        let separator = if rank == 0 { "" } else { "\n\nerror: " };
        write!(f, "{separator}{problem}")?;
    }
    Ok(())
}

/// The last character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

impl fmt::Display for TextProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = AnnotationKind::Primary.span(self.span.clone());
        let snippet = Snippet::source(&self.excerpt).path(&self.file).line_start(self.line).annotation(place);
        let mut report = Level::ERROR.no_name().primary_title(&self.message).element(snippet);
        if let Some(hint) = &self.hint {
            report = report.element(Level::HELP.with_name("hint").message(hint));
        }
        f.write_str(&Renderer::plain().render(&[report]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_place_is_shown_under_its_line() {
        let text = "a = 1\nµ = \"ninety\"\n";
        let start = text.find('"').unwrap();
        let problem = TextProblem::new("x.toml", text, start..start + 8, "no number").hint("write 90");
        assert_eq!((problem.line, problem.column), (2, 5));
        insta::assert_snapshot!(problem, @r#"
        no number
         --> x.toml:2:5
          |
        2 | µ = "ninety"
          |     ^^^^^^^^
          |
          = hint: write 90
        "#);
    }

    #[test]
    fn the_end_of_a_text_is_a_place() {
        let problem = TextProblem::new("x.toml", "a =", 3..3, "nothing there");
        assert_eq!((problem.line, problem.column), (1, 4));
        let problem = TextProblem::new("x.toml", "", 0..7, "nothing there");
        assert_eq!((problem.line, problem.column), (1, 1));
    }

    proptest! {
        #[test]
        fn any_place_of_any_text_can_be_shown(text in "[a\nµ\r= ]{0,30}", start in 0usize..80, length in 0usize..80) {
            let problem = TextProblem::new("x", &text, start..start + length, "wrong");
            prop_assert!(problem.to_string().starts_with("wrong\n"));
        }
    }
}

//! What a format finds wrong with a text.

/// What a format finds wrong with a text, before the name of the file is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) line: Option<usize>,
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl Problem {
    /// Something else is on that line.
    pub(crate) fn at(line: usize, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { line: Some(line), expected: expected.into(), found: quoted(&found.into()) }
    }

    /// Something else is in the text as a whole.
    pub(crate) fn of_text(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { line: None, expected: expected.into(), found: found.into() }
    }
}

/// Text in quotation marks, shortened, without what a terminal would obey.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let clean: String = text.trim().chars().map(|one| if one.is_control() { ' ' } else { one }).collect();
    if clean.is_empty() {
        return "nothing".to_owned();
    }
    let short: String = clean.chars().take(LONGEST).collect();
    let more = if short.len() < clean.len() { "…" } else { "" };
    format!("`{short}{more}`")
}

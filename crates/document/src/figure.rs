//! Published figures that parameters were fitted to.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// What a figure's identifier looks like; also a regular expression for schemas.
const PATTERN: &str = "^[a-z0-9.-]+/[a-z0-9.-]+$";

/// A published figure: the name of its study, and its name there. Written `amd-40555/fig-3`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FigureId {
    /// The name of its study.
    pub study: String,
    /// Its name in the study.
    pub figure: String,
}

/// Why a text is no [`FigureId`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid published figure `{0}` (expected for example `amd-40555/fig-3`)")]
pub struct ParseFigureIdError(String);

impl FigureId {
    /// Whether a text can be the name of a study or of a figure in it: lower-case letters, digits, dots and hyphens.
    pub fn is_part(text: &str) -> bool {
        let allowed = |letter: char| matches!(letter, 'a'..='z' | '0'..='9' | '.' | '-');
        !text.is_empty() && text.chars().all(allowed)
    }
}

impl FromStr for FigureId {
    type Err = ParseFigureIdError;

    fn from_str(text: &str) -> Result<Self, ParseFigureIdError> {
        match text.split_once('/') {
            Some((study, figure)) if Self::is_part(study) && Self::is_part(figure) => {
                Ok(Self { study: study.to_owned(), figure: figure.to_owned() })
            }
            _ => Err(ParseFigureIdError(text.to_owned())),
        }
    }
}

impl TryFrom<String> for FigureId {
    type Error = ParseFigureIdError;

    fn try_from(text: String) -> Result<Self, ParseFigureIdError> {
        text.parse()
    }
}

impl From<FigureId> for String {
    fn from(id: FigureId) -> Self {
        id.to_string()
    }
}

impl fmt::Display for FigureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.study, self.figure)
    }
}

impl JsonSchema for FigureId {
    fn schema_name() -> Cow<'static, str> {
        "FigureId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A published figure: the name of its study, and its name there.",
            "type": "string",
            "pattern": PATTERN,
        })
    }
}

/// Figures that a parameter was chosen to reproduce. Not empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FittedTo {
    /// Figures of studies.
    pub figures: Vec<FigureId>,
    /// A figure that is in no study, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<String>,
}

impl fmt::Display for FittedTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figures = self.figures.iter().map(ToString::to_string);
        f.write_str(&figures.chain(self.elsewhere.clone()).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_read_as_it_is_written() {
        let id: FigureId = "amd-40555/a.2.1".parse().unwrap();
        assert_eq!((id.study.as_str(), id.figure.as_str()), ("amd-40555", "a.2.1"));
        assert_eq!(id.to_string(), "amd-40555/a.2.1");
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"amd-40555/a.2.1\"");
        assert_eq!(serde_json::from_str::<FigureId>("\"amd-40555/a.2.1\"").unwrap(), id);
    }

    #[test]
    fn words_are_no_identifier() {
        for text in ["", "Fig. 3", "fig-3", "amd-40555/", "/fig-3", "amd-40555/Fig. 3", "a/b/c"] {
            assert!(text.parse::<FigureId>().is_err(), "{text}");
            assert!(serde_json::from_value::<FigureId>(text.into()).is_err(), "{text}");
        }
    }

    #[test]
    fn what_a_parameter_was_fitted_to_is_listed() {
        let figures = vec!["amd-40555/fig-3".parse().unwrap(), "amd-40555/fig-4".parse().unwrap()];
        let mut fitted = FittedTo { figures, elsewhere: None };
        assert_eq!(fitted.to_string(), "amd-40555/fig-3, amd-40555/fig-4");
        fitted.elsewhere = Some("a note: 13 GB/s".to_owned());
        assert_eq!(fitted.to_string(), "amd-40555/fig-3, amd-40555/fig-4, a note: 13 GB/s");
    }
}

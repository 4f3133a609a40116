//! Why a text cannot be imported.

use crate::formats::{Format, has_rates};
use crate::problem::Problem;
use crate::unread_tools;

/// Why a text cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It has no line with text.
    #[error("`{file}` is empty")]
    Empty { file: String },
    /// No format is recognized in it.
    #[error("cannot recognize a format in `{file}`{}", seems(*tool))]
    Unrecognized {
        file: String,
        /// The tool that seems to have written it, and what to import in its place.
        tool: Option<(&'static str, &'static str)>,
        /// Whether it has rates of STREAM's kernels, of which it does not say the unit or the place.
        has_rates: bool,
    },
    /// It does not have what the format must have.
    #[error("`{file}`{}: expected {expected}, found {found}", at(*line))]
    Broken {
        file: String,
        /// The line, where the fault has one.
        line: Option<usize>,
        /// The format that expected something else.
        format: &'static str,
        expected: String,
        /// What is there instead.
        found: String,
    },
}

fn seems(tool: Option<(&str, &str)>) -> String {
    tool.map_or_else(String::new, |(name, _)| {
        format!(": it seems to be the output of {name}, which zerohop does not read")
    })
}

fn at(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!(", line {line}"))
}

impl ImportError {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        let names = || Format::all().map(Format::name).collect::<Vec<_>>().join(", ");
        match self {
            Self::Empty { .. } => "give a file with the output of a tool".to_owned(),
            Self::Unrecognized { tool: Some((name, instead)), .. } => format!("{name}: {instead}"),
            Self::Unrecognized { has_rates: true, .. } => {
                "write the unit after each STREAM rate (`Triad: 95.5 GB/s`), and nothing but its place before it (`node 0 local: Triad: …`); \
                 `--as stream` reads rates without a unit as MB/s"
                    .to_owned()
            }
            Self::Unrecognized { .. } => format!("choose one of these with `zerohop import --as FORMAT`: {}", names()),
            Self::Broken { format, .. } => format!(
                "it was read as {format}; correct or remove that line, or choose another format with `--as`: {}",
                names()
            ),
        }
    }

    /// That of a text in which no format is recognized.
    pub(crate) fn unrecognized(file: &str, text: &str) -> Self {
        Self::Unrecognized {
            file: file.to_owned(),
            tool: unread_tools::seen(text),
            has_rates: has_rates(text),
        }
    }

    /// Whether the text is of a tool that has a name here.
    pub(crate) const fn is_of_another_tool(&self) -> bool {
        matches!(self, Self::Unrecognized { tool: Some(_), .. })
    }

    /// A format's problem with the file of that name.
    pub(crate) fn broken(file: &str, format: &'static str, problem: Problem) -> Self {
        let Problem { line, expected, found } = problem;
        Self::Broken { file: file.to_owned(), line, format, expected, found }
    }
}

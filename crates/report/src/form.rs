//! The forms in which documents are written.

use std::fmt;

/// A form of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// A page for people.
    Page,
    /// JSON.
    Json,
    /// CSV.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// A picture.
    Svg,
    /// The output of Intel's Memory Latency Checker.
    Mlc,
    /// Markdown.
    Markdown,
    /// hwloc's form of a topology.
    Hwloc,
    /// A machine file.
    Toml,
}

impl Form {
    /// Every one. Where several have the same ending, a file's name means the first.
    pub const ALL: [Self; 9] = [
        Self::Page,
        Self::Json,
        Self::Csv,
        Self::Parquet,
        Self::Svg,
        Self::Mlc,
        Self::Markdown,
        Self::Hwloc,
        Self::Toml,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Page => "table",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Svg => "svg",
            Self::Mlc => "mlc",
            Self::Markdown => "markdown",
            Self::Hwloc => "hwloc",
            Self::Toml => "toml",
        }
    }

    /// How the name of a file in this form ends, without the dot.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Page | Self::Mlc => "txt",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Svg => "svg",
            Self::Markdown => "md",
            Self::Hwloc => "xml",
            Self::Toml => "toml",
        }
    }

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Page => "Pages for people",
            Self::Json => "Everything, raw samples included; `zerohop schema` prints its JSON Schema",
            Self::Csv => "One line a row, for spreadsheets",
            Self::Parquet => "Typed columns, for data frames; to a file only",
            Self::Svg => "A picture (SVG)",
            Self::Mlc => "As Intel's Memory Latency Checker prints it, for scripts that read that",
            Self::Markdown => "A page in Markdown",
            Self::Hwloc => "hwloc's XML",
            Self::Toml => "A machine file that extends no other",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

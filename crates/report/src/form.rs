//! The formats in which documents are written.

use std::fmt;

/// A form of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    Page,
    Json,
    Csv,
    Parquet,
    Svg,
    /// A picture in pixels.
    Png,
    /// The output of Intel's Memory Latency Checker.
    Mlc,
    /// The curves of the Mess benchmark.
    Mess,
    Markdown,
    Html,
    Hwloc,
    /// The source of a table of the firmware.
    Slit,
    Toml,
    OpenMetrics,
}

impl Form {
    /// All formats. If several share an extension, a file name selects the first.
    pub const ALL: [Self; 14] = [
        Self::Page,
        Self::Json,
        Self::Csv,
        Self::Parquet,
        Self::Svg,
        Self::Png,
        Self::Mlc,
        Self::Mess,
        Self::Markdown,
        Self::Html,
        Self::Hwloc,
        Self::Slit,
        Self::Toml,
        Self::OpenMetrics,
    ];

    /// Name of the form on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Page => "table",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Mlc => "mlc",
            Self::Mess => "mess",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Hwloc => "hwloc",
            Self::Slit => "slit",
            Self::Toml => "toml",
            Self::OpenMetrics => "openmetrics",
        }
    }

    /// The file extension of this format, without the dot.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Page | Self::Mlc => "txt",
            Self::Json => "json",
            Self::Csv | Self::Mess => "csv",
            Self::Parquet => "parquet",
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Hwloc => "xml",
            Self::Slit => "dsl",
            Self::Toml => "toml",
            Self::OpenMetrics => "prom",
        }
    }

    /// Whether it is no text, which a terminal could not show.
    pub const fn is_binary(self) -> bool {
        matches!(self, Self::Parquet | Self::Png)
    }

    /// A description for help texts.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Page => "Human-readable text",
            Self::Json => "All data, for programs; `zerohop schema --help` lists the JSON Schemas",
            Self::Csv => "Comma-separated rows, for spreadsheets",
            Self::Parquet => "Typed columns, for data frames; only to a file",
            Self::Svg => "Vector figure (SVG)",
            Self::Png => "Figure as a bitmap; only to a file",
            Self::Mlc => "Output format of Intel's Memory Latency Checker, for scripts that parse it",
            Self::Mess => "Curves of latency and bandwidth, for the plotting scripts of the Mess benchmark",
            Self::Markdown => "Markdown text",
            Self::Html => "Self-contained HTML page with figures and JSON",
            Self::Hwloc => "hwloc XML",
            Self::Slit => "ACPI table of distances (SLIT), to compile with `iasl`",
            Self::Toml => "Self-contained machine file",
            Self::OpenMetrics => "Metrics for Prometheus, as text (OpenMetrics)",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

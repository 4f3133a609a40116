//! Renders results for people and programs: pages for the terminal, JSON, CSV, pictures, and the output format of
//! Intel's Memory Latency Checker.
//!
//! Rendering is one call: [`render`] shows a [`Document`] in a [`Form`]. Each document has a file in `document/`, which
//! lists the formats that it has; each format that suits any document has a file beside this one. Everything is a pure
//! function to text or bytes. Whether a host measured a result or a model computed it changes a few words and no
//! layout.
//!
//! ```text
//! Document ── render ──> page, JSON, CSV, Parquet, SVG, MLC, Markdown, …
//! ExperimentResult ── layout ──> Sheets (rows, columns, cells) ──> terminal, svg
//! ```

#![forbid(unsafe_code)]

pub mod json;
pub mod pages;

mod assessed_result;
mod check;
mod completion;
mod csv;
mod description;
mod document;
mod evidence_summary;
mod expected_words;
mod fabric;
mod finding;
mod fleet_story;
mod fleet_words;
mod form;
mod hardware_form;
mod headline;
mod heat_table;
mod history_chart;
mod html;
mod layout;
mod markdown;
mod measure;
mod mess;
mod mlc;
mod number;
mod openmetrics;
mod origin;
mod page;
#[cfg(feature = "parquet")]
mod parquet;
mod peak;
mod place;
#[cfg(feature = "png")]
mod png;
mod pretty;
mod printable;
mod program_point;
mod proximity;
mod rank;
mod reference;
mod render;
mod result_summary;
mod sheet;
mod state;
mod svg;
mod table;
mod value_change;
mod waterfall;
mod wrap;

pub use assessed_result::AssessedResult;
pub use check::{CheckForm, check_text};
pub use csv::Columns;
pub use document::{
    ArchiveMetrics, ArchivedMachines, ArchivedResults, DiagnosisReport, Experiment, HistoryReport,
    ImportedResult, LatencyChecker, LinkLoad, MachineCheck, MachineList, MachineMetrics, NodeMap, OfResult,
    Report, RuleList, ServerState, ShownResult, Studies, Survey, TemplateList, TemplateParameters,
};
pub use form::Form;
pub use headline::headlines;
pub use history_chart::{
    CHART_KEY, ChartStep, HistoryChart, SparkChart, history_charts, history_spark, in_words, percent,
};
pub use html::{Allowance, Elements, Links, SCRIPT, STYLE, SurroundedPage, Surroundings, WebPage};
pub use mess::NotMess;
pub use mlc::{MlcOutput, NotMlc};
pub use pages::watched_line;
pub use place::place_words;
pub use program_point::ProgramPoint;
pub use reference::Reference;
pub use render::{
    Document, RenderError, Rendered, Views, forms, render, render_columns, render_elements, render_picture,
    render_surrounded,
};
pub use svg::NoLoad;
pub use value_change::{ValueChange, headline_changes, largest_changes};

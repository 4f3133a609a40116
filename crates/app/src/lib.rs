//! Common part of all programs that use these libraries: the command line, a server, a web page, a binding.
//!
//! ```text
//! name ──> library, templates, studies (what comes with the program, or Files) ──> agendas ──> CampaignRunner ──> answers, expectations, results
//! ```
//!
//! It contains the built-in machines, templates, studies and rules, resolves names, detects the kinds of files, and turns studies, sweeps, advice and
//! expectations into campaigns. The calling program provides the rest: [`Files`], the syntax of experiments ([`Commands`]), threads, and a receiver
//! of progress ([`CampaignRunner`], [`Attendant`]). Errors have hints ([`Hinted`]).

#![forbid(unsafe_code)]

mod advise_agenda;
mod allowed_rates;
mod basis;
pub mod built_in;
mod campaign_runner;
mod captured_machines;
mod commands;
mod expectations;
mod fault_injection;
mod file_kind;
mod files;
mod fleet;
mod hint;
mod identity;
mod input;
mod journal_text;
mod judgement;
pub mod library;
mod models;
mod name;
mod omissions;
pub mod option_values;
mod partial_result;
mod reproducer;
mod result_file;
mod rules;
mod schedule;
mod settings_advice;
mod settings_in_words;
pub mod studies;
mod study_agenda;
mod sweep_agenda;
mod sweep_question;
pub mod templates;
mod wrong_folder;
mod wrong_machine;

pub use advise_agenda::{Readings, Variant, VariantAgenda};
pub use allowed_rates::{AllowedRate, NoRates, allowed_rates};
pub use basis::{Basis, BasisError, ModelBasis};
pub use campaign_runner::{Attendant, CampaignRunner, Keep, NoAttendant};
pub use captured_machines::{CapturedError, ROOT, capture, captured_machine};
pub use commands::{CommandError, Commands};
pub use expectations::{ExpectedError, expectations, stated_machine};
pub use fault_injection::{InjectError, with_faults};
pub use file_kind::{FileKind, IN_DIRECTORY, Mistaken};
pub use files::{Entry, FileError, Files, LARGEST, NoFiles, Notice, Packed};
pub use fleet::{
    FactsTable, FactsTableError, FleetError, FleetInputs, Gathered, NamedResult, NodeFiles, Sisters,
    diagnosed, fleet_inputs, gather, is_called, is_unnamed, link_reports, node_name,
};
pub use hint::Hinted;
pub use identity::host_identity;
pub use input::{ForeignError, read_any, read_one, read_tool_output};
pub use journal_text::{Head, JournalError, JournalText};
pub use judgement::{JudgeOptions, Judgement, judge};
pub use models::Models;
pub use name::{NameKind, UnknownName, nearest};
pub use omissions::Omissions;
pub use partial_result::{Occasion, PRODUCED_BY, PartialResult, Ran};
pub use reproducer::{Held, Reproducer, ReproducerError, Seeds};
pub use result_file::{ResultError, ToolOutput, read_result, read_runs, repeat_name};
pub use rules::rules;
pub use schedule::{Schedule, TimeLeft};
pub use settings_advice::{
    DumpFileError, Scene, SettingsAdviceError, SettingsQuestion, asked_nodes, read_dump, settings_advice,
};
pub use settings_in_words::{SettingsError, each_once, in_words};
pub use study_agenda::{Case, CaseError, REPORT, RunAgenda, Todo};
pub use sweep_agenda::{PointAgenda, SomePoints};
pub use sweep_question::{AskedError, CheckedSweep, Sources};
pub use wrong_folder::WrongFolder;
pub use wrong_machine::WrongMachine;

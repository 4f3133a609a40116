//! Settings of firmware and kernel: what there is, how each vendor spells it, what is set, and what a change is worth.
//!
//! ```text
//! settings/*.toml ── OnFile ──> Kind (what it is), Vendor (how it is spelled) ── remedy ──> commands to paste
//! MachineFile + Goal ── candidates ──> Settings ── (someone runs the probes) ──> Readings ── advise ──> SettingsAdvice
//! a dump of BIOS attributes ── Dump::read ──> BiosState; two of them: differences
//! ```

mod advice;
mod advise;
mod bios;
mod candidate;
mod change;
mod dump;
mod effect;
mod goal;
mod kind;
mod linux;
mod probe;
mod reference;
mod remedy;
mod settings_files;
mod tables;
mod vendor;

pub use advice::{ADVICE_VERSION, DocumentedAdvice, ProbeReading, SettingsAdvice, SystemSetting, Together};
pub use advise::{Modelled, Tried, advise, effect, steps};
pub use bios::{BiosDifference, BiosSetting, BiosState, differences};
pub use candidate::{Candidate, Candidates, candidates};
pub use change::{Change, Standing};
pub use dump::{Dump, DumpError, DumpForm, DumpItem, LARGEST_DUMP};
pub use effect::Effect;
pub use goal::{Goal, WorkloadKind};
pub use kind::{Advice, Kind, NamedValue};
pub use linux::{Measured, system_settings, weights};
pub use probe::{Probe, Reading, probes};
pub use reference::settings_table;
pub use remedy::{Command, Facts, Remedy, remedies, remedy};
pub use settings_files::{OnFile, on_file, settings_schema, vendor_schema};
pub use vendor::{Spelled, Spelling, Tool, Vendor};

//! Diagnosis of a machine's memory, with remedies: rules applied to a result.
//!
//! ```text
//! rules/*.toml ── Rule::parse ──> Rule ┐
//!                          ResultFile ─┼─ diagnose ──> Diagnosis: findings, worst first; and the rules that could not be decided
//!   expectations, settings of firmware, ┘
//!   other machines of the kind
//! ```
//!
//! A rule is data: its condition, its causes and their likelihoods, its texts. The tests in conditions are a small closed set, [`Condition`]; each
//! is in a file of `predicate/` and returns its matches, nothing, or the data that it lacks.

#![forbid(unsafe_code)]

mod condition;
mod context;
mod diagnose;
mod distance_doubt;
mod distances_file;
mod evaluate;
mod experiments;
mod facts;
mod finding;
mod fleet_file;
mod measured_distances;
mod noise;
mod predicate;
mod remaining_bandwidth;
mod resolved_values;
mod rule;
mod rule_file;
mod test_outcome;
mod words;

pub use condition::{Condition, DimmsBelow, ExpectedValues, MachineFact, QueryText, Standpoint, Ways};
pub use context::{AskedNodes, Given, ReferenceResult};
pub use diagnose::diagnose;
pub use distance_doubt::DistanceDoubt;
pub use distances_file::{DISTANCES_VERSION, DistancePair, DistancesFile};
pub use finding::{
    Confidence, DIAGNOSIS_VERSION, Diagnosis, DiagnosisFile, Evidence, Finding, NamedCause, NotJudged,
    Severity, Size, Untold, Verdict,
};
pub use fleet_file::FleetDiagnosis;
pub use measured_distances::{MeasuredDistances, NoDistances};
pub use remaining_bandwidth::RemainingBandwidth;
pub use rule::{Cause, Remedy, Rule, RuleError, rule_schema};
mod doctor;
mod quiet_machine;

pub use doctor::{
    Absence, Check as HostCheck, Cure, DOCTOR_VERSION, DoctorReport, PrefetcherAccess, Probed,
    Standing as HostStanding,
};
pub use quiet_machine::is_quiet;

//! Measurements that a host allows, the cost of each missing capability, and the command to add it.

mod check;
mod host_probes;
mod machine;

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::Machine;

pub use check::{Check, Cure, Standing};
pub use host_probes::{Absence, PrefetcherAccess, Probed};

/// Version of the report's format. It is raised when a reader of the old format would misread the new one.
pub const DOCTOR_VERSION: u32 = 1;

/// Measurements that a host allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoctorReport {
    /// [`DOCTOR_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Name of the machine.
    pub machine: String,
    /// Whether the live host was checked; a copy of its files allows only some of the checks.
    pub live: bool,
    /// The checks: first the ones that prevent measuring, then the ones that reduce it.
    pub checks: Vec<Check>,
}

impl DoctorReport {
    /// Checks a machine and, on the host itself, the results of probing it.
    pub fn new(machine: &Machine, probed: Option<&Probed>) -> Self {
        let mut checks = machine::checks(machine);
        checks.extend(probed.map(|probed| host_probes::checks(probed, machine)).unwrap_or_default());
        // Stable: the order of the questions stays.
        checks.sort_by_key(|check| check.standing);
        Self { schema_version: DOCTOR_VERSION, machine: machine.name.clone(), live: probed.is_some(), checks }
    }

    /// The checks that stand like that.
    pub fn standing(&self, standing: Standing) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(move |check| check.standing == standing)
    }

    /// Whether anything can be measured at all.
    pub fn allows_measuring(&self) -> bool {
        self.standing(Standing::Prevents).next().is_none()
    }
}

#[cfg(test)]
mod tests;

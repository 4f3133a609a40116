//! Origins of results: a measured machine, a model, or another tool. Every output states its origin.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{Machine, Setting};

use crate::UnknownName;

/// Origin of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Measured on a machine.
    Host(HostOrigin),
    /// Computed by a model of a machine; not measured.
    Model(ModelOrigin),
    /// Imported from another tool.
    Imported(ImportedOrigin),
}

/// Origin of a measured result. The result's machine and engine hold the details.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostOrigin {}

/// Origin of a modeled result, with everything that determines the output except the version of zerohop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelOrigin {
    /// Solver of the model.
    pub solver: SolverName,
    /// Name of the machine file.
    pub machine_file: String,
    /// Options chosen or values changed in the machine file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// Faults injected into the machine or into its reported properties.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// Random seed; absent if nothing is random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// Origin of a result imported from another tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedOrigin {
    /// Name of the tool (`mlc`).
    pub tool: String,
    /// Version of the tool, if its output states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Name of the imported file.
    pub file: String,
    /// Environment variables that place threads (`OMP_NUM_THREADS`, `OMP_PROC_BIND`, …), in the order of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<Setting>,
    /// Command lines that the text shows at a prompt or with a program that places another program, in the order of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}

/// Solver of a model, as named in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", expecting = "expected the name of a solver")]
#[schemars(transform = crate::open_schema)]
pub enum SolverName {
    /// Event simulation, line by line.
    Event,
    /// Mean-value analysis of a queueing network.
    Flow,
    /// Mean-value analysis where it applies, otherwise event simulation.
    Auto,
    /// A solver of a later version, unknown to this one.
    #[serde(untagged)]
    Unknown(UnknownName),
}

impl Origin {
    pub const HOST: Self = Self::Host(HostOrigin {});

    /// A model of that machine.
    pub fn model(machine: &Machine, solver: SolverName, seed: Option<u64>) -> Self {
        Self::Model(ModelOrigin {
            solver,
            machine_file: machine.name.clone(),
            settings: machine.settings.clone(),
            faults: machine.faults.clone(),
            seed,
        })
    }

    /// Kind of the origin, as in files.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Host(_) => "host",
            Self::Model(_) => "model",
            Self::Imported(_) => "imported",
        }
    }

    /// A short form for tables: `host`, `model (event)`, `imported (mlc)`.
    pub fn short(&self) -> String {
        match self {
            Self::Host(_) => self.kind().to_owned(),
            Self::Model(model) => format!("{} ({})", self.kind(), model.solver.name()),
            Self::Imported(imported) => format!("{} ({})", self.kind(), imported.tool),
        }
    }

    /// The model, if a model computed the result.
    pub const fn as_model(&self) -> Option<&ModelOrigin> {
        match self {
            Self::Model(model) => Some(model),
            Self::Host(_) | Self::Imported(_) => None,
        }
    }

    /// Whether a model computed the result.
    pub const fn is_model(&self) -> bool {
        self.as_model().is_some()
    }
}

/// The long form, for a line of its own: `measured on a host`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(_) => f.write_str("measured on a host"),
            Self::Model(ModelOrigin { solver, machine_file, settings, faults, seed }) => {
                write!(f, "computed by a model of {machine_file}")?;
                for (rank, setting) in settings.iter().enumerate() {
                    write!(f, "{}{setting}", if rank == 0 { " (" } else { ", " })?;
                }
                if !settings.is_empty() {
                    f.write_str(")")?;
                }
                if !faults.is_empty() {
                    write!(f, " with {} injected", faults.join(", "))?;
                }
                write!(f, ", solver {}", solver.name())?;
                if let Some(seed) = seed {
                    write!(f, ", seed {seed}")?;
                }
                f.write_str("; not a measurement")
            }
            Self::Imported(ImportedOrigin { tool, version, file, .. }) => {
                write!(f, "imported from {file}, written by {tool}")?;
                version.iter().try_for_each(|version| write!(f, " {version}"))
            }
        }
    }
}

impl SolverName {
    /// Name of the solver on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Flow => "flow",
            Self::Auto => "auto",
            Self::Unknown(name) => name.as_str(),
        }
    }
}

//! Where numbers come from: a machine that was measured, a model of one, or another tool. Every output says it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{Machine, Setting};

use crate::UnknownName;

/// Where a result's numbers come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// They were measured on a machine.
    Host(HostOrigin),
    /// A model of a machine computed them: nothing of it was measured.
    Model(ModelOrigin),
    /// Another tool wrote them.
    Imported(ImportedOrigin),
}

/// A machine that was measured: the result's machine and engine say the rest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostOrigin {}

/// A model, and all that decides on what it computes, beside the version that computed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelOrigin {
    /// How it was computed.
    pub solver: Solver,
    /// The name of the machine file.
    pub machine_file: String,
    /// What was chosen or changed of the machine file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// What decided on everything that is random; absent where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// Another tool's output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedOrigin {
    /// The tool (`mlc`).
    pub tool: String,
    /// Its version, where its output says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The name of the file that was read.
    pub file: String,
}

/// How a model is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::open_schema)]
pub enum Solver {
    /// Line by line.
    Event,
    /// As a network of queues, by mean-value analysis.
    Flow,
    /// By mean-value analysis where it applies, line by line elsewhere.
    Auto,
    /// One that this version does not know, from a result of a later one.
    #[serde(untagged)]
    Unknown(UnknownName),
}

impl Origin {
    /// A machine that is measured.
    pub const HOST: Self = Self::Host(HostOrigin {});

    /// A model of that machine.
    pub fn model(machine: &Machine, solver: Solver, seed: Option<u64>) -> Self {
        Self::Model(ModelOrigin {
            solver,
            machine_file: machine.name.clone(),
            settings: machine.settings.clone(),
            seed,
        })
    }

    /// Its kind, as files have it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Host(_) => "host",
            Self::Model(_) => "model",
            Self::Imported(_) => "imported",
        }
    }

    /// In a word or two, as tables have it: `host`, `model (event)`, `imported (mlc)`.
    pub fn short(&self) -> String {
        match self {
            Self::Host(_) => self.kind().to_owned(),
            Self::Model(model) => format!("{} ({})", self.kind(), model.solver.name()),
            Self::Imported(imported) => format!("{} ({})", self.kind(), imported.tool),
        }
    }

    /// The model, if one computed the numbers.
    pub const fn as_model(&self) -> Option<&ModelOrigin> {
        match self {
            Self::Model(model) => Some(model),
            Self::Host(_) | Self::Imported(_) => None,
        }
    }

    /// Whether a model computed the numbers.
    pub const fn is_model(&self) -> bool {
        self.as_model().is_some()
    }
}

/// As it stands in a line of its own: `measured on a host`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(_) => f.write_str("measured on a host"),
            Self::Model(ModelOrigin { solver, machine_file, settings, seed }) => {
                write!(f, "computed by a model of {machine_file}")?;
                for (rank, setting) in settings.iter().enumerate() {
                    write!(f, "{}{setting}", if rank == 0 { " (" } else { ", " })?;
                }
                if !settings.is_empty() {
                    f.write_str(")")?;
                }
                write!(f, ", solver {}", solver.name())?;
                if let Some(seed) = seed {
                    write!(f, ", seed {seed}")?;
                }
                f.write_str(": nothing of this was measured")
            }
            Self::Imported(ImportedOrigin { tool, version, file }) => {
                write!(f, "imported from {file}, written by {tool}")?;
                version.iter().try_for_each(|version| write!(f, " {version}"))
            }
        }
    }
}

impl Solver {
    /// Its name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Flow => "flow",
            Self::Auto => "auto",
            Self::Unknown(name) => name.as_str(),
        }
    }
}

//! Checks of a host.

use schemars::JsonSchema;
use serde::Serialize;

/// A check of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// Subject of the check.
    pub what: String,
    /// Outcome of the check.
    pub standing: Standing,
    /// State that was found.
    pub is: String,
    /// Values that are missing or less certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    /// Remedy; absent if nothing is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cure: Option<Cure>,
}

/// Outcome of a check, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nothing can be measured.
    Prevents,
    /// Some values are missing or less certain.
    Costs,
    /// Nothing is lost.
    Fine,
}

impl Standing {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prevents => "prevents",
            Self::Costs => "costs",
            Self::Fine => "fine",
        }
    }
}

/// Remedy for missing values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cure {
    /// A shell command that fixes the problem.
    Command(String),
    /// No command on this host fixes the problem, for this reason.
    Elsewhere(String),
}

impl Check {
    pub(super) fn fine(what: &str, is: impl Into<String>) -> Self {
        Self { what: what.to_owned(), standing: Standing::Fine, is: is.into(), cost: None, cure: None }
    }

    pub(super) fn costs(what: &str, is: impl Into<String>, cost: impl Into<String>, cure: Cure) -> Self {
        let (cost, cure) = (Some(cost.into()), Some(cure));
        Self { standing: Standing::Costs, cost, cure, ..Self::fine(what, is) }
    }

    pub(super) fn prevents(what: &str, is: impl Into<String>, cure: Cure) -> Self {
        Self { standing: Standing::Prevents, ..Self::costs(what, is, "nothing can be measured", cure) }
    }
}

impl Cure {
    pub(super) fn command(text: impl Into<String>) -> Self {
        Self::Command(text.into())
    }

    pub(super) fn elsewhere(text: impl Into<String>) -> Self {
        Self::Elsewhere(text.into())
    }
}

//! Significance of agreement between a model and a published figure.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Significance of agreement with a published figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FigureGrade {
    /// A value that follows from parameters chosen without it, and that fitted figures alone do not give within its tolerance.
    Predicted,
    /// An order, an equality or a trend that the model could have contradicted.
    Ordering,
    /// A value that follows from the spec sheet, from other values, or from the structure of the model: no other result was possible.
    Identity,
    /// A value that parameters were chosen to give, or that fitted figures alone give within its tolerance: agreement is no evidence.
    Fitted,
}

impl FigureGrade {
    /// All, the strongest evidence first.
    pub const ALL: [Self; 4] = [Self::Predicted, Self::Ordering, Self::Identity, Self::Fitted];

    /// Name of the grade in studies and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Predicted => "predicted",
            Self::Ordering => "ordering",
            Self::Identity => "identity",
            Self::Fitted => "fitted",
        }
    }
}

impl fmt::Display for FigureGrade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

//! Known errors of predictions for one machine, by kind: a result may have many thousands of cells, and few kinds of them.

use std::collections::BTreeMap;

use super::kind::Kind;
use super::known_errors::KnownErrors;

/// The errors of predictions for one machine.
pub(super) struct ErrorsByKind(BTreeMap<Kind, OfKind>);

/// The errors of predictions of a kind.
#[derive(Clone, Copy)]
struct OfKind {
    /// Nine of ten are off by this share at most.
    share: f64,
    /// Whether that is known.
    validated: bool,
    /// Whether they hold for the generation of the machine.
    hold: bool,
}

/// A prediction that is off by as much says nothing.
const MOST: f64 = 0.9;

impl ErrorsByKind {
    /// Errors for a machine with this title.
    pub(super) fn of(errors: &KnownErrors, title: &str) -> Self {
        let of_kind = |kind: Kind| {
            let (share, validated) = errors.share(kind);
            (kind, OfKind { share, validated, hold: errors.holds_for(title, kind) })
        };
        Self(Kind::ALL.map(of_kind).into())
    }

    /// Whether predictions of a kind hold for the generation of the machine.
    pub(super) fn hold(&self, kind: Kind) -> bool {
        self.0[&kind].hold
    }

    /// Interval of a predicted value: the values that a machine with this prediction may have; and whether its width is known.
    pub(super) fn interval(&self, kind: Kind, predicted: f64) -> (f64, f64, bool) {
        let OfKind { share, validated, .. } = self.0[&kind];
        // Errors are relative to the measured value, and the predicted one is known.
        (predicted / (1.0 + share), predicted / (1.0 - share.min(MOST)), validated)
    }
}

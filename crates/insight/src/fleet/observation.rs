//! What a fleet keeps of a result: facts, and a value for each place. A result is a thousand times as large.

use std::hash::{DefaultHasher, Hash, Hasher};

use zerohop_result::{
    Aspect, Cell, Coordinates, ExperimentName, MachineKey, Measure, Origin, ResultFile, Timestamp,
};

use super::fact::Fact;
use super::parts::Build;
use crate::compare::facts;
use crate::index::machine_of;

/// Values from here on have logarithms, and are of something that worked.
const USABLE: std::ops::Range<f64> = 1e-100..1e100;

/// The quantile of the normal distribution for intervals of 95 %.
const NORMAL: f64 = 1.96;

/// What a fleet keeps of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The node's name.
    pub name: String,
    /// What the node is known by, where a result says which host it measured: hosts may share a name.
    pub(super) key: Option<MachineKey>,
    /// When its run began.
    pub began_at: Option<Timestamp>,
    pub(super) build: Build,
    /// Its facts.
    pub(super) facts: Vec<Fact>,
    /// The same for equal values, and hardly for others; absent where a model computed them, which may do so again.
    pub(super) digest: Option<u64>,
    pub(super) values: Vec<Observed>,
}

/// A value of a result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Observed {
    pub(super) place: Place,
    pub(super) value: Logarithm,
}

/// The identity of a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub(super) experiment: ExperimentName,
    pub(super) measure: Measure,
    pub(super) at: Coordinates,
}

/// A value as a logarithm, of which the larger is the better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Logarithm {
    pub(super) value: f32,
    /// Its standard error, as far as the run saw it.
    pub(super) error: f32,
}

impl Observation {
    /// That of a result, under the name of its node.
    pub fn of(name: String, file: &ResultFile) -> Self {
        let cells =
            file.experiments.iter().flat_map(|one| one.cells.iter().map(move |cell| (&one.experiment, cell)));
        let values: Vec<Observed> =
            cells.filter_map(|(experiment, cell)| observed(experiment, cell)).collect();
        let measured = !file.origin.is_model() && !values.is_empty();
        Self {
            name,
            key: key(file),
            began_at: file.started_at,
            build: Build::of(&file.machine),
            facts: facts(file),
            digest: measured.then(|| digest(&values)),
            values,
        }
    }

    /// How many values are judged.
    pub fn values(&self) -> usize {
        self.values.len()
    }
}

/// What a host is known by that names its installation.
fn key(file: &ResultFile) -> Option<MachineKey> {
    let host = file.run.as_ref().and_then(|run| run.host.as_ref());
    let is_named =
        matches!(file.origin, Origin::Host(_)) && host.is_some_and(|host| host.machine_id.is_some());
    is_named.then(|| machine_of(file)).flatten().map(|machine| machine.key)
}

fn observed(experiment: &ExperimentName, cell: &Cell) -> Option<Observed> {
    let estimate = &cell.estimate;
    let counts = cell.measure.aspect() == Aspect::Outcome
        && cell.at.is_whole()
        && !cell.is_doubtful()
        && estimate.is_sound()
        && USABLE.contains(&estimate.median);
    if !counts {
        return None;
    }
    let sign = if cell.measure.larger_is_better() { 1.0 } else { -1.0 };
    let error = cell.seen().logarithmic_half_width().unwrap_or(0.0) / NORMAL;
    Some(Observed {
        place: Place { experiment: experiment.clone(), measure: cell.measure, at: cell.at.clone() },
        value: Logarithm { value: (sign * libm::log(estimate.median)) as f32, error: error as f32 },
    })
}

fn digest(values: &[Observed]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for Observed { place, value } in values {
        place.hash(&mut hasher);
        value.value.to_bits().hash(&mut hasher);
    }
    hasher.finish()
}

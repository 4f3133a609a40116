//! Data that a fleet keeps of a result: facts, and a value for each place. A result is a thousand times as large.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use zerohop_result::{
    Aspect, Cell, Completion, Coordinates, ExperimentName, MachineKey, Measure, Origin, PlausibleTimes,
    ResultFile, RunId, Timestamp,
};

use super::parts::Build;
use super::scope::Scope;
use zerohop_compare::Fact;
use zerohop_compare::facts;
use zerohop_compare::machine_of;

/// Values from here on have logarithms, and are of something that worked.
const USABLE: std::ops::Range<f64> = 1e-100..1e100;

/// The quantile of the normal distribution for intervals of 95 %.
const NORMAL: f64 = 1.96;

/// Data that a fleet keeps of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    pub name: String,
    /// Key of the node, if the result names the measured host: hosts may share a name.
    pub(super) key: Option<MachineKey>,
    /// Start time of the run.
    pub began_at: Option<Timestamp>,
    /// Id of the run, if it was measured and is stated.
    pub(super) run: Option<RunId>,
    pub(super) build: Build,
    pub(super) facts: Vec<Fact>,
    /// Digest of the values: equal for equal values, and hardly ever for others; absent if a model computed them, because it may do so again.
    pub(super) digest: Option<u64>,
    pub(super) values: Vec<Observed>,
    /// Scopes without a value that can be judged: families whose values are all doubtful, or of incomplete experiments, and single values outside
    /// the range of a working machine.
    pub(super) gaps: BTreeSet<Scope>,
    /// The values of families that are all in doubt.
    pub(super) doubtful: Vec<Observed>,
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

impl Place {
    /// The family that all values of its experiment and measure are divided in.
    pub(super) fn family(&self) -> Scope {
        Scope::all_of(&self.experiment, self.measure, &self.at).swap_remove(0)
    }
}

/// A value as a logarithm, where larger is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Logarithm {
    pub(super) value: f32,
    /// Standard error, as far as the run saw it.
    pub(super) error: f32,
}

impl Observation {
    /// Observation of a result, under the name of its node.
    pub fn of(name: String, file: &ResultFile) -> Self {
        let (mut values, mut doubtful) = (Vec::new(), Vec::new());
        let (mut gaps, mut families) = (BTreeSet::new(), BTreeSet::new());
        for one in &file.experiments {
            for cell in one.cells.iter().filter(|cell| is_outcome(cell)) {
                let scopes = || Scope::all_of(&one.experiment, cell.measure, &cell.at);
                let family = scopes().swap_remove(0);
                if one.completion != Completion::Complete || !families.contains(&family) {
                    gaps.insert(family.clone());
                }
                match observed(&one.experiment, cell) {
                    Some(observed) if cell.is_doubtful() => {
                        if one.completion == Completion::Complete {
                            doubtful.push((family, observed));
                        }
                    }
                    Some(observed) => {
                        if one.completion == Completion::Complete && families.insert(family.clone()) {
                            gaps.remove(&family);
                        }
                        values.push(observed);
                    }
                    None => gaps.extend(scopes().pop().filter(Scope::is_cell)),
                }
            }
        }
        let doubtful = doubtful.into_iter().filter(|(family, _)| gaps.contains(family));
        let doubtful = doubtful.map(|(_, observed)| observed).collect();
        let measured = !file.origin.is_model() && !values.is_empty();
        Self {
            name,
            key: key(file),
            began_at: file.started_at,
            run: file.run.as_ref().map(|run| run.id),
            build: Build::of(&file.machine),
            facts: facts(file),
            digest: measured.then(|| digest(&values)),
            values,
            gaps,
            doubtful,
        }
    }

    /// Forgets when its run began if that cannot be right, as seen from now; whether it was so.
    pub fn forget_wrong_time(&mut self, now: Timestamp) -> bool {
        let times = PlausibleTimes::seen_at(now.get().as_millisecond());
        // Only zerohop names its runs.
        let earliest =
            if self.run.is_some() { PlausibleTimes::FIRST_VERSION } else { PlausibleTimes::EARLIEST };
        let is_wrong = |began: &mut Timestamp| {
            let time = began.get().as_millisecond();
            time < earliest || !times.hold(time)
        };
        self.began_at.take_if(is_wrong).is_some()
    }

    /// Copy with this start time, for a caller that knows better than the host's clock.
    #[must_use]
    pub fn begun_at(self, began_at: Option<Timestamp>) -> Self {
        Self { began_at, ..self }
    }

    /// Copy without values: only the parts of the machine.
    #[must_use]
    pub fn of_parts(self) -> Self {
        Self { digest: None, values: Vec::new(), gaps: BTreeSet::new(), doubtful: Vec::new(), ..self }
    }

    /// Number of values that are judged.
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

fn is_outcome(cell: &Cell) -> bool {
    cell.measure.aspect() == Aspect::Outcome && cell.at.is_whole()
}

fn observed(experiment: &ExperimentName, cell: &Cell) -> Option<Observed> {
    let estimate = &cell.estimate;
    if !estimate.is_sound() || !USABLE.contains(&estimate.median) {
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

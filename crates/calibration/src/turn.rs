//! Turning knobs until a model agrees with what was measured.

use argmin::core::{CostFunction, Error, Executor as Search, State};
use argmin::solver::brent::BrentOpt;
use zerohop_machine::Setting;

use crate::knob::Knob;
use crate::model::{Model, Wanted};
use crate::target::{Part, Target, Targets, wanted};

/// Most evaluations of the model for one knob in one pass.
const MOST_STEPS: u64 = 25;

/// The factor is found to this, as a logarithm.
const PRECISE: f64 = 5e-4;

/// A knob, and the factor to which it is turned.
pub(crate) type Turned = (Knob, f64);

/// The settings of all knobs, one of them at another factor.
pub(crate) fn settings(knobs: &[Turned], other: Option<(usize, f64)>) -> Vec<Setting> {
    let turned = knobs.iter().enumerate().flat_map(|(rank, (knob, factor))| {
        let factor = other.filter(|(which, _)| *which == rank).map_or(*factor, |(_, factor)| factor);
        knob.settings(factor)
    });
    turned.collect()
}

/// How far a knob is turned where it has been turned before, as a factor: others have changed little since.
const AGAIN: f64 = 1.25;

/// How far knobs are turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Over their whole range.
    Whole,
    /// Around where they are.
    Near,
}

/// Turns each knob to where the values that it is fitted to agree best. Ends early once the search is stopped.
pub(crate) fn turn_all(model: &Model<'_>, knobs: &mut [Turned], targets: &Targets, part: Part, reach: Reach) {
    for rank in 0..knobs.len() {
        if model.stop.is_raised() {
            return;
        }
        let of_stage = targets[&knobs[rank].0.stage].iter();
        let used: Vec<&Target> = of_stage.filter(|target| part.has(target)).collect();
        let cost = Cost { model, knobs, rank, wanted: wanted(used.iter().copied()), used };
        knobs[rank].1 = cost.best(reach);
    }
}

/// The cost of a factor: the mean square of the logarithms of errors.
struct Cost<'a> {
    model: &'a Model<'a>,
    knobs: &'a [Turned],
    rank: usize,
    /// The values that the knob is fitted to.
    used: Vec<&'a Target>,
    wanted: Wanted,
}

impl Cost<'_> {
    /// The factor with the least cost, with all other knobs as they are.
    fn best(self, reach: Reach) -> f64 {
        let (knob, now) = &self.knobs[self.rank];
        let (least, most) = match reach {
            Reach::Whole => knob.range,
            Reach::Near => (knob.range.0.max(now / AGAIN), knob.range.1.min(now * AGAIN)),
        };
        let now = *now;
        let at_now = self.cost(&libm::log(now)).unwrap_or(f64::MAX);
        let solver = BrentOpt::new(libm::log(least), libm::log(most)).set_tolerance(PRECISE, PRECISE);
        let search = Search::new(self, solver).configure(|state| state.max_iters(MOST_STEPS)).run();
        let Ok(found) = search else { return now };
        let best = found.state().get_best_cost();
        found
            .state()
            .get_best_param()
            .filter(|_| best < at_now)
            .map_or(now, |logarithm| libm::exp(*logarithm))
    }
}

impl CostFunction for Cost<'_> {
    type Param = f64;
    type Output = f64;

    fn cost(&self, logarithm: &f64) -> Result<f64, Error> {
        let settings = settings(self.knobs, Some((self.rank, libm::exp(*logarithm))));
        let experiment = self.knobs[self.rank].0.stage.experiment();
        let Some(values) = self.model.values(&settings, &experiment, &self.wanted) else {
            return Ok(f64::MAX);
        };
        let errors = self
            .used
            .iter()
            .filter_map(|target| Some(libm::log(values.get(&target.key)?.value / target.measured).powi(2)));
        let (count, sum) = errors.fold((0, 0.0), |(count, sum), error| (count + 1, sum + error));
        Ok(if count == 0 { f64::MAX } else { sum / f64::from(count) })
    }
}

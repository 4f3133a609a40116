//! Turning knobs until a model agrees with what was measured.

use argmin::core::{CostFunction, Error, Executor as Search, State};
use argmin::solver::brent::BrentOpt;
use zerohop_machine::Setting;

use crate::model::{Model, Wanted};
use crate::outlier::weights;
use crate::parameter_group::ParameterGroup;
use crate::target::{Part, Target, Targets, wanted};

/// Most evaluations of the model for one knob in one pass.
const MOST_STEPS: u64 = 25;

/// The factor is found to this, as a logarithm.
const PRECISE: f64 = 5e-4;

/// A knob, and the factor to which it is turned.
pub(crate) type Turned = (ParameterGroup, f64);

/// The settings of all knobs, one of them at another factor.
pub(crate) fn settings(knobs: &[Turned], other: Option<(usize, f64)>) -> Vec<Setting> {
    let turned = knobs.iter().enumerate().flat_map(|(rank, (knob, factor))| {
        let factor = other.filter(|(which, _)| *which == rank).map_or(*factor, |(_, factor)| factor);
        knob.settings(factor)
    });
    turned.collect()
}

/// How far a knob is turned at once where it has been turned before, as a factor: others have changed little since.
const AGAIN: f64 = 1.25;

/// The factor by which a knob is turned to see how values change near where it is.
const NUDGE: f64 = 1.05;

/// A step by less, as a logarithm or as a share of what the factor may be off by, is not taken.
const SMALL: f64 = 2e-3;
const SMALL_SHARE: f64 = 0.2;

/// A step that ends where values agree less is halved, at most so many times.
const HALVINGS: usize = 2;

/// How far knobs are turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Over their whole range.
    Whole,
    /// Around where they are.
    Near,
}

/// The factors of all knobs when one of them was turned last.
pub(crate) type Before = Option<Vec<f64>>;

/// Turns each knob to where the values that it is fitted to agree best, unless no factor has changed since it was turned last. Ends early
/// once the search is stopped.
pub(crate) fn turn_all(
    model: &Model<'_>,
    knobs: &mut [Turned],
    targets: &Targets,
    part: Part,
    reach: Reach,
    last: &mut [Before],
) {
    for rank in 0..knobs.len() {
        if model.stop.is_raised() {
            return;
        }
        let now: Vec<f64> = knobs.iter().map(|(_, factor)| *factor).collect();
        let is_as = |before: &Vec<f64>| {
            now.iter().zip(before).all(|(now, before)| libm::log(now / before).abs() < SMALL)
        };
        if last[rank].as_ref().is_some_and(is_as) {
            continue;
        }
        last[rank] = Some(now);
        let of_stage = targets[&knobs[rank].0.stage].iter();
        let used: Vec<&Target> = of_stage.filter(|target| part.has(target)).collect();
        let wanted = wanted(used.iter().copied());
        let mut cost = Cost { model, knobs, rank, wanted, weights: vec![1.0; used.len()], used };
        cost.weigh();
        knobs[rank].1 = cost.best(reach);
    }
}

/// The cost of a factor: the mean square of the logarithms of errors, each with its weight.
struct Cost<'a> {
    model: &'a Model<'a>,
    knobs: &'a [Turned],
    rank: usize,
    /// The values that the knob is fitted to.
    used: Vec<&'a Target>,
    /// How much each of them counts.
    weights: Vec<f64>,
    wanted: Wanted,
}

impl Cost<'_> {
    /// Lets values that do not fit the others where the knob is now count less.
    fn weigh(&mut self) {
        if let Some(errors) = self.errors(self.model, libm::log(self.knobs[self.rank].1)) {
            let uncertain = self.used.iter().map(|target| target.error);
            self.weights = weights(&errors.into_iter().zip(uncertain).collect::<Vec<_>>());
        }
    }

    /// The factor with the least cost, with all other knobs as they are.
    fn best(self, reach: Reach) -> f64 {
        let (knob, now) = &self.knobs[self.rank];
        match reach {
            Reach::Whole => self.searched(*now, knob.range),
            Reach::Near => self.stepped(*now, knob.range),
        }
    }

    /// Where values agree best if their logarithms change evenly with that of the factor, as fast as the rough model says; less far where
    /// they agree less there.
    fn stepped(&self, now: f64, (least, most): (f64, f64)) -> f64 {
        let Some((step, small)) = self.step(now, most) else { return now };
        let mut step = step.clamp(-libm::log(AGAIN), libm::log(AGAIN));
        let at_now = self.of(self.model, libm::log(now));
        for _ in 0..=HALVINGS {
            let there = (now * libm::exp(step)).clamp(least, most);
            if libm::log(there / now).abs() < small {
                break;
            }
            if self.of(self.model, libm::log(there)) < at_now {
                return there;
            }
            step /= 2.0;
        }
        now
    }

    /// The change of the factor's logarithm after which the mean square of errors would be least, and which change is too small to matter.
    fn step(&self, now: f64, most: f64) -> Option<(f64, f64)> {
        let nudge = if now * NUDGE > most { 1.0 / NUDGE } else { NUDGE };
        let rough = self.model.rough();
        let [before, after] = [now, now * nudge].map(|factor| self.errors(rough, libm::log(factor)));
        let errors = self.errors(self.model, libm::log(now))?.into_iter().zip(before?).zip(after?);
        let [mut products, mut squares, mut noise] = [0.0; 3];
        for ((((error, before), after), target), weight) in errors.zip(&self.used).zip(&self.weights) {
            let (Some(error), Some(before), Some(after)) = (error, before, after) else { continue };
            let slope = (after - before) / libm::log(nudge);
            products += weight * slope * error;
            squares += weight * slope * slope;
            noise += (weight * slope * target.error).powi(2);
        }
        let step = -products / squares;
        step.is_finite().then(|| (step, SMALL.max(SMALL_SHARE * noise.sqrt() / squares)))
    }

    /// The factor with the least cost in a range, by Brent's method.
    fn searched(self, now: f64, (least, most): (f64, f64)) -> f64 {
        let at_now = self.of(self.model, libm::log(now));
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

    /// How far a model is off at a factor, by its logarithm: the logarithm of each value's error, where the model has the value.
    fn errors(&self, model: &Model<'_>, logarithm: f64) -> Option<Vec<Option<f64>>> {
        let settings = settings(self.knobs, Some((self.rank, libm::exp(logarithm))));
        let experiment = self.knobs[self.rank].0.stage.experiment();
        let values = model.values(&settings, &experiment, &self.wanted)?;
        let error = |target: &&Target| Some(libm::log(values.get(&target.key)?.value / target.measured));
        Some(self.used.iter().map(error).collect())
    }

    /// The cost of a model at a factor, by its logarithm.
    fn of(&self, model: &Model<'_>, logarithm: f64) -> f64 {
        let errors = self.errors(model, logarithm).unwrap_or_default();
        let weighed =
            errors.into_iter().zip(&self.weights).filter_map(|(error, weight)| Some((error?, weight)));
        let (all, sum) = weighed
            .fold((0.0, 0.0), |(all, sum), (error, weight)| (all + weight, sum + weight * error * error));
        if all == 0.0 { f64::MAX } else { sum / all }
    }
}

impl CostFunction for Cost<'_> {
    type Param = f64;
    type Output = f64;

    fn cost(&self, logarithm: &f64) -> Result<f64, Error> {
        Ok(self.of(self.model, *logarithm))
    }
}

//! How far fitted factors may be off.
//!
//! Each knob is turned until the values of its stage agree best, with all other knobs where they are. So its factor takes over the noise of
//! these values, and what other factors that change them are off by. To first order, with slope `s_ik` of the logarithm of value `i` to that
//! of knob `k`'s factor, errors `e_i` of the values and `δ_j` of the factors, the fit of knob `k` to its values `T_k` means
//!
//! ```text
//! Σ_{i∈T_k} s_ik (e_i − Σ_j s_ij δ_j) = 0,   in short   A δ = b
//! ```
//!
//! with `A_kj = Σ s_ik s_ij` and `b_k = Σ s_ik e_i`. The covariance of `δ` is that of `b` between `A⁻¹` and its transpose.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_result::ExperimentName;
use zerohop_study::Stage;

use crate::fitting::{Turned, settings};
use crate::model::{Model, Values, Wanted};
use crate::outlier::weights;
use crate::report::Predictions;
use crate::target::{Part, Target, Targets, errors, wanted};

/// The factor by which a knob is turned to see how values change.
const NUDGE: f64 = 1.1;

/// A pivot below this share of what it was before others were eliminated is none.
const SINGULAR: f64 = 1e-9;

/// Slopes of values to knobs.
pub(crate) struct Slopes {
    /// The stage of each knob.
    stages: Vec<Stage>,
    /// By stage: the slopes of each value to all knobs, and the value's own error.
    values: BTreeMap<Stage, Vec<(Vec<f64>, f64)>>,
}

impl Slopes {
    /// How the values of a part change with each of the knobs.
    pub(crate) fn of(model: &Model<'_>, knobs: &[Turned], targets: &Targets, part: Part) -> Self {
        let stages: Vec<Stage> = knobs.iter().map(|(knob, _)| knob.stage).collect();
        let used = |stage: &Stage| targets[stage].iter().filter(|target| part.has(target));
        let mut used_of: BTreeMap<ExperimentName, Vec<&Target>> = BTreeMap::new();
        for stage in stages.iter().collect::<BTreeSet<_>>() {
            used_of.entry(stage.experiment()).or_default().extend(used(stage));
        }
        let experiments: Vec<(ExperimentName, Wanted)> =
            used_of.into_iter().map(|(name, used)| (name, wanted(used))).collect();
        // By knob: its change as a logarithm, and the values before and after.
        let turned = (0..knobs.len()).map(|rank| {
            let (knob, now) = &knobs[rank];
            let (down, up) = ((now / NUDGE).max(knob.range.0), (now * NUDGE).min(knob.range.1));
            let at = |factor: f64| -> BTreeMap<&ExperimentName, Values> {
                let settings = settings(knobs, Some((rank, factor)));
                let values =
                    experiments.iter().map(|(name, wanted)| (name, model.values(&settings, name, wanted)));
                values.filter_map(|(name, values)| Some((name, values?))).collect()
            };
            (libm::log(up / down), at(down), at(up))
        });
        let turned: Vec<_> = turned.collect();
        let mut values: BTreeMap<Stage, Vec<(Vec<f64>, f64)>> = BTreeMap::new();
        for stage in stages.iter().copied() {
            if values.contains_key(&stage) {
                continue;
            }
            let experiment = stage.experiment();
            let slopes = used(&stage).map(|target| {
                let slope = |(change, less, more): &(f64, BTreeMap<_, Values>, BTreeMap<_, Values>)| {
                    let of = |values: &BTreeMap<_, Values>| {
                        let values: &Values = values.get(&experiment)?;
                        values.get(&target.key).map(|found| found.value)
                    };
                    let (less, more) = of(less).zip(of(more))?;
                    let slope = libm::log(more / less) / change;
                    slope.is_finite().then_some(slope)
                };
                (turned.iter().map(|turned| slope(turned).unwrap_or(0.0)).collect(), target.error)
            });
            values.insert(stage, slopes.collect());
        }
        Self { stages, values }
    }

    /// The same, if no value is known better than those of its stage lie around the model: two standard deviations, as much as an interval.
    /// Values that do not fit count as they do in the fit.
    pub(crate) fn scattered(mut self, targets: &Targets, model: &Predictions) -> Self {
        for (stage, values) in &mut self.values {
            let Some(predicted) = model.get(&stage.experiment()) else { continue };
            let found = errors(&targets[stage], predicted);
            let weighed = found
                .iter()
                .zip(weights(&found))
                .filter_map(|((error, _), weight)| Some((weight * (*error)?).powi(2)));
            let (count, squares) =
                weighed.fold((0_usize, 0.0), |(count, sum), square| (count + 1, sum + square));
            let knobs = self.stages.iter().filter(|of_knob| *of_knob == stage).count();
            if count > knobs {
                let scatter = 2.0 * (squares / (count - knobs) as f64).sqrt();
                values.iter_mut().for_each(|(_, error)| *error = error.max(scatter));
            }
        }
        self
    }

    /// How far the factor of a knob may be off, as a logarithm, if all others are right.
    pub(crate) fn own_error(&self, knob: usize) -> f64 {
        let values = self.values[&self.stages[knob]].iter();
        let squares = values.map(|(slopes, error)| [slopes[knob].powi(2), (slopes[knob] * error).powi(2)]);
        let [slopes, noise] =
            squares.fold([0.0, 0.0], |sum, [slope, noise]| [sum[0] + slope, sum[1] + noise]);
        if slopes > 0.0 { noise.sqrt() / slopes } else { f64::INFINITY }
    }

    /// How far the factor of each of the `kept` knobs may be off, as a logarithm, if the others are not fitted; infinite if nothing
    /// determines it.
    pub(crate) fn errors(&self, kept: &[usize]) -> Vec<f64> {
        let sum = |one: usize, other: usize, of: fn(f64, f64, f64) -> f64| -> f64 {
            let values = self.values[&self.stages[one]].iter();
            values.map(|(slopes, error)| of(slopes[one], slopes[other], *error)).sum()
        };
        let size = kept.len();
        let design: Vec<Vec<f64>> = kept
            .iter()
            .map(|&row| kept.iter().map(|&column| sum(row, column, |own, other, _| own * other)).collect())
            .collect();
        let (inverse, undetermined) = inverse(design);
        let noise = |row: usize, column: usize| match self.stages[kept[row]] == self.stages[kept[column]] {
            true => sum(kept[row], kept[column], |own, other, error| own * other * error * error),
            // Other stages have other values.
            false => 0.0,
        };
        let variance = |rank: usize| -> f64 {
            let pairs = (0..size).flat_map(|row| (0..size).map(move |column| (row, column)));
            pairs.map(|(row, column)| inverse[rank][row] * noise(row, column) * inverse[rank][column]).sum()
        };
        (0..size)
            .map(|rank| if undetermined[rank] { f64::INFINITY } else { variance(rank).max(0.0).sqrt() })
            .collect()
    }
}

/// The inverse of a square matrix, and which of its unknowns nothing determines: their rows and columns are left out.
fn inverse(mut left: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, Vec<bool>) {
    let size = left.len();
    let mut right: Vec<Vec<f64>> =
        (0..size).map(|row| (0..size).map(|column| f64::from(u8::from(row == column))).collect()).collect();
    let scale: Vec<f64> = (0..size).map(|rank| left[rank][rank].abs()).collect();
    let mut undetermined = vec![false; size];
    // Knobs come in the order in which values see them, so that the diagonal leads: no rows are exchanged.
    for (rank, scale) in scale.into_iter().enumerate() {
        let pivot = left[rank][rank];
        if pivot.abs() <= SINGULAR * scale {
            undetermined[rank] = true;
            continue;
        }
        for column in 0..size {
            left[rank][column] /= pivot;
            right[rank][column] /= pivot;
        }
        for row in (0..size).filter(|&row| row != rank) {
            let times = left[row][rank];
            for column in 0..size {
                left[row][column] -= times * left[rank][column];
                right[row][column] -= times * right[rank][column];
            }
        }
    }
    for row in &mut right {
        for (rank, cell) in row.iter_mut().enumerate() {
            if undetermined[rank] {
                *cell = 0.0;
            }
        }
    }
    (right, undetermined)
}

#[cfg(test)]
mod tests {
    use super::{Slopes, Stage};

    /// Values, each by its slopes to all knobs and its error.
    type Values<'a> = &'a [(&'a [f64], f64)];

    fn slopes(stages: &[Stage], values: &[(Stage, Values<'_>)]) -> Slopes {
        let values = values.iter().map(|(stage, values)| {
            (*stage, values.iter().map(|(slopes, error)| (slopes.to_vec(), *error)).collect())
        });
        Slopes { stages: stages.to_vec(), values: values.collect() }
    }

    /// Mixes depend on the channels' efficiency ten times as much as on turning around.
    #[test]
    fn an_error_of_an_earlier_factor_is_passed_on() {
        let stages = [Stage::LocalBandwidth, Stage::Mixes];
        let of = |kept: &[usize]| {
            let local: Values<'_> = &[(&[1.0, 0.0], 0.01)];
            let mixes: Values<'_> = &[(&[1.0, -0.1], 0.001)];
            slopes(&stages, &[(stages[0], local), (stages[1], mixes)]).errors(kept)
        };
        let near = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-9;
        let both = of(&[0, 1]);
        assert!(near(both[0], 0.01), "{both:?}");
        // Its own 1 %, and ten times 1 % of the efficiency.
        assert!(near(both[1], libm::hypot(0.01, 0.1)), "{both:?}");
        assert!(near(of(&[1])[0], 0.01), "{both:?}");
    }

    #[test]
    fn several_values_average_their_noise() {
        let one: (&[f64], f64) = (&[0.5], 0.02);
        let values = &[one; 4];
        let errors = slopes(&[Stage::LocalLatency], &[(Stage::LocalLatency, values)]).errors(&[0]);
        assert!((errors[0] - 0.02).abs() < 1e-12, "{errors:?}");
    }

    #[test]
    fn what_nothing_determines_has_no_bound() {
        let stages = [Stage::LocalBandwidth, Stage::LocalBandwidth];
        let values: Values<'_> = &[(&[1.0, 2.0], 0.01), (&[1.0, 2.0], 0.01)];
        let errors = slopes(&stages, &[(stages[0], values)]).errors(&[0, 1]);
        assert!(errors[1].is_infinite(), "{errors:?}");
        let values: Values<'_> = &[(&[0.0], 0.01)];
        assert!(slopes(&stages[..1], &[(stages[0], values)]).errors(&[0])[0].is_infinite());
    }
}

//! Where a series steps from one level to another, though its level drifts, its values have errors, and some are bursts.
//!
//! The series is divided so that the misfit of all segments and a price for each further one are least: optimal partitioning (Jackson and
//! others, "An algorithm for optimal partitioning of data on an interval", *IEEE Signal Processing Letters*, 2005), of which PELT is the
//! pruned form. Within a segment the level may drift, as in DeCAFS (Romano and others, 2022), so that a drift is no step; and the
//! misfit of a single value is bounded (Fearnhead and Rigaill, 2019), so that neither is a burst.

use crate::local_level::{Filter, Variation, Weighed};
use crate::student::{two_sided, two_sided_quantile};

/// A value of a series, as a logarithm, with the half width of its interval as one; 0 where it has none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    pub value: f64,
    pub half_width: f64,
}

/// A step of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The rank of the first value after it.
    pub at: usize,
    /// Its size, as a logarithm.
    pub size: f64,
    /// Lower end of the size's interval.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
    /// How likely a step that is so large is to be found anywhere in a series without any.
    pub p: f64,
}

/// What a series did.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    /// Its steps, the first one first.
    pub steps: Vec<Step>,
    /// How far its level has drifted since the last step, or since it began, as a logarithm.
    pub drift: f64,
    /// The standard deviation of a value about its level, as a logarithm.
    pub noise: f64,
    /// Of the last values, those that are far from the level before them: too few to tell a step from a burst.
    pub unsettled: usize,
}

/// The fewest values between two steps: two may be a burst.
pub const SHORTEST: usize = 3;

/// The fewest values of a series that may have a step.
pub const FEWEST: usize = 2 * SHORTEST;

/// The price of a segment, over the logarithm of the number of values. DeCAFS takes 2, and assumes that no value is a burst.
const PRICE: f64 = 4.0;

/// Variances are compared with the typical one within these bounds: an interval that is much too narrow or wide is more likely wrong.
const WEIGHTS: (f64, f64) = (0.25, 4.0);

/// Finds the steps of a series; `None` if it has too few values. Intervals of sizes have this confidence.
pub fn steps(series: &[Observation], confidence: f64) -> Option<Steps> {
    if series.len() < FEWEST {
        return None;
    }
    let seen = weighed(series);
    // Steps look like drift until they are known.
    let first = Variation::of(&seen);
    let of = Variation::of(&level(&seen, &partition(&seen, first), first)?);
    let bounds = partition(&seen, of);
    let segments = segments(&seen, &bounds);
    // Noise and drift are estimated, and so is the level of each segment.
    let degrees = seen.len().saturating_sub(1 + segments.len()).max(1) as f64;
    let quantile = two_sided_quantile(1.0 - confidence, degrees);
    let steps = segments.windows(2).zip(&bounds[1..]).filter_map(|(pair, &at)| {
        let (size, variance) = difference(pair[0], pair[1], of)?;
        let error = variance.sqrt();
        // It may have been anywhere, and where it is largest is where it was found.
        let p = (two_sided(size / error, degrees) * seen.len() as f64).min(1.0);
        Some(Step { at, size, low: size - quantile * error, high: size + quantile * error, p })
    });
    let steps = steps.collect();
    let last = segments.last()?;
    let (begin, end) =
        (Filter::through(last.iter().rev().copied(), of)?, Filter::through(last.iter().copied(), of)?);
    Some(Steps {
        steps,
        drift: end.level - begin.level,
        noise: of.noise.sqrt(),
        unsettled: unsettled(last, of),
    })
}

fn segments<'a>(seen: &'a [Weighed], bounds: &[usize]) -> Vec<&'a [Weighed]> {
    bounds.windows(2).map(|pair| &seen[pair[0]..pair[1]]).collect()
}

/// How far the level after two segments' border is from that before it, and the variance of that.
fn difference(before: &[Weighed], after: &[Weighed], of: Variation) -> Option<(f64, f64)> {
    let before = Filter::through(before.iter().copied(), of)?;
    let after = Filter::through(after.iter().rev().copied(), of)?;
    Some((after.level - before.level, before.variance + after.variance + of.drift))
}

/// The series without its steps.
fn level(seen: &[Weighed], bounds: &[usize], of: Variation) -> Option<Vec<Weighed>> {
    let mut level = seen.to_vec();
    for (pair, &at) in segments(seen, bounds).windows(2).zip(&bounds[1..]) {
        let (size, _) = difference(pair[0], pair[1], of)?;
        level[at..].iter_mut().for_each(|seen| seen.value -= size);
    }
    Some(level)
}

/// Values with the size of their variances, compared with the typical one.
fn weighed(series: &[Observation]) -> Vec<Weighed> {
    let typical = crate::median(series.iter().map(|seen| seen.half_width)).unwrap_or(0.0);
    let weigh = |&Observation { value, half_width }: &Observation| {
        let ratio = half_width / typical;
        let relative = if ratio.is_finite() { ratio * ratio } else { 1.0 };
        Weighed { value, relative_variance: relative.clamp(WEIGHTS.0, WEIGHTS.1) }
    };
    series.iter().map(weigh).collect()
}

/// The ranks at which segments begin, and the number of values.
fn partition(seen: &[Weighed], of: Variation) -> Vec<usize> {
    let count = seen.len();
    let price = PRICE * libm::log(count as f64);
    // The least cost of the first values, this many, and where their last segment begins.
    let mut best: Vec<(f64, usize)> = vec![(f64::INFINITY, 0); count + 1];
    best[0] = (-price, 0);
    for begin in 0..count {
        let before = best[begin].0;
        if before.is_infinite() {
            continue;
        }
        let mut filter = Filter::begin(seen[begin], of);
        for end in begin + 1..=count {
            if end > begin + 1 {
                filter = filter.next(seen[end - 1], of);
            }
            let cost = before + price + filter.cost;
            if filter.near >= SHORTEST && cost < best[end].0 {
                best[end] = (cost, begin);
            }
        }
    }
    // Where every division leaves too few values near a level, there is none.
    if best[count].0.is_infinite() {
        return vec![0, count];
    }
    let mut bounds = vec![count];
    let mut end = count;
    while end > 0 {
        end = best[end].1;
        bounds.push(end);
    }
    bounds.reverse();
    bounds
}

/// The number of last values that are far from the level before them, fewer than make a segment.
fn unsettled(segment: &[Weighed], of: Variation) -> usize {
    let most = SHORTEST - 1;
    let count = segment.len();
    let far = |odd: usize| {
        let (settled, last) = segment.split_at(count - odd);
        let Some(Filter { level, variance, .. }) = Filter::through(settled.iter().copied(), of) else {
            return false;
        };
        let is_far = |seen: &Weighed| {
            let noise = variance + of.drift + of.noise * seen.relative_variance;
            (seen.value - level).abs() > crate::local_level::FARTHEST * noise.sqrt()
        };
        last.iter().all(is_far)
    };
    (1..=most.min(count.saturating_sub(SHORTEST))).rev().find(|&odd| far(odd)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;

    fn series(values: impl IntoIterator<Item = f64>) -> Vec<Observation> {
        values.into_iter().map(|value| Observation { value, half_width: 0.02 }).collect()
    }

    fn found(values: impl IntoIterator<Item = f64>) -> Steps {
        steps(&series(values), 0.95).unwrap()
    }

    fn noise(chance: &mut Chance, count: usize) -> Vec<f64> {
        (0..count).map(|_| 0.01 * chance.normal()).collect()
    }

    #[test]
    fn a_step_is_found_with_its_place_and_its_size() {
        let mut chance = Chance::new(1);
        let (mut placed, mut covered, mut small) = (0, 0, 0);
        for _ in 0..200 {
            let values = noise(&mut chance, 60).into_iter().enumerate();
            let found = found(values.map(|(rank, value)| if rank < 37 { value } else { value + 0.05 }));
            let [Step { at, low, high, p, .. }] = found.steps[..] else { continue };
            placed += usize::from(at.abs_diff(37) <= 1);
            covered += usize::from(low <= 0.05 && 0.05 <= high);
            small += usize::from(p < 1e-3);
        }
        assert!(placed >= 185, "{placed} of 200");
        assert!((180..=200).contains(&covered), "{covered} of 200");
        assert!(small >= 190, "{small} of 200");
    }

    #[test]
    fn a_burst_is_no_step_wherever_it_is() {
        let mut chance = Chance::new(2);
        for begin in 0..39 {
            let mut values = noise(&mut chance, 40);
            values[begin..(begin + 2).min(40)].iter_mut().for_each(|value| *value += 0.2);
            let found = found(values);
            assert!(found.steps.iter().all(|step| step.size.abs() < 0.1), "{begin}: {found:?}");
            assert_eq!(found.unsettled, if begin == 38 { 2 } else { 0 }, "{begin}");
        }
    }

    #[test]
    fn a_drift_is_no_step() {
        let mut chance = Chance::new(3);
        let drifting =
            noise(&mut chance, 100).into_iter().enumerate().map(|(rank, value)| value + 0.004 * rank as f64);
        let found = found(drifting);
        assert!(found.steps.iter().all(|step| step.p > 1e-4), "{found:?}");
        assert!(found.drift > 0.1, "{found:?}");
    }

    #[test]
    fn what_weighs_little_moves_little() {
        let mut chance = Chance::new(4);
        let mut values = series(noise(&mut chance, 40));
        // The last results say themselves that they tell nothing.
        for seen in &mut values[34..] {
            *seen = Observation { value: seen.value + 0.03, half_width: 0.2 };
        }
        assert!(steps(&values, 0.95).unwrap().steps.is_empty());
        values[34..].iter_mut().for_each(|seen| seen.half_width = 0.005);
        assert_eq!(steps(&values, 0.95).unwrap().steps.len(), 1);
    }

    #[test]
    fn equal_values_and_few_values_have_no_step() {
        assert!(found([1.0; 12]).steps.is_empty());
        assert_eq!(steps(&series([1.0; FEWEST - 1]), 0.95), None);
        let model = found((0..12).map(|rank| if rank < 6 { 1.0 } else { 1.1 }));
        assert_eq!(model.steps.iter().map(|step| step.at).collect::<Vec<_>>(), [6]);
    }
}

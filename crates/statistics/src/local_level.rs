//! A level that drifts, seen with noise: the local-level model (Harvey, *Forecasting, Structural Time Series Models and the Kalman Filter*, 1989).

use crate::location::median;

/// How values of a series vary while nothing happens. Values are logarithms, so variances are of relative differences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Variation {
    /// The variance of a value of weight 1 about its level.
    pub(crate) noise: f64,
    /// The variance of the level's step from one value to the next.
    pub(crate) drift: f64,
}

/// A value with the relative size of its variance: 1 is typical.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weighed {
    pub(crate) value: f64,
    pub(crate) relative_variance: f64,
}

/// The median absolute deviation of a normal distribution is its standard deviation over this.
const NORMAL: f64 = 1.4826;

/// Differences over more values than this say more of steps than of noise.
const LONGEST_LAG: usize = 8;

/// The least drift, over the noise. So little is not seen among a hundred values, and moves a level by two thirds of the noise meanwhile.
const LEAST_DRIFT: f64 = 0.01;

/// The least noise of a value: even the results of a model differ by rounding.
const LEAST_NOISE: f64 = 1e-6;

impl Variation {
    /// That of a series, from the differences of values that are 1, 2, … apart, which grow with the distance only where the level drifts. Their
    /// medians do not see steps and bursts, of which there are few (Romano and others, "Detecting abrupt changes in the presence of local
    /// fluctuations and autocorrelated noise", *Journal of the American Statistical Association*, 2022, section 3.2).
    pub(crate) fn of(series: &[Weighed]) -> Self {
        let longest = (series.len() / 8).clamp(1, LONGEST_LAG);
        let lags: Vec<(f64, f64)> =
            (1..=longest).filter_map(|lag| Some((lag as f64, squared(series, lag)?))).collect();
        // The squares are 2 noise + lag drift: a line through them.
        let (noise, drift) = match lags.as_slice() {
            [] => (0.0, 0.0),
            [(_, only)] => (only / 2.0, 0.0),
            several => {
                let count = several.len() as f64;
                let lag = several.iter().map(|(lag, _)| lag).sum::<f64>() / count;
                let mean = several.iter().map(|(_, square)| square).sum::<f64>() / count;
                let slope = several.iter().map(|(of, square)| (of - lag) * (square - mean)).sum::<f64>()
                    / several.iter().map(|(of, _)| (of - lag) * (of - lag)).sum::<f64>();
                let slope = slope.max(0.0);
                ((mean - slope * lag) / 2.0, slope)
            }
        };
        let noise = noise.max(LEAST_NOISE);
        Self { noise, drift: drift.max(LEAST_DRIFT * noise) }
    }
}

/// The square of the typical difference of values that are so far apart, as its standard deviation.
fn squared(series: &[Weighed], lag: usize) -> Option<f64> {
    let apart = series.iter().zip(series.get(lag..)?);
    // What weighs less differs more.
    let differences = apart.map(|(one, other)| {
        let scale = f64::midpoint(one.relative_variance, other.relative_variance).sqrt();
        (other.value - one.value).abs() / scale
    });
    let typical = NORMAL * median(differences)?;
    Some(typical * typical)
}

/// A value that is farther from where it is expected, in standard deviations, is a burst, or the first one after a step: it moves no level.
pub(crate) const FARTHEST: f64 = 3.0;

/// The level while values are seen one after the other, about which nothing is known before the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Filter {
    pub(crate) level: f64,
    /// The variance of its error.
    pub(crate) variance: f64,
    /// How badly the values fit: the sum of squares of their distances from where they were expected, in standard deviations, each of them at
    /// most [`FARTHEST`] (the biweight loss of Fearnhead and Rigaill, "Changepoint detection in the presence of outliers", *Journal of the
    /// American Statistical Association*, 2019).
    pub(crate) cost: f64,
    /// The number of values that are no farther than that.
    pub(crate) near: usize,
}

impl Filter {
    /// After the first value.
    pub(crate) fn begin(first: Weighed, of: Variation) -> Self {
        Self { level: first.value, variance: of.noise * first.relative_variance, cost: 0.0, near: 1 }
    }

    /// After one more value (the Kalman filter).
    pub(crate) fn next(self, seen: Weighed, of: Variation) -> Self {
        let variance = self.variance + of.drift;
        let noise = of.noise * seen.relative_variance;
        let error = seen.value - self.level;
        let square = error * error / (variance + noise);
        if square > FARTHEST * FARTHEST {
            return Self { variance, cost: self.cost + FARTHEST * FARTHEST, ..self };
        }
        let gain = variance / (variance + noise);
        Self {
            level: self.level + gain * error,
            variance: variance * (1.0 - gain),
            cost: self.cost + square,
            near: self.near + 1,
        }
    }

    /// After all values of a segment. It begins where most of its values are: a burst may be first.
    pub(crate) fn through(mut values: impl Iterator<Item = Weighed> + Clone, of: Variation) -> Option<Self> {
        let middle = median(values.clone().map(|seen| seen.value))?;
        let noise = of.noise;
        let near = |seen: &Weighed| {
            (seen.value - middle).abs() <= FARTHEST * (noise * seen.relative_variance).sqrt()
        };
        let first = values.clone().find(near).or_else(|| values.next())?;
        Some(values.fold(Self::begin(first, of), |filter, seen| filter.next(seen, of)))
    }
}

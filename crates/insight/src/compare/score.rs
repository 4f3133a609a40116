//! Combines ratios into their geometric mean.

use crate::comparison::{Ratio, Score, Tendency};

/// The geometric mean is consistent whichever result is the base: the mean of the inverse ratios is the inverse of the
/// mean. All ratios are positive.
pub(crate) fn score(ratios: impl Iterator<Item = Ratio>) -> Score {
    let ratios: Vec<Ratio> = ratios.collect();
    let mean = |end: fn(&Ratio) -> f64| {
        if ratios.is_empty() {
            return 1.0;
        }
        (ratios.iter().map(|ratio| end(ratio).ln()).sum::<f64>() / ratios.len() as f64).exp()
    };
    let count = |wanted: Tendency| ratios.iter().filter(|ratio| ratio.tendency() == wanted).count();
    Score {
        mean: Ratio {
            value: mean(|ratio| ratio.value),
            low: mean(|ratio| ratio.low),
            high: mean(|ratio| ratio.high),
        },
        cells: ratios.len(),
        better: count(Tendency::Better),
        worse: count(Tendency::Worse),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(value: f64) -> Ratio {
        Ratio { value, low: value, high: value }
    }

    #[test]
    fn half_and_double_make_one_and_the_inverse_of_a_mean_is_the_mean_of_inverses() {
        assert!((score([exact(0.5), exact(2.0)].into_iter()).mean.value - 1.0).abs() < 1e-12);
        let ratios = [0.06, 1.3, 0.9, 2.5];
        let forth = score(ratios.iter().copied().map(exact)).mean.value;
        let back = score(ratios.iter().map(|ratio| exact(1.0 / ratio))).mean.value;
        assert!((forth * back - 1.0).abs() < 1e-12);
    }

    #[test]
    fn only_what_is_certain_counts_as_better_or_worse() {
        let wide = Ratio { value: 1.2, low: 0.9, high: 1.5 };
        let score = score([wide, exact(1.1), exact(0.9), exact(1.0)].into_iter());
        assert_eq!((score.cells, score.better, score.worse), (4, 1, 1));
    }
}

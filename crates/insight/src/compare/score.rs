//! Combines ratios into their geometric mean.

use crate::comparison::{CellScore, Ratio, Score, Tendency};

/// The geometric mean is consistent whichever result is the base: the mean of the inverse ratios is the inverse of the
/// mean. All ratios are positive. Doubtful cells are only counted.
pub(crate) fn score(cells: impl Iterator<Item = CellScore>) -> Score {
    let (doubtful, sound): (Vec<CellScore>, Vec<CellScore>) = cells.partition(|cell| cell.doubtful);
    let mean = |end: fn(&Ratio) -> f64| {
        if sound.is_empty() {
            return 1.0;
        }
        libm::exp(sound.iter().map(|cell| libm::log(end(&cell.ratio))).sum::<f64>() / sound.len() as f64)
    };
    let count = |wanted: Tendency| sound.iter().filter(|cell| cell.tendency == wanted).count();
    Score {
        mean: Ratio {
            value: mean(|ratio| ratio.value),
            low: mean(|ratio| ratio.low),
            high: mean(|ratio| ratio.high),
        },
        cells: sound.len(),
        doubtful: doubtful.len(),
        better: count(Tendency::Better),
        worse: count(Tendency::Worse),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(value: f64) -> CellScore {
        let tendency = if value > 1.0 { Tendency::Better } else { Tendency::Worse };
        CellScore { ratio: Ratio { value, low: value, high: value }, tendency, doubtful: false }
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
    fn doubtful_cells_are_counted_but_move_no_mean() {
        let doubtful = CellScore { doubtful: true, ..exact(9.0) };
        let score = score([doubtful, exact(1.1), exact(0.9)].into_iter());
        assert_eq!((score.cells, score.doubtful, score.better, score.worse), (2, 1, 1, 1));
        assert!((score.mean.value - 0.99f64.sqrt()).abs() < 1e-12);
    }
}

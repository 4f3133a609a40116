//! Combines ratios into their geometric mean.

use zerohop_statistics::{median, two_sided_quantile};

use super::judge::RISK;
use super::repeated_cell::MANY;
use crate::comparison::{CellScore, ComparedNumber, Ratio, Score, Smallest, Tendency};

/// Correlation between the deviations of two cells of one run: see `shifts`.
pub(super) const CORRELATED: f64 = 0.4;

/// The quantile of the normal distribution for an interval of 95 % confidence.
pub(super) const NORMAL: f64 = 1.96;

/// The geometric mean is consistent whichever result is the base: the mean of the inverse ratios is the inverse of the
/// mean. All ratios are positive. Doubtful cells are only counted.
pub(crate) fn score(cells: impl Iterator<Item = CellScore>) -> Score {
    let (doubtful, sound): (Vec<CellScore>, Vec<CellScore>) = cells.partition(|cell| cell.doubtful);
    let count = |wanted: Tendency| sound.iter().filter(|cell| cell.tendency == wanted).count();
    Score {
        mean: mean(&sound),
        cells: sound.len(),
        doubtful: doubtful.len(),
        better: count(Tendency::Better),
        worse: count(Tendency::Worse),
    }
}

fn mean(cells: &[CellScore]) -> Ratio {
    let count = cells.len() as f64;
    if cells.is_empty() {
        return Ratio::ONE;
    }
    let log = cells.iter().map(|cell| libm::log(cell.ratio.value)).sum::<f64>() / count;
    let squares = |end: fn(&Ratio) -> f64| {
        let half = |ratio: &Ratio| libm::log(end(ratio) / ratio.value);
        let mean = cells.iter().map(|cell| half(&cell.ratio).powi(2)).sum::<f64>() / count;
        libm::exp((mean * (CORRELATED + (1.0 - CORRELATED) / count)).sqrt())
    };
    let value = libm::exp(log);
    Ratio { value, low: value / squares(|ratio| ratio.low), high: value * squares(|ratio| ratio.high) }
}

/// The smallest changes that these cells could have shown: of all together, and of one of typical width alone among them. `None` if none
/// decides.
pub(super) fn smallest<'a>(cells: impl Iterator<Item = &'a ComparedNumber>) -> Option<Smallest> {
    let cells: Vec<CellScore> = cells.map(ComparedNumber::score).filter(|cell| !cell.doubtful).collect();
    let half = |ratio: &Ratio| libm::log(ratio.high / ratio.low) / 2.0;
    let typical = median(cells.iter().map(|cell| half(&cell.ratio)))?;
    let alone = two_sided_quantile(RISK / cells.len() as f64, MANY) / NORMAL;
    let share = |log: f64| libm::exp(log) - 1.0;
    Some(Smallest { whole: share(half(&mean(&cells))), cell: share(typical * alone) })
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

    /// A mean of 38 cells once read 0.930 (0.402 to 2.15): from the mean of all lower ends to that of all upper ends.
    #[test]
    fn the_mean_of_many_cells_is_known_better_than_one_of_them() {
        let cell = CellScore {
            ratio: Ratio { value: 1.0, low: 0.8, high: 1.25 },
            tendency: Tendency::Same,
            doubtful: false,
        };
        let one = score(std::iter::once(cell)).mean;
        assert!((one.low - 0.8).abs() < 1e-12 && (one.high - 1.25).abs() < 1e-12, "{one:?}");
        let many = score(std::iter::repeat_n(cell, 40)).mean;
        let half = libm::log(1.25) * (0.4f64 + 0.6 / 40.0).sqrt();
        assert!((many.high - libm::exp(half)).abs() < 1e-12, "{many:?}");
        assert!((many.low * many.high - 1.0).abs() < 1e-12, "{many:?}");
    }

    #[test]
    fn doubtful_cells_are_counted_but_move_no_mean() {
        let doubtful = CellScore { doubtful: true, ..exact(9.0) };
        let score = score([doubtful, exact(1.1), exact(0.9)].into_iter());
        assert_eq!((score.cells, score.doubtful, score.better, score.worse), (2, 1, 1, 1));
        assert!((score.mean.value - 0.99f64.sqrt()).abs() < 1e-12);
    }
}

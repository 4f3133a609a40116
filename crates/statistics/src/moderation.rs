//! What the cells of a run tell of each other's scatter.
//!
//! Few rounds of one cell know little of its variance: with four of them, Student's factor is 3.2, with two 12.7. But the cells of a run were
//! measured in the same minute on the same machine, and dozens of them know well how far values scatter there. The variance of a cell
//! is therefore moderated by those of the others, as an empirical Bayes estimate (G. K. Smyth, "Linear models and empirical Bayes
//! methods for assessing differential expression in microarray experiments", *Statistical Applications in Genetics and Molecular
//! Biology* 3, 2004): true variances are taken to follow a scaled inverse chi-square distribution, whose scale and degrees of freedom
//! are fitted to the logarithms of all variances (section 6.2 there). A cell that scatters far more than others still shows it; one whose few rounds
//! agree by chance no longer claims to be certain. The correlation of neighboring rounds is that of all cells together.

use crate::batches::unbiased;
use crate::gamma::{digamma, inverse_trigamma, trigamma};
use crate::{Batches, Spread, mean_and_deviation, median};

/// With fewer cells than this, nothing is known of their kind.
const FEWEST: usize = 4;

/// A variance below this share of the usual one is one of values that were cut off to be equal.
const LEAST: f64 = 1e-5;

/// How far the rounds of all cells of a run scatter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scatter {
    usual: f64,
    /// The degrees of freedom that it counts for in a cell; infinite if cells differ by no more than chance.
    degrees: f64,
    /// Those that all cells have together.
    together: f64,
    correlation: f64,
}

impl Scatter {
    /// The scatter that these cells of one kind show; `None` if they are too few to tell.
    pub fn of<'a>(cells: impl IntoIterator<Item = &'a Batches>) -> Option<Self> {
        let cells: Vec<&Batches> = cells.into_iter().collect();
        if cells.len() < FEWEST {
            return None;
        }
        let least = LEAST * median(cells.iter().map(|cell| cell.spread.variance))?;
        if least <= 0.0 {
            return None;
        }
        // The logarithm of each variance, less what its degrees of freedom make of it.
        let logs = cells.iter().map(|cell| {
            let Spread { variance, degrees } = cell.spread;
            libm::log(variance.max(least)) - digamma(degrees / 2.0) + libm::log(degrees / 2.0)
        });
        let (mean, deviation) = mean_and_deviation(&logs.collect::<Vec<_>>());
        let chance = cells.iter().map(|cell| trigamma(cell.spread.degrees / 2.0)).sum::<f64>();
        let differing = deviation.powi(2) - chance / cells.len() as f64;
        let (usual, degrees) = if differing > 0.0 {
            let half = inverse_trigamma(differing);
            (libm::exp(mean + digamma(half) - libm::log(half)), 2.0 * half)
        } else {
            (libm::exp(mean), f64::INFINITY)
        };
        let together = cells.iter().map(|cell| cell.spread.degrees).sum();
        Some(Self { usual, degrees, together, correlation: correlation(&cells) })
    }

    /// The correlation of neighboring rounds.
    pub const fn correlation(&self) -> f64 {
        self.correlation
    }

    /// The variance of a cell, moderated.
    pub fn moderate(&self, own: Spread) -> Spread {
        let degrees = (self.degrees + own.degrees).min(self.together.max(own.degrees));
        let variance = if self.degrees.is_finite() {
            (self.degrees * self.usual + own.degrees * own.variance) / (self.degrees + own.degrees)
        } else {
            self.usual
        };
        Spread { variance, degrees }
    }
}

/// The correlation of neighbors that all cells show together.
fn correlation(cells: &[&Batches]) -> f64 {
    let known: Vec<(f64, f64)> =
        cells.iter().filter_map(|cell| Some((cell.count as f64, cell.correlated?))).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| known.iter().map(of).sum::<f64>() / known.len() as f64;
    if known.is_empty() { 0.0 } else { unbiased(mean(|cell| cell.0), mean(|cell| cell.1)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rounds;
    use crate::chance::Chance;

    /// Rounds of cells around 100, each with a deviation of its own.
    fn cells(
        chance: &mut Chance,
        rounds: usize,
        deviations: impl Fn(usize, &mut Chance) -> f64,
    ) -> Vec<Rounds> {
        let cell = |cell| {
            let deviation = deviations(cell, chance);
            let rounds: Vec<f64> =
                (0..rounds).map(|_| 100.0 * libm::exp(deviation * chance.normal())).collect();
            Rounds::of(&rounds).unwrap()
        };
        (0..50).map(cell).collect()
    }

    #[test]
    fn cells_that_differ_by_chance_alone_share_one_variance() {
        let mut chance = Chance::new(5);
        let cells = cells(&mut chance, 4, |_, _| 0.02);
        let scatter = Scatter::of(cells.iter().map(Rounds::batches)).unwrap();
        let spread = scatter.moderate(cells[0].batches().spread);
        assert!((spread.variance.sqrt() / 0.02 - 1.0).abs() < 0.15, "{spread:?}");
        assert!(spread.degrees > 20.0, "{spread:?}");
    }

    #[test]
    fn a_cell_that_scatters_far_more_than_others_shows_it() {
        let mut chance = Chance::new(6);
        let cells = cells(&mut chance, 8, |cell, _| if cell == 0 { 0.3 } else { 0.02 });
        let scatter = Scatter::of(cells.iter().map(Rounds::batches)).unwrap();
        let [loud, quiet] = [0, 1].map(|cell| scatter.moderate(cells[cell].batches().spread).variance.sqrt());
        assert!(loud > 3.0 * quiet, "{loud} {quiet}");
    }

    /// Both ends: intervals that cover, and that are no wider than they must be.
    #[test]
    fn moderated_intervals_cover_as_often_as_they_say_and_are_narrower_than_those_of_single_cells() {
        let mut chance = Chance::new(7);
        for rounds in [2, 4, 8] {
            let (mut covered, mut total) = (0usize, 0usize);
            let (mut moderated, mut alone) = (Vec::new(), Vec::new());
            for _ in 0..40 {
                // True deviations differ by a factor of about 1.3 either way.
                let cells = cells(&mut chance, rounds, |_, chance| 0.02 * libm::exp(0.3 * chance.normal()));
                let scatter = Scatter::of(cells.iter().map(Rounds::batches));
                for cell in &cells {
                    let estimate = cell.estimate(scatter.as_ref());
                    covered += usize::from((estimate.low..=estimate.high).contains(&100.0));
                    total += 1;
                    moderated.push(libm::log(estimate.high / estimate.low));
                    let single = cell.estimate(None);
                    alone.push(libm::log(single.high / single.low));
                }
            }
            let share = covered as f64 / total as f64;
            assert!((0.93..0.99).contains(&share), "{rounds} rounds: {share}");
            let mean = |widths: &[f64]| widths.iter().sum::<f64>() / widths.len() as f64;
            assert!(mean(&moderated) < mean(&alone), "{rounds} rounds");
            if rounds == 2 {
                assert!(mean(&moderated) < 0.4 * mean(&alone), "{} {}", mean(&moderated), mean(&alone));
            }
        }
    }

    #[test]
    fn equal_cells_and_few_cells_tell_nothing() {
        let equal = vec![Rounds::of(&[7.0; 5]).unwrap(); 9];
        assert_eq!(Scatter::of(equal.iter().map(Rounds::batches)), None);
        let mut chance = Chance::new(8);
        let cells = cells(&mut chance, 4, |_, _| 0.02);
        assert_eq!(Scatter::of(cells[..3].iter().map(Rounds::batches)), None);
    }
}

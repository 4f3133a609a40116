//! What to believe of many tests.

/// For each of these probabilities, whether it counts as a discovery, so that of all that do a share of `risk` at most is expected to be by
/// chance (Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", *Journal of the Royal Statistical Society* B 57, 1995).
/// `tests` is how many were made, of which those left out here are no discoveries.
pub fn discoveries(chances: &[f64], tests: usize, risk: f64) -> Vec<bool> {
    let bound = largest_discovery(chances, tests, risk);
    chances.iter().map(|chance| bound.is_some_and(|bound| *chance <= bound)).collect()
}

fn largest_discovery(chances: &[f64], tests: usize, risk: f64) -> Option<f64> {
    let sorted = crate::ascending(chances);
    let allowed = |rank: usize| risk * (rank + 1) as f64 / tests.max(sorted.len()) as f64;
    (0..sorted.len()).rev().find(|&rank| sorted[rank] <= allowed(rank)).map(|rank| sorted[rank])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;

    /// The fifteen probabilities of section 3.2 of that paper: four are discoveries at 5 %.
    #[test]
    fn the_example_of_the_paper_comes_out() {
        let chances = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.0,
        ];
        let found = discoveries(&chances, chances.len(), 0.05);
        assert_eq!(found.iter().filter(|found| **found).count(), 4);
        assert!(found[..4].iter().all(|found| *found));
        assert_eq!(discoveries(&chances[..9], chances.len(), 0.05)[..9], found[..9]);
    }

    #[test]
    fn chance_alone_is_rarely_a_discovery() {
        let mut chance = Chance::new(3);
        let rounds = 1000;
        let any = (0..rounds).filter(|_| {
            let chances: Vec<f64> = (0..50).map(|_| chance.uniform()).collect();
            discoveries(&chances, 50, 0.05).contains(&true)
        });
        let share = f64::from(any.count() as u32) / f64::from(rounds);
        assert!((0.03..0.07).contains(&share), "{share}");
    }

    #[test]
    fn of_no_tests_there_is_no_discovery() {
        assert!(discoveries(&[], 0, 0.05).is_empty());
    }
}

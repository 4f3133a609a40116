//! Which of many tests tell something, when many of them must be expected to by chance.

/// Which of these hypotheses are rejected so that on average at most this share of those that are rejected is true: the step-up procedure of
/// Benjamini and Hochberg ("Controlling the false discovery rate", 1995), among `of` tests, of which these have the smallest p-values.
pub fn discoveries(p_values: &[f64], of: usize, share: f64) -> Vec<bool> {
    let mut ranked: Vec<usize> = (0..p_values.len()).collect();
    ranked.sort_by(|&one, &other| p_values[one].total_cmp(&p_values[other]));
    let of = of.max(p_values.len()) as f64;
    let is_small = |rank: usize| p_values[ranked[rank]] <= share * (rank + 1) as f64 / of;
    let count = (0..ranked.len()).rev().find(|&rank| is_small(rank)).map_or(0, |last| last + 1);
    let mut found = vec![false; p_values.len()];
    ranked[..count].iter().for_each(|&rank| found[rank] = true);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;

    /// The example of section 3 of the paper: 15 p-values of which four are found at 5 %.
    #[test]
    fn the_example_of_the_paper_is_as_it_says() {
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.0,
        ];
        let found = discoveries(&p, p.len(), 0.05);
        assert_eq!(found.iter().filter(|found| **found).count(), 4);
        assert!(found[..4].iter().all(|found| *found));
    }

    #[test]
    fn tests_that_are_not_listed_count() {
        assert_eq!(discoveries(&[0.002], 10, 0.05), [true]);
        assert_eq!(discoveries(&[0.002], 100, 0.05), [false]);
        assert!(discoveries(&[], 10, 0.05).is_empty());
    }

    #[test]
    fn without_an_effect_few_families_have_a_discovery() {
        let mut chance = Chance::new(3);
        let families = 2000;
        let with = (0..families)
            .filter(|_| {
                let p: Vec<f64> = (0..20).map(|_| chance.uniform()).collect();
                discoveries(&p, p.len(), 0.05).contains(&true)
            })
            .count();
        assert!(with < families * 7 / 100, "{with} of {families}");
    }
}

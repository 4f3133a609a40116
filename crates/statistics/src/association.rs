//! Whether two marks go together: Fisher's exact test.

use crate::gamma::log_gamma;

/// How many of each kind have a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marked {
    /// Those of the first kind that have it.
    pub with: usize,
    /// All of the first kind.
    pub all: usize,
    /// Those of the second kind that have it.
    pub others_with: usize,
    /// All of the second kind.
    pub others: usize,
}

impl Marked {
    /// The probability that as many of the first kind have the mark, or more, if it is spread at random over both: the upper tail of the
    /// hypergeometric distribution (R. A. Fisher, *Statistical Methods for Research Workers*, 5th ed., Oliver and Boyd 1934, section 21.02).
    pub fn chance(&self) -> f64 {
        let Self { with, all, others_with, others } = *self;
        let (marked, total) = (with + others_with, all + others);
        let most = marked.min(all);
        let certain = log_choose(total, marked);
        let of = |with: usize| {
            let elsewhere = marked - with;
            if elsewhere > others {
                return 0.0;
            }
            libm::exp(log_choose(all, with) + log_choose(others, elsewhere) - certain)
        };
        (with..=most).map(of).sum::<f64>().min(1.0)
    }

    /// What share of the first kind has it, beyond that of the second: 1 if all have it and none of the others.
    pub fn effect(&self) -> f64 {
        let share = |with: usize, all: usize| if all == 0 { 0.0 } else { with as f64 / all as f64 };
        share(self.with, self.all) - share(self.others_with, self.others)
    }
}

/// The logarithm of the number of ways to choose `part` of `all`.
fn log_choose(all: usize, part: usize) -> f64 {
    let log_factorial = |n: usize| log_gamma(n as f64 + 1.0);
    log_factorial(all) - log_factorial(part) - log_factorial(all - part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(with: usize, all: usize, others_with: usize, others: usize) -> Marked {
        Marked { with, all, others_with, others }
    }

    #[test]
    fn chances_are_those_of_the_textbook() {
        // Fisher's tea: three of four right by chance 17/70, all four 1/70.
        assert!((marked(3, 4, 1, 4).chance() - 17.0 / 70.0).abs() < 1e-8);
        assert!((marked(4, 4, 0, 4).chance() - 1.0 / 70.0).abs() < 1e-8);
        // His twins: 10 of 13 and 2 of 17.
        assert!((marked(10, 12, 3, 18).chance() - 0.000_465_180_8).abs() < 1e-8);
    }

    #[test]
    fn a_mark_of_all_or_of_none_tells_nothing() {
        assert!((marked(5, 5, 7, 7).chance() - 1.0).abs() < 1e-8);
        assert!((marked(0, 5, 0, 7).chance() - 1.0).abs() < 1e-8);
        assert_eq!(marked(5, 5, 0, 7).effect(), 1.0);
        assert_eq!(marked(0, 0, 3, 6).effect(), -0.5);
    }
}

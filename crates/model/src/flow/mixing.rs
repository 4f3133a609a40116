//! Finds a fixed point in few rounds: the last rounds show where the next one should begin.
//!
//! D. G. Anderson, "Iterative Procedures for Nonlinear Integral Equations", Journal of the ACM 12(4), 1965; in the form of
//! H. F. Walker and P. Ni, "Anderson Acceleration for Fixed-Point Iterations", SIAM Journal on Numerical Analysis 49(4), 2011.

/// Previous rounds that are used, at most.
const DEPTH: usize = 5;

/// Damping of nearly parallel directions, as a share of their length.
const DAMPED: f64 = 1e-9;

/// Two rounds change everything alike if the cosine between their changes is above this.
const ALIKE: f64 = 0.5;

/// If a round changes this many times more than the last (in squares), the rounds before it are no guide.
const FAR: f64 = 16.0;

/// No value becomes more than this many times what the round computed, nor less than the reciprocal.
const FARTHEST: f64 = 4.0;

/// The last rounds of a search for a fixed point of non-negative values.
#[derive(Debug, Clone, Default)]
pub(super) struct Mixing {
    size: usize,
    /// The last round's input, and the difference of its result from it.
    given: Vec<f64>,
    apart: Vec<f64>,
    /// Differences of both between one round and the next, the oldest overwritten.
    steps: Vec<f64>,
    turns: Vec<f64>,
    /// Products of `turns` with one another.
    products: [[f64; DEPTH]; DEPTH],
    rounds: usize,
    /// Squared length of `apart`.
    length: f64,
}

impl Mixing {
    pub(super) fn new(size: usize) -> Self {
        Self {
            size,
            given: vec![0.0; size],
            apart: vec![0.0; size],
            steps: vec![0.0; size * DEPTH],
            turns: vec![0.0; size * DEPTH],
            ..Self::default()
        }
    }

    /// Forgets all rounds so far.
    pub(super) fn forget(&mut self) {
        self.rounds = 0;
    }

    /// Remembers a round that was given `given` and computed `made`. `pull` is how far the search moves towards results.
    pub(super) fn record(&mut self, given: &[f64], made: &[f64], pull: f64) {
        let size = self.size;
        let (mut length, mut along) = (0.0, 0.0);
        for rank in 0..size {
            let apart = made[rank] - given[rank];
            length += apart * apart;
            along += apart * self.apart[rank];
        }
        // While a queue still grows, extrapolating from its growth leads back to no queue at all.
        let grows = length > self.length && along > ALIKE * (length * self.length).sqrt();
        let far = if pull < 1.0 { 1.0 } else { FAR };
        if grows || length > far * self.length {
            self.forget();
        }
        self.length = length;
        let depth = self.depth();
        let known = self.rounds.min(depth);
        if self.rounds > 0 {
            let place = (self.rounds - 1) % depth;
            let steps = &mut self.steps[place * size..][..size];
            let turns = &mut self.turns[place * size..][..size];
            for rank in 0..size {
                steps[rank] = given[rank] - self.given[rank];
                turns[rank] = made[rank] - given[rank] - self.apart[rank];
            }
            for other in 0..known {
                let product = dot(self.turns_of(place), self.turns_of(other));
                self.products[place][other] = product;
                self.products[other][place] = product;
            }
        }
        for rank in 0..size {
            self.given[rank] = given[rank];
            self.apart[rank] = made[rank] - given[rank];
        }
        self.rounds += 1;
    }

    /// The next round's input, after the round that was recorded last; written over what that one computed.
    pub(super) fn extrapolate(&self, given: &[f64], made: &mut [f64], pull: f64) {
        let size = self.size;
        let known = self.rounds.saturating_sub(1).min(self.depth());
        let shares = self.shares(known);
        for rank in 0..size {
            let mut next = given[rank] + pull * self.apart[rank];
            for (place, share) in shares.iter().enumerate().take(known) {
                let at = place * size + rank;
                next -= share * (self.steps[at] + pull * self.turns[at]);
            }
            let made = &mut made[rank];
            // Differences of times may be below zero, if only by rounding.
            let (one, other) = (*made / FARTHEST, *made * FARTHEST);
            *made = if next.is_finite() { next.clamp(one.min(other), one.max(other)) } else { *made };
        }
    }

    /// More directions than values would not be independent.
    fn depth(&self) -> usize {
        DEPTH.min(self.size.max(1))
    }

    fn turns_of(&self, place: usize) -> &[f64] {
        &self.turns[place * self.size..][..self.size]
    }

    /// The share of each difference that minimizes `apart`: least squares by Cholesky's decomposition.
    fn shares(&self, known: usize) -> [f64; DEPTH] {
        let mut shares = [0.0; DEPTH];
        let mut lower = [[0.0; DEPTH]; DEPTH];
        for row in 0..known {
            shares[row] = dot(self.turns_of(row), &self.apart);
            for column in 0..=row {
                let before: f64 = (0..column).map(|rank| lower[row][rank] * lower[column][rank]).sum();
                let left = self.products[row][column] - before;
                lower[row][column] = if row == column {
                    (left + DAMPED * self.products[row][row]).max(f64::MIN_POSITIVE).sqrt()
                } else {
                    left / lower[column][column]
                };
            }
        }
        for row in 0..known {
            let before: f64 = (0..row).map(|rank| lower[row][rank] * shares[rank]).sum();
            shares[row] = (shares[row] - before) / lower[row][row];
        }
        for row in (0..known).rev() {
            let after: f64 = (row + 1..known).map(|rank| lower[rank][row] * shares[rank]).sum();
            shares[row] = (shares[row] - after) / lower[row][row];
        }
        shares
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::Mixing;

    /// Rounds until no value changes by more than 1e-6, and the values.
    fn rounds(mixed: bool, round: impl Fn([f64; 2]) -> [f64; 2]) -> (u32, [f64; 2]) {
        let mut mixing = Mixing::new(2);
        let mut given = [100.0, 100.0];
        for number in 1..10_000 {
            let mut made = round(given);
            if made.iter().zip(&given).all(|(made, given)| (made - given).abs() < 1e-6) {
                return (number, made);
            }
            if mixed {
                mixing.record(&given, &made, 1.0);
                mixing.extrapolate(&given, &mut made, 1.0);
            }
            given = made;
        }
        (10_000, given)
    }

    #[test]
    fn mixing_reaches_the_fixed_point_of_plain_rounds_in_a_quarter_of_them() {
        // Two waits, each close to its last value, one of them part of the other.
        let slow = |[one, other]: [f64; 2]| [2.0 + 0.97 * one + 0.02 * other, 5.0 + 0.9 * other];
        let (plain, wanted) = rounds(false, slow);
        let (mixed, found) = rounds(true, slow);
        assert!(mixed * 4 < plain, "{mixed} rounds against {plain}");
        assert!(wanted.iter().zip(&found).all(|(wanted, found)| (wanted - found).abs() < 1e-4));
    }
}

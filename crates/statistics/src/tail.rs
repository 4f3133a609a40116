//! How far chance goes, where values are not normal.
//!
//! Of many values, a few are farther from the center than a normal distribution allows: a second program, a page in an unlucky place. Where bad
//! machines are all on one side, the other side shows how far chance alone goes. Its farthest values are exceedances of a threshold, whose
//! distances from it are taken as exponential (the case of shape zero of J. Pickands, "Statistical inference using extreme order statistics",
//! *The Annals of Statistics* 3, 1975), so that the tail can be extended beyond the farthest.

/// The share of all values that are the tail, and the fewest that show one.
const SHARE: f64 = 0.002;
const FEWEST: usize = 20;

/// A tail of more values than this share is no tail.
const MOST: f64 = 0.05;

/// The tail of standardized values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tail {
    threshold: f64,
    /// The probability of values beyond that.
    share: f64,
    /// Their mean distance from it.
    excess: f64,
}

impl Tail {
    /// That of the values on the sound side of the center, in any order; `all` is how many there are on both sides. `None` of too few.
    pub fn of(mut sound: Vec<f64>, all: usize) -> Option<Self> {
        let count = ((SHARE * all as f64) as usize).max(FEWEST);
        if count as f64 > MOST * all as f64 || count >= sound.len() {
            return None;
        }
        let (beyond, threshold, _) = sound.select_nth_unstable_by(count, |one, other| other.total_cmp(one));
        let threshold = *threshold;
        let excess = beyond.iter().map(|value| value - threshold).sum::<f64>() / count as f64;
        Some(Self { threshold, share: count as f64 / all as f64, excess })
    }

    /// The probability that chance goes as far as this, on one side; 1 where it is not in the tail.
    pub fn chance_of(&self, distance: f64) -> f64 {
        match distance - self.threshold {
            beyond if beyond <= 0.0 => 1.0,
            beyond if self.excess > 0.0 => self.share * libm::exp(-beyond / self.excess),
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;

    /// Normal values, of which one in fifty is spread three times as far.
    fn heavy(chance: &mut Chance) -> f64 {
        let times = if chance.uniform() < 0.02 { 3.0 } else { 1.0 };
        times * chance.normal()
    }

    #[test]
    fn a_heavy_tail_is_seen_on_the_sound_side_and_holds_for_the_other() {
        let mut chance = Chance::new(8);
        let values: Vec<f64> = (0..100_000).map(|_| heavy(&mut chance)).collect();
        let sound = values.iter().copied().filter(|value| *value > 0.0).collect();
        let tail = Tail::of(sound, values.len()).unwrap();
        for (far, at_least) in [(5.0, 4.8e-4), (7.0, 9.8e-5), (9.0, 1.35e-5)] {
            // 0.02 of a normal distribution three times as wide, beyond that.
            let told = tail.chance_of(far);
            assert!((at_least..10.0 * at_least).contains(&told), "{far}: {told}");
        }
        assert_eq!(tail.chance_of(1.0), 1.0);
    }

    #[test]
    fn few_values_show_no_tail() {
        assert_eq!(Tail::of(vec![1.0; 100], 200), None);
        assert_eq!(Tail::of(Vec::new(), 0), None);
    }
}

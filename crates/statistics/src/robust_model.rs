//! The usual value of many machines that should be alike, and how far they scatter, where some are bad.
//!
//! The center is the median, and the scatter comes from the median absolute deviation, which half of the values cannot move (P. J. Rousseeuw and
//! C. Croux, "Alternatives to the median absolute deviation", *Journal of the American Statistical Association* 88, 1993). Bad machines are all
//! on one side, so values far below are left out and both are taken again; and the values above, none of which is bad, say how heavy the tail
//! is. The scatter of few values is moderated by what is known beforehand ([`Prior`]).

use crate::location::median_of_sorted;
use crate::{quantile, two_sided};

/// The median absolute deviation of normal values, as a share of their standard deviation.
const OF_NORMAL: f64 = 0.6745;

/// What the median absolute deviation of normal values is worth, as a share of the values (Rousseeuw and Croux, section 1).
const EFFICIENCY: f64 = 0.37;

/// Values this many standard deviations below the center are left out when it is taken again.
const FAR: f64 = 4.0;

/// How often center and scatter are taken again, at most: each time leaves out what the last one saw to be far.
const ROUNDS: usize = 8;

/// The tail above the center is looked at from this number of values on, at this share of them.
const TAIL: (usize, f64) = (20, 0.9);

/// How many standard deviations from the center that share of normal values on one side ends.
const TAIL_OF_NORMAL: f64 = 1.645;

/// What is known of the scatter beforehand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    pub deviation: f64,
    /// How many values' worth of knowledge it is.
    pub degrees: f64,
}

/// Many values of which the larger are the better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crowd {
    pub center: f64,
    /// The standard deviation of those that are not bad.
    pub deviation: f64,
    /// Its degrees of freedom.
    pub degrees: f64,
    /// The number of values that are not far below.
    pub count: usize,
}

impl Crowd {
    /// That of these values, which ascend; `None` of none.
    pub fn of(ascending: &[f64], prior: Prior) -> Option<Self> {
        let mut kept = ascending;
        let mut crowd = Self::of_kept(kept, prior)?;
        for _ in 0..ROUNDS {
            let fence = crowd.center - FAR * crowd.deviation;
            let bad = kept.partition_point(|value| *value < fence);
            // What is left must be most of them: otherwise nobody knows which are the bad ones.
            if bad == 0 || 2 * (kept.len() - bad) <= ascending.len() {
                break;
            }
            kept = &kept[bad..];
            crowd = Self::of_kept(kept, prior)?;
        }
        Some(crowd)
    }

    fn of_kept(kept: &[f64], prior: Prior) -> Option<Self> {
        let center = median_of_sorted(kept)?;
        let own = median_of_sorted(&distances(kept, center))? / OF_NORMAL;
        let first_above = kept.partition_point(|value| *value <= center);
        let above: Vec<f64> = kept[first_above..].iter().map(|value| value - center).collect();
        let tail = quantile(&above, TAIL.1).filter(|_| kept.len() >= TAIL.0).unwrap_or(0.0) / TAIL_OF_NORMAL;
        let own_degrees = EFFICIENCY * (kept.len() - 1) as f64;
        let degrees = own_degrees + prior.degrees;
        let squares = own_degrees * own.max(tail).powi(2) + prior.degrees * prior.deviation.powi(2);
        let deviation = if degrees > 0.0 { (squares / degrees).sqrt() } else { prior.deviation };
        Some(Self { center, deviation, degrees, count: kept.len() })
    }

    /// The probability that one of them is as far below the center as `value` by chance. `uncertainty` is what its own standard error is above
    /// that of the others.
    pub fn chance_of(&self, value: f64, uncertainty: f64) -> f64 {
        let below = self.center - value;
        let error = self.error(uncertainty);
        match () {
            () if below <= 0.0 => 1.0,
            () if error > 0.0 => two_sided(below / error, self.degrees) / 2.0,
            () => 0.0,
        }
    }

    /// The standard error of a value's distance from the center: a median of normal values has π/2 times the variance of their mean.
    pub fn error(&self, uncertainty: f64) -> f64 {
        let of_center = std::f64::consts::FRAC_PI_2 / self.count as f64;
        libm::hypot(self.deviation * (1.0 + of_center).sqrt(), uncertainty)
    }
}

/// How far ascending values are from the center, ascending: a merge of both sides, since sorting them again is most of the time.
fn distances(ascending: &[f64], center: f64) -> Vec<f64> {
    let above = ascending.partition_point(|value| *value < center);
    let (mut low, mut high) = (above, above);
    let mut distances = Vec::with_capacity(ascending.len());
    while distances.len() < ascending.len() {
        let down = low.checked_sub(1).map(|next| center - ascending[next]);
        let up = ascending.get(high).map(|value| value - center);
        let nearer_below = down.is_some_and(|down| up.is_none_or(|up| down <= up));
        if nearer_below {
            low -= 1;
        } else {
            high += 1;
        }
        distances.extend(if nearer_below { down } else { up });
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ascending;
    use crate::chance::Chance;

    const NOTHING: Prior = Prior { deviation: 0.0, degrees: 0.0 };

    fn drawn(chance: &mut Chance, good: usize, bad: usize, low: f64) -> Vec<f64> {
        let good: Vec<f64> = (0..good).map(|_| 100.0 + chance.normal()).collect();
        let bad = (0..bad).map(|_| low + chance.normal());
        ascending(&good.iter().copied().chain(bad).collect::<Vec<_>>())
    }

    #[test]
    fn a_third_of_bad_values_moves_neither_center_nor_scatter_far() {
        let mut chance = Chance::new(5);
        for low in [90.0, 50.0] {
            let crowd = Crowd::of(&drawn(&mut chance, 700, 300, low), NOTHING).unwrap();
            assert!((crowd.center - 100.0).abs() < 0.2, "{crowd:?}");
            assert!((0.9..1.2).contains(&crowd.deviation), "{crowd:?}");
            assert!((690..=705).contains(&crowd.count), "{crowd:?}");
        }
    }

    #[test]
    fn chances_of_good_values_are_what_they_say() {
        let mut chance = Chance::new(6);
        let (mut below, mut all) = (0, 0);
        for _ in 0..200 {
            let values = drawn(&mut chance, 30, 0, 0.0);
            let crowd = Crowd::of(&values, NOTHING).unwrap();
            below += values.iter().filter(|value| crowd.chance_of(**value, 0.0) < 0.01).count();
            all += values.len();
        }
        let share = f64::from(below as u32) / f64::from(all as u32);
        assert!((0.002..0.013).contains(&share), "{share}");
    }

    #[test]
    fn a_heavy_tail_above_widens_the_scatter() {
        let values: Vec<f64> = (0..101).map(|rank| f64::from(rank - 50) * 0.01).collect();
        let heavy: Vec<f64> =
            values.iter().map(|value| if *value > 0.3 { value * 10.0 } else { *value }).collect();
        let [plain, heavy] = [values, heavy].map(|values| Crowd::of(&values, NOTHING).unwrap().deviation);
        assert!(heavy > 3.0 * plain, "{plain} {heavy}");
    }

    #[test]
    fn few_values_lean_on_what_is_known_beforehand() {
        let prior = Prior { deviation: 1.5, degrees: 4.0 };
        let crowd = Crowd::of(&[50.0, 100.0, 100.1], prior).unwrap();
        assert_eq!(crowd.center, f64::midpoint(100.0, 100.1));
        assert!(crowd.chance_of(50.0, 0.0) < 1e-4, "{}", crowd.chance_of(50.0, 0.0));
        assert!(crowd.chance_of(98.0, 0.0) > 0.05);
        assert!(crowd.chance_of(50.0, 30.0) > 0.05, "an uncertain value says little");
        assert_eq!(crowd.chance_of(101.0, 0.0), 1.0, "only what is below counts");
        assert_eq!(Crowd::of(&[], prior), None);
    }

    #[test]
    fn equal_values_have_no_scatter() {
        let crowd = Crowd::of(&[7.0; 9], NOTHING).unwrap();
        assert_eq!((crowd.center, crowd.deviation), (7.0, 0.0));
        assert_eq!((crowd.chance_of(6.9, 0.0), crowd.chance_of(7.0, 0.0)), (0.0, 1.0));
    }

    #[test]
    fn distances_ascend_without_being_sorted() {
        let values = [1.0, 2.0, 4.0, 4.5, 9.0];
        assert_eq!(distances(&values, 4.0), [0.0, 0.5, 2.0, 3.0, 5.0]);
        assert_eq!(distances(&values, 0.0), [1.0, 2.0, 4.0, 4.5, 9.0]);
        assert_eq!(distances(&values, 10.0), [1.0, 5.5, 6.0, 8.0, 9.0]);
    }
}

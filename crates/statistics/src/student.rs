//! Student's t distribution.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::gamma::log_gamma;

/// The probability that a t variable with these degrees of freedom is at least as far from zero as `t`, on either side.
///
/// It is the regularized incomplete beta function I_x(d/2, 1/2) at x = d / (d + t²) (NIST DLMF 8.17, with the continued
/// fraction 8.17.22 evaluated by Lentz's method).
pub fn two_sided(t: f64, degrees: f64) -> f64 {
    if !t.is_finite() {
        return 0.0;
    }
    let x = degrees / (degrees + t * t);
    let (a, b) = (degrees / 2.0, 0.5);
    let front =
        libm::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * libm::log(x) + b * libm::log(1.0 - x));
    let probability = if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - x) / b
    };
    // At t = 0 the logarithm of 1 - x is not finite.
    if probability.is_nan() { 1.0 } else { probability.clamp(0.0, 1.0) }
}

/// Quantiles that a thread remembers: comparisons ask for the same few again for each cell.
const REMEMBERED: usize = 1024;

thread_local! {
    static KNOWN: RefCell<HashMap<(u64, u64), f64>> = RefCell::default();
}

/// The t that is exceeded on either side with this probability.
pub fn two_sided_quantile(probability: f64, degrees: f64) -> f64 {
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= REMEMBERED {
            known.clear();
        }
        let key = (probability.to_bits(), degrees.to_bits());
        *known.entry(key).or_insert_with(|| searched_quantile(probability, degrees))
    })
}

fn searched_quantile(probability: f64, degrees: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while two_sided(high, degrees) > probability {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if two_sided(middle, degrees) > probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// What a one-sided bound is of the half width of a two-sided interval of the same confidence and variance: the quantiles that are exceeded
/// on one side alone with a probability of 5 %, and on either side.
pub fn one_sided_share(degrees: f64) -> f64 {
    let risk = 1.0 - crate::CONFIDENCE;
    // Beyond this, Student's distribution is the normal one, and infinitely many degrees have no quotient.
    let degrees = degrees.min(1e6);
    two_sided_quantile(2.0 * risk, degrees) / two_sided_quantile(risk, degrees)
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut result = d;
    for m in (1..300).map(f64::from) {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut step = 1.0;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            step = d * c;
            result *= step;
        }
        if (step - 1.0).abs() < 1e-14 {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_one_sided_bound_is_nearer_than_the_end_of_an_interval() {
        // t of 95 % and 97.5 % from tables: 2.353 and 3.182 with three degrees, 1.645 and 1.960 with infinitely many.
        assert!((one_sided_share(3.0) - 2.3534 / 3.1824).abs() < 1e-3, "{}", one_sided_share(3.0));
        assert!((one_sided_share(f64::INFINITY) - 1.6449 / 1.9600).abs() < 1e-3);
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, probability, t) in [
            (1.0, 0.05, 12.706),
            (2.0, 0.05, 4.303),
            (7.0, 0.05, 2.365),
            (7.0, 0.01, 3.499),
            (14.0, 0.001, 4.140),
            (30.0, 0.05, 2.042),
            (1e6, 0.05, 1.960),
        ] {
            let found = two_sided_quantile(probability, degrees);
            assert!((found - t).abs() < 6e-4, "{degrees} {probability}: {found}");
        }
    }

    #[test]
    fn nothing_is_farther_than_infinity_and_everything_than_zero() {
        assert_eq!(two_sided(0.0, 5.0), 1.0);
        assert_eq!(two_sided(f64::INFINITY, 5.0), 0.0);
    }
}

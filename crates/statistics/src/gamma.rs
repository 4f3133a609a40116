//! The gamma function and its logarithmic derivatives.

/// The logarithm of the gamma function (C. Lanczos, "A precision approximation of the gamma function", *SIAM Journal on
/// Numerical Analysis* B 1, 1964; coefficients for g = 5 and six terms, with an error below 2e-10).
pub(crate) fn log_gamma(x: f64) -> f64 {
    const TERMS: [f64; 6] = [
        76.180_091_729_471_46,
        -86.505_320_329_416_77,
        24.014_098_240_830_91,
        -1.231_739_572_450_155,
        0.001_208_650_973_866_179,
        -0.000_005_395_239_384_953,
    ];
    let sum =
        TERMS.iter().zip(1..).fold(1.000_000_000_190_015, |sum, (term, n)| sum + term / (x + f64::from(n)));
    let shifted = x + 5.5;
    (x + 0.5) * libm::log(shifted) - shifted + libm::log(2.506_628_274_631_000_5 * sum / x)
}

/// From here on, a few terms of the asymptotic series suffice.
const LARGE: f64 = 10.0;

/// The digamma function of a positive number: the derivative of the logarithm of the gamma function (NIST DLMF 5.11.2, after the recurrence
/// 5.5.2).
pub(crate) fn digamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < LARGE {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = square * (1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square / 240.0)));
    sum + libm::log(x) - 0.5 / x - series
}

/// The trigamma function of a positive number: the derivative of [`digamma`].
pub(crate) fn trigamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < LARGE {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = square / x * (1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0 - square / 30.0)));
    sum + 1.0 / x + square / 2.0 + series
}

/// The positive number whose trigamma is this one, by bisection of its logarithm: trigamma falls from infinity to zero.
pub(crate) fn inverse_trigamma(value: f64) -> f64 {
    let (mut low, mut high) = (libm::log(1e-8), libm::log(1e8));
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if trigamma(libm::exp(middle)) > value {
            low = middle;
        } else {
            high = middle;
        }
    }
    libm::exp(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of Abramowitz and Stegun, tables 6.1 and 6.2.
    #[test]
    fn values_are_those_of_the_tables() {
        for (x, psi, slope) in [
            (1.0, -0.577_215_664_9, 1.644_934_066_8),
            (1.5, 0.036_489_974_0, 0.934_802_200_5),
            (2.0, 0.422_784_335_1, 0.644_934_066_8),
            (10.0, 2.251_752_589_1, 0.105_166_335_7),
        ] {
            assert!((digamma(x) - psi).abs() < 1e-9, "{x}: {}", digamma(x));
            assert!((trigamma(x) - slope).abs() < 1e-9, "{x}: {}", trigamma(x));
        }
        assert!((log_gamma(5.0) - libm::log(24.0)).abs() < 1e-8);
    }

    #[test]
    fn the_inverse_of_trigamma_is_its_inverse() {
        for x in [0.02, 0.5, 1.0, 3.7, 40.0, 5000.0] {
            let found = inverse_trigamma(trigamma(x));
            assert!((found / x - 1.0).abs() < 1e-9, "{x}: {found}");
        }
    }
}

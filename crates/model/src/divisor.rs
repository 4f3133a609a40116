//! Division by numbers that do not change: a multiplication whose time does not depend on the divisor.

/// A divisor of numbers below 2^64 divided by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Divisor {
    value: u64,
    /// 2^64 divided by it, rounded down to fit a word.
    reciprocal: u64,
}

impl Divisor {
    /// # Panics
    /// When it is zero.
    pub(crate) const fn new(value: u64) -> Self {
        assert!(value > 0, "a divisor must not be zero");
        Self { value, reciprocal: u64::MAX / value }
    }

    pub(crate) const fn value(self) -> u64 {
        self.value
    }

    /// Quotient and remainder. The reciprocal is too small by less than one, which is compensated by dividing a
    /// number that is greater by one: within the limit the error never reaches the next quotient (A. D. Robison,
    /// N-Bit Unsigned Division via N-Bit Multiply-Add, ARITH-17, 2005).
    #[inline]
    pub(crate) const fn divide(self, number: u64) -> (u64, u64) {
        debug_assert!(number < u64::MAX / self.value, "the number is too large for this divisor");
        let quotient = (((number + 1) as u128 * self.reciprocal as u128) >> 64) as u64;
        (quotient, number - quotient * self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quotient_and_remainder_are_exact(number in 0u64..1 << 40, value in 1u64..10_000, power in 0u32..20) {
            for value in [value, 1 << power] {
                let multiple = number / value * value;
                for number in [number, multiple, multiple.saturating_sub(1), u64::MAX / value - 1] {
                    prop_assert_eq!(Divisor::new(value).divide(number), (number / value, number % value));
                }
            }
        }
    }
}

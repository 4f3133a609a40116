//! Division by numbers that do not change and mostly are powers of two.

/// A divisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Divisor {
    value: u64,
    /// Its logarithm, if it is a power of two.
    shift: Option<u32>,
}

impl Divisor {
    /// # Panics
    /// When it is zero.
    pub(crate) fn new(value: u64) -> Self {
        assert!(value > 0, "nothing can be divided by zero");
        Self { value, shift: value.is_power_of_two().then(|| value.trailing_zeros()) }
    }

    pub(crate) const fn value(self) -> u64 {
        self.value
    }

    /// Quotient and remainder.
    #[inline]
    pub(crate) const fn divide(self, number: u64) -> (u64, u64) {
        match self.shift {
            Some(shift) => (number >> shift, number & (self.value - 1)),
            None => (number / self.value, number % self.value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_divides(number in 0u64..u64::MAX, value in 1u64..10_000, power in 0u32..40) {
            for value in [value, 1 << power] {
                prop_assert_eq!(Divisor::new(value).divide(number), (number / value, number % value));
            }
        }
    }
}

//! A seeded random order, which prevents mistaking slow drift of the machine for a difference between nodes or cores.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The ranks from zero to `count`, in an order that depends only on `seed` (Fisher-Yates).
pub(crate) fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        // The bias of a remainder is below count / 2^64.
        let other = (random.next_u64() % (last as u64 + 1)) as usize;
        order.swap(last, other);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_rank_occurs_once_in_an_order_that_only_the_seed_determines(count in 0usize..200, seed: u64) {
            let order = shuffled(count, seed);
            prop_assert_eq!(&order, &shuffled(count, seed));
            let mut sorted = order;
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..count).collect::<Vec<_>>());
        }
    }
}

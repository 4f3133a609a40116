//! Following chains of dependent loads.

use std::arch::asm;

/// Loads of each chain between two checks of the loop counter.
pub(crate) const UNROLLED: u64 = 8;

/// One loop over the given chains, [`UNROLLED`] loads of each in turn. The loads hide the cost of the loop itself.
macro_rules! follow {
    ($loops:ident, $load:literal, $count:literal, $repeat:literal, $($chain:ident)+) => {
        follow!(@code $loops, $count, $repeat,
            [$(concat!($load, " {", stringify!($chain), "}, [{", stringify!($chain), "}]"))+], $($chain)+)
    };
    (@code $loops:ident, $count:literal, $repeat:literal, [$($step:expr)+], $($chain:ident)+) => {
        asm!(
            "2:",
            $($step,)+ $($step,)+ $($step,)+ $($step,)+
            $($step,)+ $($step,)+ $($step,)+ $($step,)+
            $count,
            $repeat,
            $($chain = inout(reg) *$chain,)+
            loops = inout(reg) $loops => _,
            options(nostack, readonly),
        )
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! follow_here {
    ($loops:ident, $($chain:ident)+) => { follow!($loops, "mov", "dec {loops}", "jnz 2b", $($chain)+) };
}

#[cfg(target_arch = "aarch64")]
macro_rules! follow_here {
    ($loops:ident, $($chain:ident)+) => { follow!($loops, "ldr", "subs {loops}, {loops}, #1", "b.ne 2b", $($chain)+) };
}

/// Follows all chains in parallel for `loops` times [`UNROLLED`] steps, and leaves each at the node it has reached.
///
/// Up to ten chains are kept in registers. More chains are kept in memory, which costs the few cycles of a
/// store-to-load forwarding: far less than the memory latency that all these chains share.
///
/// # Safety
/// Every chain must point at a pointer that points at a pointer, and so on forever.
pub(crate) unsafe fn follow(chains: &mut [*const u8], loops: u64) {
    if loops == 0 {
        return;
    }
    // SAFETY: the caller guarantees each pointer that a load reads; only the named registers change.
    unsafe {
        match chains {
            [a] => follow_here!(loops, a),
            [a, b] => follow_here!(loops, a b),
            [a, b, c] => follow_here!(loops, a b c),
            [a, b, c, d] => follow_here!(loops, a b c d),
            [a, b, c, d, e] => follow_here!(loops, a b c d e),
            [a, b, c, d, e, f] => follow_here!(loops, a b c d e f),
            [a, b, c, d, e, f, g] => follow_here!(loops, a b c d e f g),
            [a, b, c, d, e, f, g, h] => follow_here!(loops, a b c d e f g h),
            [a, b, c, d, e, f, g, h, i] => follow_here!(loops, a b c d e f g h i),
            [a, b, c, d, e, f, g, h, i, j] => follow_here!(loops, a b c d e f g h i j),
            more => {
                for _ in 0..loops * UNROLLED {
                    for chain in &mut *more {
                        *chain = chain.cast::<*const u8>().read_volatile();
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycle::{Cycle, SPACING};

    #[test]
    fn any_number_of_chains_advances_by_the_expected_steps() {
        const BYTES: usize = 64 << 10;
        let cycle = Cycle::over(BYTES, (SPACING, None), 1, || true).unwrap();
        let mut buffer = vec![0u64; BYTES / 8];
        let start = buffer.as_mut_ptr().cast::<u8>();
        // SAFETY: the buffer is as long as the cycle was made for.
        unsafe { cycle.write(start, 0..cycle.nodes()) };
        let step = |at: *const u8| {
            // SAFETY: every node points at a node.
            unsafe { at.cast::<*const u8>().read() }
        };
        for count in 0..=14 {
            let mut chains: Vec<*const u8> =
                (0..count).map(|chain| start.wrapping_add(chain * SPACING).cast_const()).collect();
            let expected: Vec<*const u8> =
                chains.iter().map(|&at| (0..5 * UNROLLED).fold(at, |at, _| step(at))).collect();
            // SAFETY: every chain starts at a node.
            unsafe { follow(&mut chains, 5) };
            assert_eq!(chains, expected, "{count} chains");
            // SAFETY: as above.
            unsafe { follow(&mut chains, 0) };
            assert_eq!(chains, expected);
        }
    }
}

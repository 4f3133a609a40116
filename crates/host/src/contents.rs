//! What buffers hold before they are measured.
//!
//! Never zeros or constants: memory systems may treat them as a special case. Every 32-bit half of a word is a random number from 1 to 2 as an `f32`, so
//! that every word is a normal `f64` from 2^-7 to 2 as well, and no kernel of either width meets a subnormal number, an infinity or a NaN.
//!
//! Kernels run again and again without changing that: a destination lies above its sources in memory, so a number is
//! made of numbers at lower addresses and never of itself, however often a kernel runs. Only a new layout of buffers
//! in the same memory can add another multiplication by STREAM's factor of 3; an `f64` has room for 600 of them.

/// Fills `words`, which are the ones from number `first` on of a buffer.
pub(crate) fn fill(words: &mut [u64], first: u64) {
    for (word, number) in words.iter_mut().zip(first..) {
        *word = number_at(number);
    }
}

/// Weyl sequence and multiply-shift mixing after `SplitMix64` (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", OOPSLA 2014), one round shorter: filling must keep up with memory, and only has to look random.
fn number_at(number: u64) -> u64 {
    const ONE: u64 = 0x3f80_0000_3f80_0000;
    const FRACTION: u64 = 0x007f_ffff_007f_ffff;
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((z ^ (z >> 27)) & FRACTION) | ONE
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_number_is_normal_in_both_widths_and_lines_differ() {
        let mut words = vec![0; 8 << 10];
        fill(&mut words, 1 << 33);
        for word in &words {
            assert!((0.0078..2.0).contains(&f64::from_bits(*word)));
            for half in [*word as u32, (*word >> 32) as u32] {
                assert!((1.0..2.0).contains(&f32::from_bits(half)));
            }
        }
        let lines: HashSet<&[u64]> = words.chunks(8).collect();
        assert_eq!(lines.len(), words.len() / 8);
        let different: HashSet<u64> = words.iter().copied().collect();
        assert!(different.len() > words.len() - 8);
    }

    #[test]
    fn pieces_make_the_same_whole() {
        let mut whole = [0; 64];
        fill(&mut whole, 0);
        let mut halves = [0; 64];
        fill(&mut halves[..32], 0);
        fill(&mut halves[32..], 32);
        assert_eq!(whole, halves);
    }
}

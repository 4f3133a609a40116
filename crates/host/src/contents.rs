//! What buffers hold before they are measured.
//!
//! They never hold zeros or constants, because memory systems may treat these as a special case. Read as an `f32`, each
//! 32-bit half of a word is a random value from 1 to 2. Read as an `f64`, the word is therefore a normal value from 2^-7 to
//! 2. No kernel of either width meets a subnormal value, an infinity or a NaN.
//!
//! This stays true however often kernels run: a destination has a higher address than its sources, so a value is computed
//! from values at lower addresses and never from itself. Only a new layout of buffers in the same memory can add another
//! multiplication by STREAM's factor of 3, and an `f64` has room for 600 of these.

/// Fills `words`, the words of a buffer from index `first` on.
pub(crate) fn fill(words: &mut [u64], first: u64) {
    for (word, number) in words.iter_mut().zip(first..) {
        *word = number_at(number);
    }
}

/// Weyl sequence and multiply-shift mixing after `SplitMix64` (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", OOPSLA 2014), one round shorter: filling must keep up with memory, and the values need only look random.
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

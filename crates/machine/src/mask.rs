//! Sets of numbers as masks: words of 32 bits in hexadecimal, highest first. hwloc writes them with `0x` before each
//! word, the kernel without.

use std::collections::BTreeSet;

use crate::bounds::MOST_PUS;

/// The mask of a set: `0x00000001,0x80000000` for `{31, 32}`, `0x0` for the empty set.
pub(crate) fn print(set: &BTreeSet<u32>) -> String {
    let Some(&highest) = set.last() else { return "0x0".to_owned() };
    let mut words = vec![0u32; highest as usize / 32 + 1];
    for &member in set {
        words[member as usize / 32] |= 1 << (member % 32);
    }
    let words: Vec<String> = words.iter().rev().map(|word| format!("{word:#010x}")).collect();
    words.join(",")
}

/// Parses a mask as hwloc or the kernel writes it; an empty word means zero. The result is `None` for a text that is not a
/// mask, for a mask wider than any machine, and for hwloc's infinite sets (`0xf...f`), which no object of a machine has.
pub(crate) fn parse(text: &str) -> Option<BTreeSet<u32>> {
    let words: Vec<&str> = text.trim().split(',').collect();
    if words.len() > MOST_PUS / 32 {
        return None;
    }
    let mut set = BTreeSet::new();
    for (word, first) in words.iter().rev().zip((0u32..).step_by(32)) {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        let bits = if digits.is_empty() { 0 } else { u32::from_str_radix(digits, 16).ok()? };
        set.extend((0..32).filter(|bit| bits >> bit & 1 == 1).map(|bit| first + bit));
    }
    Some(set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_go_from_the_highest_to_the_lowest() {
        assert_eq!(print(&BTreeSet::from([31, 32])), "0x00000001,0x80000000");
        assert_eq!(parse("0x1,,0x00000003"), Some(BTreeSet::from([0, 1, 64])));
        assert_eq!(parse("0x0"), Some(BTreeSet::new()));
        assert_eq!(parse("00000001,80000000\n"), Some(BTreeSet::from([31, 32])));
        assert_eq!(parse(&"0,".repeat(MOST_PUS)), None);
        for text in ["0xf...f", "0xf...f,0x00000003", "0x123456789", "x"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn printing_and_reading_give_the_same_set(set in proptest::collection::btree_set(0u32..1000, 0..40)) {
            prop_assert_eq!(parse(&print(&set)), Some(set));
        }
    }
}

//! Texts broken at random.

/// An endless series of texts broken at random, the same on every run.
#[derive(Debug, Clone)]
pub struct Mutations<'a> {
    original: Vec<char>,
    pieces: &'a [&'a str],
    random: Random,
}

impl<'a> Mutations<'a> {
    /// Mutations of a text; `pieces` are signs that its parser looks for, which are put into it.
    pub fn of(original: &str, pieces: &'a [&'a str], seed: u64) -> Self {
        Self { original: original.chars().collect(), pieces, random: Random(seed) }
    }

    fn piece(&mut self) -> &'a str {
        self.pieces[self.random.below(self.pieces.len())]
    }
}

impl Iterator for Mutations<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        const LONGEST: usize = 40;
        let mut text = self.original.clone();
        for _ in 0..=self.random.below(4) {
            let at = self.random.below(text.len().max(1));
            let upto = (at + self.random.below(LONGEST)).min(text.len());
            let at = at.min(upto);
            match self.random.below(5) {
                0 => drop(text.drain(at..upto)),
                1 => drop(text.splice(at..at, self.piece().chars())),
                2 => {
                    let copy = text[at..upto].to_vec();
                    text.splice(at..at, copy);
                }
                3 => text.truncate(at),
                _ => drop(text.splice(at..upto, self.piece().chars())),
            }
        }
        Some(text.into_iter().collect())
    }
}

/// Random numbers (Vigna's SplitMix64).
#[derive(Debug, Clone)]
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_differ_and_come_again() {
        let texts = |seed| Mutations::of("Numa node 0 1", &["\t"], seed).take(100).collect::<Vec<_>>();
        assert_eq!(texts(1), texts(1));
        assert_ne!(texts(1), texts(2));
        assert!(texts(1).iter().filter(|text| *text != "Numa node 0 1").count() > 80);
    }

    #[test]
    fn an_empty_text_is_mutated_too() {
        assert!(Mutations::of("", &["\n", "0"], 1).take(100).any(|text| !text.is_empty()));
    }
}

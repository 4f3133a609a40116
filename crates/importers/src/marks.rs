//! Words that are looked for in a text, all at once.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind};

/// A search for words, in upper and lower case.
#[derive(Debug)]
pub(crate) struct Marks {
    words: AhoCorasick,
    count: usize,
}

impl Marks {
    /// Of words in lower case.
    pub(crate) fn of(words: &[&str]) -> Self {
        let mut builder = AhoCorasickBuilder::new();
        builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA));
        // A few hundred words are far from what an automaton cannot hold.
        let found = builder.build(words).unwrap_or_else(|error| panic!("words of tools: {error}"));
        Self { words: found, count: words.len() }
    }

    /// The first `most` places of each word in a text, in ascending order.
    pub(crate) fn places(&self, text: &str, most: usize) -> Vec<usize> {
        let mut left = vec![most; self.count];
        let mut places = Vec::new();
        for found in self.words.find_overlapping_iter(text) {
            let left = &mut left[found.pattern().as_usize()];
            if *left > 0 {
                *left -= 1;
                places.push(found.start());
            }
        }
        places.sort_unstable();
        places
    }

    /// The ranks of the words that are in a text.
    pub(crate) fn in_text(&self, text: &str) -> Vec<usize> {
        let mut has = vec![false; self.count];
        self.words.find_overlapping_iter(text).for_each(|found| has[found.pattern().as_usize()] = true);
        (0..self.count).filter(|&rank| has[rank]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whatever_their_case_and_what_they_overlap() {
        let marks = Marks::of(&["numa node", "node 0", "absent"]);
        assert_eq!(marks.places("a Numa Node 0, NUMA NODE 1, numa node 2", 2), [2, 7, 15]);
        assert_eq!(marks.in_text("a Numa Node 0"), [0, 1]);
    }
}

//! The text of a journal: a first line with the question, then a line for each answer, written as soon as it is available.
//!
//! ```text
//! 9a31… {"version":2,"question":…}
//! 06fe… {"rank":17,"entry":…}
//! ```
//!
//! Every line begins with a checksum of itself and of the first line. This detects a line that was changed, is torn, or comes from
//! another journal: the line is discarded, and its request is answered again.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

/// Hexadecimal digits of a checksum.
const DIGITS: usize = 16;

/// Seed of the checksum of a first line.
const FIRST: u64 = 0;

/// Writes a journal's lines and reads them back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalFormat {
    /// Checksum of the first line, and seed of all other checksums.
    head: u64,
}

/// The contents of a journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Entries<E> {
    /// Ranks of requests with their entries, in the order of the lines. The last entry of a rank counts.
    pub entries: Vec<(usize, E)>,
    /// Number of damaged lines.
    pub damaged: usize,
    /// Length up to the end of the last complete line. The writer ended while it wrote what follows.
    pub whole: usize,
}

/// Reason why a text does not begin with the first line of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoHead {
    /// There is no complete line.
    #[error("it has no complete line")]
    Torn,
    /// The first line is damaged.
    #[error("its first line is damaged")]
    Damaged,
    /// It is not a journal.
    #[error("it is not a journal")]
    Other,
}

/// An answer in a line.
#[derive(Serialize)]
struct Written<'a, E> {
    rank: usize,
    entry: &'a E,
}

/// An answer from a line.
#[derive(Deserialize)]
struct Read<E> {
    rank: usize,
    entry: E,
}

impl JournalFormat {
    /// Begins a journal with this head, and returns its first line.
    ///
    /// # Errors
    /// When `head` cannot be written as JSON.
    pub fn begin<H: Serialize>(head: &H) -> serde_json::Result<(Self, String)> {
        let (sum, line) = sealed(FIRST, &serde_json::to_string(head)?);
        Ok((Self { head: sum }, line))
    }

    /// The journal with this text, whatever its head.
    ///
    /// # Errors
    /// When the text does not begin with the first line of a journal.
    pub fn of(text: &[u8]) -> Result<Self, NoHead> {
        let json = head_json(text)?;
        Ok(Self { head: XxHash3_64::oneshot_with_seed(FIRST, json) })
    }

    /// The line for an answer.
    ///
    /// # Errors
    /// When `entry` cannot be written as JSON.
    pub fn line<E: Serialize>(&self, rank: usize, entry: &E) -> serde_json::Result<String> {
        Ok(sealed(self.head, &serde_json::to_string(&Written { rank, entry })?).1)
    }

    /// All entries in a journal's text. Its first line is that of this journal, or a damaged one.
    pub fn read<E: DeserializeOwned>(&self, text: &[u8]) -> Entries<E> {
        let mut read = Entries { entries: Vec::new(), damaged: 0, whole: 0 };
        let whole = text.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"));
        for (number, line) in whole.enumerate() {
            read.whole += line.len();
            if number == 0 {
                continue;
            }
            match opened(self.head, line).and_then(|json| serde_json::from_slice::<Read<E>>(json).ok()) {
                Some(Read { rank, entry }) => read.entries.push((rank, entry)),
                None => read.damaged += 1,
            }
        }
        read
    }
}

/// The head in the first line of a journal's text.
///
/// # Errors
/// When there is no such line, or it is damaged.
pub fn head<H: DeserializeOwned>(text: &[u8]) -> Result<H, NoHead> {
    serde_json::from_slice(head_json(text)?).map_err(|_| NoHead::Other)
}

fn head_json(text: &[u8]) -> Result<&[u8], NoHead> {
    let end = text.iter().position(|&byte| byte == b'\n').ok_or(NoHead::Torn)?;
    let line = &text[..=end];
    let looks_like_one = line.get(DIGITS..DIGITS + 2) == Some(b" {");
    opened(FIRST, line).ok_or(if looks_like_one { NoHead::Damaged } else { NoHead::Other })
}

/// A checksum, and the line that begins with it.
fn sealed(seed: u64, json: &str) -> (u64, String) {
    let sum = XxHash3_64::oneshot_with_seed(seed, json.as_bytes());
    (sum, format!("{sum:016x} {json}\n"))
}

/// The contents of a line, if it is undamaged.
fn opened(seed: u64, line: &[u8]) -> Option<&[u8]> {
    let (sum, rest) = line.split_at_checked(DIGITS)?;
    let json = rest.strip_prefix(b" ")?.strip_suffix(b"\n")?;
    let right = format!("{:016x}", XxHash3_64::oneshot_with_seed(seed, json));
    (right.as_bytes() == sum).then_some(json)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// The answer to a request.
    fn answer(rank: usize) -> String {
        format!("{}{{\"x\": {}.25}}", "a".repeat(rank % 5), rank * 17)
    }

    fn text(requests: usize) -> (JournalFormat, Vec<u8>) {
        let (journal, mut text) = JournalFormat::begin(&"question").unwrap();
        for rank in (0..requests).rev() {
            text += &journal.line(rank, &answer(rank)).unwrap();
        }
        (journal, text.into_bytes())
    }

    /// All answers, after computing those that the journal lacks; `None` if its first line is rejected.
    fn all(journal: &JournalFormat, text: &[u8], requests: usize) -> Option<BTreeMap<usize, String>> {
        head::<String>(text).ok().filter(|head| head == "question")?;
        let kept: BTreeMap<usize, String> = journal.read(text).entries.into_iter().collect();
        let missing = (0..requests).filter(|rank| !kept.contains_key(rank));
        let computed: Vec<_> = missing.map(|rank| (rank, answer(rank))).collect();
        Some(kept.into_iter().chain(computed).collect())
    }

    #[test]
    fn what_is_written_is_read() {
        let (journal, text) = text(3);
        assert_eq!(head(&text), Ok("question".to_owned()));
        let read = journal.read::<String>(&text);
        assert_eq!(read.entries, [(2, answer(2)), (1, answer(1)), (0, answer(0))]);
        assert_eq!((read.damaged, read.whole), (0, text.len()));
    }

    #[test]
    fn every_change_of_one_byte_gives_the_same_answers_or_a_rejection() {
        let (journal, right) = text(4);
        let expected = all(&journal, &right, 4);
        let first = right.iter().position(|&byte| byte == b'\n').unwrap();
        for place in 0..right.len() {
            for byte in 0..=u8::MAX {
                let mut changed = right.clone();
                changed[place] = byte;
                let answers = all(&journal, &changed, 4);
                assert_eq!(answers.is_none(), place <= first && changed != right, "{place} {byte}");
                assert!(answers.is_none() || answers == expected, "{place} {byte}");
            }
        }
    }

    #[test]
    fn the_line_of_another_journal_is_damaged() {
        let (journal, mut text) = text(1);
        let (other, _) = JournalFormat::begin(&"another question").unwrap();
        text.extend(other.line(0, &"wrong").unwrap().into_bytes());
        let read = journal.read::<String>(&text);
        assert_eq!((read.entries, read.damaged), (vec![(0, answer(0))], 1));
    }

    #[test]
    fn a_text_that_is_not_a_journal_is_reported() {
        assert_eq!(head::<String>(b""), Err(NoHead::Torn));
        assert_eq!(head::<String>(b"a letter"), Err(NoHead::Torn));
        assert_eq!(head::<String>(b"a letter\n"), Err(NoHead::Other));
        assert_eq!(head::<String>(b"{\"version\":1,\"question\":3}\n"), Err(NoHead::Other));
        assert_eq!(head::<String>("é0123456789abcd {".as_bytes()), Err(NoHead::Torn));
    }

    #[derive(Debug, Clone)]
    enum Mutation {
        Change(usize, u8),
        Remove(usize, usize),
        Repeat(usize, usize),
        Insert(usize, Vec<u8>),
        Cut(usize),
    }

    fn mutation() -> impl Strategy<Value = Mutation> {
        let place = 0..4096usize;
        prop_oneof![
            (place.clone(), any::<u8>()).prop_map(|(at, byte)| Mutation::Change(at, byte)),
            (place.clone(), 1..200usize).prop_map(|(at, count)| Mutation::Remove(at, count)),
            (place.clone(), 1..200usize).prop_map(|(at, count)| Mutation::Repeat(at, count)),
            (place.clone(), proptest::collection::vec(any::<u8>(), 0..40))
                .prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
            place.prop_map(Mutation::Cut),
        ]
    }

    fn mutate(text: &mut Vec<u8>, mutation: &Mutation) {
        let length = text.len().max(1);
        match mutation {
            Mutation::Change(at, byte) => {
                if let Some(place) = text.get_mut(at % length) {
                    *place = *byte;
                }
            }
            Mutation::Remove(at, count) => {
                let from = (at % length).min(text.len());
                let to = (from + count).min(text.len());
                text.drain(from..to);
            }
            Mutation::Repeat(at, count) => {
                let from = (at % length).min(text.len());
                let part = text[from..(from + count).min(text.len())].to_vec();
                text.splice(from..from, part);
            }
            Mutation::Insert(at, bytes) => {
                let from = (at % length).min(text.len());
                text.splice(from..from, bytes.iter().copied());
            }
            Mutation::Cut(at) => text.truncate(*at),
        }
    }

    proptest! {
        #[test]
        fn mutations_give_the_same_answers_or_a_rejection(mutations in proptest::collection::vec(mutation(), 1..6)) {
            let (journal, right) = text(12);
            let mut changed = right.clone();
            for mutation in &mutations {
                mutate(&mut changed, mutation);
            }
            let answers = all(&journal, &changed, 12);
            prop_assert!(answers.is_none() || answers == all(&journal, &right, 12));
        }

        #[test]
        fn garbage_is_read_without_a_panic(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = head::<String>(&text);
            let (journal, _) = JournalFormat::begin(&"question").unwrap();
            let _ = journal.read::<String>(&text);
        }
    }
}

//! Answers that took long to make, kept until the archive changes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::answer::Answer;

/// Room for answers, in bytes.
const ROOM: usize = 32 << 20;

/// Answers by their addresses, each with what they follow from.
#[derive(Default)]
pub(crate) struct Cached(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// What all of them follow from.
    of: String,
    answers: HashMap<String, Answer>,
    bytes: usize,
}

impl Cached {
    /// The answer of that address, if what it follows from is still the same.
    pub(crate) fn get(&self, of: &str, address: &str) -> Option<Answer> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (kept.of == of).then(|| kept.answers.get(address).cloned())?
    }

    /// Keeps an answer. Those that follow from something else are forgotten, and all others where there is no room.
    pub(crate) fn put(&self, of: &str, address: &str, answer: &Answer) {
        let size = answer.body.len() + address.len();
        if size > ROOM / 4 {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.of != of || kept.bytes + size > ROOM {
            *kept = Kept { of: of.to_owned(), ..Kept::default() };
        }
        if kept.answers.insert(address.to_owned(), answer.clone()).is_none() {
            kept.bytes += size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::JSON;

    #[test]
    fn answers_are_kept_while_nothing_changes_and_there_is_room() {
        let cached = Cached::default();
        let answer = |length: usize| Answer::new(JSON, vec![b' '; length]);
        cached.put("1", "/a", &answer(10));
        assert_eq!(cached.get("1", "/a").unwrap().body.len(), 10);
        assert!(cached.get("2", "/a").is_none() && cached.get("1", "/b").is_none());
        cached.put("2", "/b", &answer(10));
        assert!(cached.get("1", "/a").is_none() && cached.get("2", "/a").is_none());
        for rank in 0..20 {
            cached.put("2", &format!("/{rank}"), &answer(ROOM / 8));
            let held = cached.0.lock().unwrap().answers.values().map(|one| one.body.len()).sum::<usize>();
            assert!(held <= ROOM);
        }
        cached.put("2", "/large", &answer(ROOM / 2));
        assert!(cached.get("2", "/large").is_none());
    }
}

//! Answers that took long to make, kept until the archive changes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::answer::Answer;

/// Room for answers, in bytes.
const ROOM: usize = 32 << 20;

/// Responses by address, each with the mark of the data that it was made from.
#[derive(Default)]
pub(crate) struct Cached(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    answers: HashMap<String, (String, Answer)>,
    bytes: usize,
}

impl Cached {
    /// Response for that address, if the data that it was made from is unchanged.
    pub(crate) fn get(&self, mark: &str, address: &str) -> Option<Answer> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.answers.get(address).filter(|(of, _)| of == mark).map(|(_, answer)| answer.clone())
    }

    /// Keeps an answer. All others are forgotten where there is no room.
    pub(crate) fn put(&self, mark: &str, address: &str, answer: &Answer) {
        let size = |address: &str, answer: &Answer| answer.body.len() + address.len();
        let new = size(address, answer);
        if new > ROOM / 4 {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, former)) = kept.answers.remove(address) {
            kept.bytes -= size(address, &former);
        }
        if kept.bytes + new > ROOM {
            *kept = Kept::default();
        }
        kept.bytes += new;
        kept.answers.insert(address.to_owned(), (mark.to_owned(), answer.clone()));
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
        assert!(cached.get("1", "/a").is_some() && cached.get("2", "/a").is_none());
        cached.put("2", "/a", &answer(20));
        assert!(cached.get("1", "/a").is_none() && cached.get("2", "/a").unwrap().body.len() == 20);
        for rank in 0..20 {
            cached.put("2", &format!("/{rank}"), &answer(ROOM / 8));
            let held =
                cached.0.lock().unwrap().answers.values().map(|(_, one)| one.body.len()).sum::<usize>();
            assert!(held <= ROOM && held <= cached.0.lock().unwrap().bytes);
        }
        cached.put("2", "/large", &answer(ROOM / 2));
        assert!(cached.get("2", "/large").is_none());
    }
}

//! Logins of browsers: each has a random name of its own, which a cookie holds, until it ends.
//!
//! They are held in memory: when the server ends, all of them end.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

/// Duration of a session.
pub(crate) const LASTS: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How long one lasts that nobody uses.
const UNUSED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Logins at a time: beyond that, the one ends that was not used for longest.
const MOST: usize = 1000;

/// Logins, by the digests of their names: neither does memory hold a name, nor does it take a time that depends on one to look it up.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<[u8; 32], Session>>);

#[derive(Clone, Copy)]
struct Session {
    began: Instant,
    used: Instant,
}

impl Session {
    fn is_open(&self, now: Instant) -> bool {
        now.duration_since(self.began) < LASTS && now.duration_since(self.used) < UNUSED
    }
}

impl Sessions {
    /// Begins one, and returns its name; `None` if the system has no random numbers.
    pub(crate) fn begin(&self, now: Instant) -> Option<String> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).ok()?;
        let name: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut all = self.all();
        all.retain(|_, session| session.is_open(now));
        if all.len() >= MOST
            && let Some(oldest) = all.iter().min_by_key(|(_, session)| session.used).map(|(name, _)| *name)
        {
            all.remove(&oldest);
        }
        all.insert(digest(&name), Session { began: now, used: now });
        Some(name)
    }

    /// Whether that is one, which is used now.
    pub(crate) fn is_open(&self, name: &str, now: Instant) -> bool {
        match self.all().get_mut(&digest(name)).filter(|session| session.is_open(now)) {
            Some(session) => {
                session.used = now;
                true
            }
            None => false,
        }
    }

    pub(crate) fn end(&self, name: &str) {
        self.all().remove(&digest(name));
    }

    fn all(&self) -> MutexGuard<'_, HashMap<[u8; 32], Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn digest(name: &str) -> [u8; 32] {
    Sha256::digest(name).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    #[test]
    fn a_login_ends_when_it_is_ended_or_old_or_unused() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let (first, second) = (sessions.begin(now).unwrap(), sessions.begin(now).unwrap());
        assert!(first.len() == 64 && first != second);
        assert!(
            sessions.is_open(&first, now) && !sessions.is_open("", now) && !sessions.is_open("zerohop", now)
        );
        sessions.end(&first);
        assert!(!sessions.is_open(&first, now) && sessions.is_open(&second, now));
        // Every use counts, but only for so long.
        for day in 1..30 {
            assert!(sessions.is_open(&second, now + day * DAY), "{day}");
        }
        assert!(!sessions.is_open(&second, now + 30 * DAY));
        let third = sessions.begin(now).unwrap();
        assert!(!sessions.is_open(&third, now + 8 * DAY));
    }

    #[test]
    fn there_are_no_more_of_them_than_fit() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let later = |rank: usize| now + Duration::from_secs(rank as u64);
        let names: Vec<String> = (0..MOST + 5).map(|rank| sessions.begin(later(rank)).unwrap()).collect();
        assert_eq!(sessions.all().len(), MOST);
        let is_open = |rank: usize| sessions.is_open(&names[rank], later(MOST + 5));
        assert!(!is_open(0) && !is_open(4) && is_open(5) && is_open(MOST + 4));
    }
}

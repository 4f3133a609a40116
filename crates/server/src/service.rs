//! State shared by requests: the archive, data about it, and expensive responses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use zerohop_archive::{Access, Archive, Location};
use zerohop_result::{ListedMachine, Trait};

use crate::answer_cache::Cached;
use crate::archives::Archives;
use crate::background_diagnosis::{Judge, Judging};
use crate::blocking_turns::Turns;
use crate::body::Room;
use crate::error::ServeError;
use crate::limits::Limits;
use crate::pending::Pending;
use crate::refusal::Refusal;
use crate::sessions::Sessions;
use crate::token::Token;
use crate::token_attempts::Guesses;

/// Configuration of the server.
#[derive(Debug, Clone)]
pub struct Offer {
    pub archive: Location,
    /// Token that clients need; `None` allows everyone who reaches the server.
    pub token: Option<Token>,
    /// Whether adding results is disabled.
    pub read_only: bool,
    /// Limits on the resources of one client.
    pub limits: Limits,
}

pub(crate) struct Service {
    pub(crate) archives: Arc<Archives>,
    pub(crate) token: Option<Token>,
    pub(crate) sessions: Sessions,
    pub(crate) guesses: Guesses,
    pub(crate) read_only: bool,
    pub(crate) limits: Limits,
    pub(crate) judging: Judging,
    pub(crate) turns: Turns,
    pub(crate) bodies: Room,
    pub(crate) cached: Cached,
    pub(crate) pending: Pending,
    overview: Mutex<Option<(i64, Arc<Overview>)>>,
    /// Distinguishes responses of this server from those of an earlier one, which may have had another archive.
    pub(crate) birth: u64,
}

/// Data of the whole archive for lists and filters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Overview {
    pub(crate) machines: Vec<ListedMachine>,
    pub(crate) bytes: u64,
    /// Traits from the latest result of each machine.
    pub(crate) traits: BTreeMap<String, Vec<Trait>>,
}

impl Overview {
    /// The number of all results.
    pub(crate) fn results(&self) -> u64 {
        self.machines.iter().map(|machine| machine.results).sum()
    }

    /// The values that each trait has in some machine.
    pub(crate) fn values(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for Trait { what, value } in self.traits.values().flatten() {
            values.entry(what).or_default().insert(value);
        }
        values
    }

    /// Whether a machine has all of these traits, each `WHAT=VALUE`.
    pub(crate) fn has_all(&self, machine: &ListedMachine, wanted: &[String]) -> bool {
        let traits = self.traits.get(&machine.name).map_or(&[] as &[Trait], Vec::as_slice);
        let has = |wanted: &String| traits.iter().any(|one| format!("{}={}", one.what, one.value) == *wanted);
        wanted.iter().all(has)
    }
}

impl Service {
    /// # Errors
    /// When the archive cannot be opened.
    pub(crate) fn new(offer: Offer, judge: Arc<Judge>) -> Result<Self, ServeError> {
        let Offer { archive, token, read_only, limits } = offer;
        let access = if read_only { Access::Read } else { Access::Write };
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Self {
            archives: Arc::new(Archives::open(archive, access)?),
            token,
            sessions: Sessions::default(),
            guesses: Guesses::default(),
            read_only,
            limits,
            judging: Judging::new(judge, limits.judgement),
            turns: Turns::new(limits.answer),
            bodies: Room::new(limits.bodies),
            cached: Cached::default(),
            pending: Pending::default(),
            overview: Mutex::new(None),
            birth: since.as_nanos() as u64,
        })
    }

    /// The whole archive in short, which is read again once it has changed.
    pub(crate) fn overview(&self, archive: &mut Archive, generation: i64) -> Result<Arc<Overview>, Refusal> {
        let held = || self.overview.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            held().as_ref().filter(|(of, _)| *of == generation).map(|(_, overview)| Arc::clone(overview));
        if let Some(overview) = known {
            return Ok(overview);
        }
        // Nobody waits for whoever reads it: the archive may be slow.
        let overview = Arc::new(Overview {
            machines: archive.machines()?,
            bytes: archive.size()?,
            traits: archive.latest_traits()?.into_iter().collect(),
        });
        *held() = Some((generation, Arc::clone(&overview)));
        Ok(overview)
    }
}

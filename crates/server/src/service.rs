//! What requests share: the archive, what is known of it, and what took long to make.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::Semaphore;
use zerohop_archive::{Access, Archive, Location};
use zerohop_result::{ListedMachine, Trait};
use zerohop_workload::StopFlag;

use crate::archives::Archives;
use crate::cached::Cached;
use crate::error::ServeError;
use crate::judging::Judging;
use crate::refusal::Refusal;
use crate::token::Token;

/// Questions that are answered at a time: more would only wait for each other.
const LIGHT: usize = 8;

/// Of these, long ones: models and pictures take all of a CPU, and lists go on meanwhile.
const HEAVY: usize = 2;

/// What is offered, and to whom.
#[derive(Debug, Clone)]
pub struct Offer {
    /// The archive.
    pub archive: Location,
    /// What those have to know who ask; `None` for everyone who reaches the server.
    pub token: Option<Token>,
    /// Whether nobody can add results.
    pub read_only: bool,
    /// How much one asker can take from the others.
    pub limits: Limits,
}

/// How much one asker can take from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time; others wait in the kernel's queue.
    pub connections: usize,
    /// How long the head of a request may take, and a connection may be silent between two requests.
    pub head: Duration,
    /// How long an answer may take: models of large machines take some seconds.
    pub answer: Duration,
    /// How long a connection lasts: nobody holds one for ever by reading slowly.
    pub connection: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 256,
            head: Duration::from_secs(15),
            answer: Duration::from_secs(60),
            connection: Duration::from_secs(300),
        }
    }
}

/// What requests share.
pub(crate) struct Service {
    pub(crate) archives: Archives,
    pub(crate) token: Option<Token>,
    pub(crate) read_only: bool,
    pub(crate) limits: Limits,
    pub(crate) judging: Judging,
    /// Stops what takes long.
    pub(crate) stop: StopFlag,
    pub(crate) light: Arc<Semaphore>,
    pub(crate) heavy: Arc<Semaphore>,
    /// Texts that are read at a time.
    pub(crate) uploads: Semaphore,
    pub(crate) cached: Cached,
    overview: Mutex<Option<(i64, Arc<Overview>)>>,
    /// Tells answers of this server from those of an earlier one, whose archive may have been another.
    pub(crate) birth: u64,
}

/// What lists and filters need of the whole archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Overview {
    pub(crate) machines: Vec<ListedMachine>,
    pub(crate) bytes: u64,
    /// What the latest result of each machine says of it.
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

    /// The machines that have all of these traits, each `WHAT=VALUE`.
    pub(crate) fn with(&self, wanted: &[String]) -> Vec<ListedMachine> {
        let has = |machine: &ListedMachine, wanted: &String| {
            let traits = self.traits.get(&machine.name).map_or(&[] as &[Trait], Vec::as_slice);
            traits.iter().any(|one| format!("{}={}", one.what, one.value) == *wanted)
        };
        let is_wanted = |machine: &&ListedMachine| wanted.iter().all(|wanted| has(machine, wanted));
        self.machines.iter().filter(is_wanted).cloned().collect()
    }
}

impl Service {
    /// # Errors
    /// When the archive cannot be opened.
    pub(crate) fn new(offer: Offer, stop: &StopFlag) -> Result<Self, ServeError> {
        let Offer { archive, token, read_only, limits } = offer;
        let access = if read_only { Access::Read } else { Access::Write };
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Self {
            archives: Archives::open(archive, access)?,
            token,
            read_only,
            limits,
            judging: Judging::default(),
            stop: stop.clone(),
            light: Arc::new(Semaphore::new(LIGHT)),
            heavy: Arc::new(Semaphore::new(HEAVY)),
            uploads: Semaphore::new(HEAVY),
            cached: Cached::default(),
            overview: Mutex::new(None),
            birth: since.as_nanos() as u64,
        })
    }

    /// The whole archive in short, which is read again once it has changed.
    pub(crate) fn overview(&self, archive: &mut Archive, generation: i64) -> Result<Arc<Overview>, Refusal> {
        let mut held = self.overview.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, overview)) = held.as_ref()
            && *of == generation
        {
            return Ok(Arc::clone(overview));
        }
        let overview = Arc::new(Overview {
            machines: archive.machines()?,
            bytes: archive.size()?,
            traits: archive.latest_traits()?.into_iter().collect(),
        });
        *held = Some((generation, Arc::clone(&overview)));
        Ok(overview)
    }
}

//! The machines of a fleet, each once.

use std::collections::{BTreeSet, HashMap};

use zerohop_result::{MachineKey, RunId, Timestamp};

use super::observation::{Logarithm, Observation, Observed, Place};
use super::parts::Build;
use super::scope::Scope;
use zerohop_compare::Fact;

/// Digits of a key that tell machines of one name apart.
const DIGITS: usize = 6;

/// Texts with fewer values may be equal by chance.
const FEWEST_OF_COPY: usize = 8;

/// The machines of a fleet, each once, with the values of all of its results.
#[derive(Debug, Default)]
pub struct Roster {
    pub(super) places: Vec<Place>,
    known_places: HashMap<Place, u32>,
    pub(super) members: Vec<Member>,
    /// Members by the names that pages show.
    known_members: HashMap<String, usize>,
    /// Members by the names in results.
    called: HashMap<String, Vec<usize>>,
    /// Members by the keys of hosts.
    keys: HashMap<MachineKey, usize>,
    /// The nodes of measured values, by their runs and digests.
    measured: HashMap<(Option<RunId>, u64), usize>,
}

#[derive(Debug, Clone)]
pub(super) struct Member {
    /// Unique name.
    pub(super) name: String,
    key: Option<MachineKey>,
    /// Facts from the latest result.
    pub(super) facts: Vec<Fact>,
    pub(super) build: Build,
    /// Scopes of the latest result without a value that can be judged.
    pub(super) gaps: BTreeSet<Scope>,
    /// The values of families of it that are all in doubt, by the ranks of their places.
    pub(super) doubtful: Vec<(u32, Logarithm)>,
    /// The values of each of its results, by the ranks of their places.
    runs: Vec<Run>,
}

#[derive(Debug, Clone)]
struct Run {
    began_at: Option<Timestamp>,
    values: Vec<(u32, Logarithm)>,
}

/// Outcome of adding a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is the first one of its node, whose number this is.
    Node(usize),
    /// It is another one of a node.
    Repeat {
        number: usize,
        /// Whether no other one began later.
        is_latest: bool,
    },
    /// It is a copy of a result of the node with this number: that of the same run, or, of runs that are not known, one of the same node with
    /// the very same values. It is left out.
    Copy(usize),
    /// It has neither a value that can be judged nor parts: it is left out.
    Empty,
}

impl Roster {
    pub fn add(&mut self, observation: Observation) -> Added {
        let Observation { name, key, began_at, run, build, facts, digest, values, gaps, doubtful } =
            observation;
        if values.is_empty() && build.parts.0.is_empty() {
            return Added::Empty;
        }
        let known = self.known(&name, key);
        // Results of models have no digest, and short texts may be equal by chance.
        let same = digest.filter(|_| run.is_some() || values.len() >= FEWEST_OF_COPY).map(|own| (run, own));
        if let Some(&other) = same.and_then(|same| self.measured.get(&same))
            && (run.is_some() || known == Some(other))
        {
            return Added::Copy(other);
        }
        let number = known.unwrap_or(self.members.len());
        self.keys.extend(key.map(|key| (key, number)));
        self.measured.extend(same.map(|same| (same, number)));
        let mut ranked = |values: Vec<Observed>| -> Vec<(u32, Logarithm)> {
            values.into_iter().map(|Observed { place, value }| (self.rank_of(place), value)).collect()
        };
        let (values, doubtful) = (ranked(values), ranked(doubtful));
        let run = Run { began_at, values };
        if known.is_none() {
            self.members.push(Member {
                name: name.clone(),
                key,
                facts,
                build,
                gaps,
                doubtful,
                runs: vec![run],
            });
            self.call(name, number);
            return Added::Node(number);
        }
        let member = &mut self.members[number];
        let is_latest = member.runs.iter().all(|other| other.began_at <= began_at);
        member.key = member.key.or(key);
        if is_latest {
            (member.facts, member.build) = (facts, build);
            // Of results without a time, all count.
            if began_at.is_some() {
                member.gaps.clear();
                member.doubtful.clear();
            }
            member.gaps.extend(gaps);
            member.doubtful.extend(doubtful);
        }
        member.runs.push(run);
        Added::Repeat { number, is_latest }
    }

    /// The machine that a result is of: that of its host's key, whatever it is called here. A result that shows none is of the machine that has
    /// its name.
    fn known(&self, name: &str, key: Option<MachineKey>) -> Option<usize> {
        let of_key = key.and_then(|key| self.keys.get(&key)).copied();
        let mut called = self.called.get(name).into_iter().flatten().copied();
        of_key.or_else(|| match key {
            None => called.next(),
            Some(_) => called.find(|number| self.members[*number].key.is_none()),
        })
    }

    /// Names a machine. Where several are called the same, each has the beginning of its key behind that, as archives name them.
    fn call(&mut self, name: String, number: usize) {
        let called = self.called.entry(name.clone()).or_default();
        called.push(number);
        if let [only] = called[..] {
            self.known_members.insert(name, only);
            return;
        }
        self.known_members.remove(&name);
        for &number in &*called {
            let member = &mut self.members[number];
            let Some(key) = member.key else { continue };
            let digits: String = key.0.simple().to_string().chars().take(DIGITS).collect();
            member.name = format!("{name}-{digits}");
            self.known_members.insert(member.name.clone(), number);
        }
    }

    /// Adds facts from a user's table to a node; returns whether there is such a node.
    pub fn state(&mut self, node: &str, facts: impl IntoIterator<Item = Fact>) -> bool {
        let Some(&known) = self.known_members.get(node) else { return false };
        self.members[known].facts.extend(facts);
        true
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The number of a node.
    pub fn number_of(&self, node: &str) -> Option<usize> {
        self.known_members.get(node).copied()
    }

    /// The name of the node with this number.
    pub fn name_of(&self, number: usize) -> Option<&str> {
        self.members.get(number).map(|member| member.name.as_str())
    }

    /// Number of a node's results with and without a start time.
    pub fn runs_of(&self, number: usize) -> (usize, usize) {
        let runs = &self.members[number].runs;
        let dated = runs.iter().filter(|run| run.began_at.is_some()).count();
        (dated, runs.len() - dated)
    }

    /// Whether the latest result of a node has no value that can be judged.
    pub fn is_latest_empty(&self, number: usize) -> bool {
        let runs = &self.members[number].runs;
        let latest = runs.iter().map(|run| run.began_at).max().flatten();
        runs.iter().filter(|run| run.began_at == latest).all(|run| run.values.is_empty())
    }

    /// Whether a node has a value that can be judged.
    pub fn has_values(&self) -> bool {
        self.members.iter().any(|member| member.runs.iter().any(|run| !run.values.is_empty()))
    }

    fn rank_of(&mut self, place: Place) -> u32 {
        if let Some(&rank) = self.known_places.get(&place) {
            return rank;
        }
        let rank = self.places.len() as u32;
        self.places.push(place.clone());
        self.known_places.insert(place, rank);
        rank
    }
}

impl Member {
    /// A value for each place: that of the latest result that has it. Where none of them says when it began, their mean.
    pub(super) fn values(&self) -> Vec<(u32, Logarithm)> {
        let [only] = &self.runs[..] else { return self.of_repeats() };
        only.values.clone()
    }

    fn of_repeats(&self) -> Vec<(u32, Logarithm)> {
        let of_run = |run: &Run| {
            let began_at = run.began_at;
            run.values.clone().into_iter().map(move |(place, value)| (place, began_at, value))
        };
        let mut all: Vec<_> = self.runs.iter().flat_map(of_run).collect();
        all.sort_by_key(|(place, began_at, _)| (*place, *began_at));
        let of_place = |repeats: &[(u32, Option<Timestamp>, Logarithm)]| match repeats {
            [.., (place, Some(_), latest)] => (*place, *latest),
            repeats => (repeats[0].0, mean(repeats.iter().map(|(.., value)| value))),
        };
        all.chunk_by(|one, other| one.0 == other.0).map(of_place).collect()
    }

    pub(super) fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.as_str())
    }
}

fn mean<'a>(values: impl Iterator<Item = &'a Logarithm> + Clone) -> Logarithm {
    let count = values.clone().count() as f32;
    let squares: f32 = values.clone().map(|one| one.error * one.error).sum();
    Logarithm { value: values.map(|one| one.value).sum::<f32>() / count, error: squares.sqrt() / count }
}

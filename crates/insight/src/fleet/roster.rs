//! The machines of a fleet, each once.

use std::collections::HashMap;

use super::Fact;
use super::observation::{Logarithm, Observation, Observed, Place};

/// The machines of a fleet, each once, with the values of all of its results.
#[derive(Debug, Default)]
pub struct Roster {
    pub(super) places: Vec<Place>,
    known_places: HashMap<Place, u32>,
    pub(super) members: Vec<Member>,
    known_members: HashMap<String, usize>,
    /// The nodes of measured values, by their digests.
    measured: HashMap<u64, usize>,
}

/// A machine.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) facts: Vec<Fact>,
    /// The values of each of its results, by the ranks of their places.
    runs: Vec<Vec<(u32, Logarithm)>>,
}

/// What became of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is the first one of its node, whose number this is.
    Node(usize),
    /// It is another one of this node: its values count as repeats.
    Repeat(usize),
    /// It is a copy of a result of the node with this number, since it has the very same values: it is left out.
    Copy(usize),
    /// It has no value that can be judged: it is left out.
    Empty,
}

impl Roster {
    /// Adds a result.
    pub fn add(&mut self, observation: Observation) -> Added {
        let Observation { name, facts, digest, values } = observation;
        if values.is_empty() {
            return Added::Empty;
        }
        if let Some(known) = digest.and_then(|digest| self.measured.get(&digest)) {
            return Added::Copy(*known);
        }
        let number = self.known_members.get(&name).copied().unwrap_or(self.members.len());
        self.measured.extend(digest.map(|digest| (digest, number)));
        let run: Vec<_> =
            values.into_iter().map(|Observed { place, value }| (self.rank_of(place), value)).collect();
        if let Some(known) = self.members.get_mut(number) {
            known.runs.push(run);
            return Added::Repeat(number);
        }
        self.known_members.insert(name.clone(), number);
        self.members.push(Member { name, facts, runs: vec![run] });
        Added::Node(number)
    }

    /// Adds facts to a node, of a table that the user has; whether there is such a node.
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
    /// A value for each place: of repeats, their mean.
    pub(super) fn values(&self) -> Vec<(u32, Logarithm)> {
        let [only] = &self.runs[..] else { return self.of_repeats() };
        only.clone()
    }

    fn of_repeats(&self) -> Vec<(u32, Logarithm)> {
        let mut all: Vec<(u32, Logarithm)> = self.runs.iter().flatten().copied().collect();
        all.sort_by_key(|(place, _)| *place);
        let of_place = |repeats: &[(u32, Logarithm)]| {
            let count = repeats.len() as f32;
            let value = repeats.iter().map(|(_, one)| one.value).sum::<f32>() / count;
            let squares: f32 = repeats.iter().map(|(_, one)| one.error * one.error).sum();
            (repeats[0].0, Logarithm { value, error: squares.sqrt() / count })
        };
        all.chunk_by(|(one, _), (other, _)| one == other).map(of_place).collect()
    }

    pub(super) fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.as_str())
    }
}

//! The values of a group, by place and by family, each with the model of its usual value.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem::{Discriminant, discriminant};

use zerohop_result::{ExperimentName, Measure};
use zerohop_statistics::{Crowd, Prior, median};

use super::observation::Logarithm;
use super::roster::Roster;
use super::scope::{Scope, ScopeOf};

/// Minimum number of machines for a usual value: with two, it is unknown which one is good.
pub(super) const FEWEST: usize = 3;

/// How far the same values of healthy machines of a kind differ: own memory of published runs by 1.5 % (docs/diagnosis.md). It counts for as
/// much as four degrees of freedom, so that it decides for a handful of machines and hardly matters for a hundred.
const PRIOR: Prior = Prior { deviation: 0.015, degrees: 4.0 };

/// Values of a class count for as many degrees of freedom as this, at most: they are not all alike.
const MOST: f64 = 30.0;

/// A value of each machine that has it.
pub(super) struct Column {
    pub(super) scope: Scope,
    pub(super) entries: Vec<Entry>,
    pub(super) crowd: Crowd,
    /// The usual value as a logarithm; that of a family is the median over its places.
    pub(super) usual: f64,
    /// Number of places in the column.
    pub(super) places: usize,
}

/// A machine's value in a column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) member: usize,
    /// The value as a logarithm, where larger is better; for a family, the distance from the usual value.
    pub(super) value: f64,
    /// Excess of its standard error over that of most others.
    pub(super) uncertainty: f64,
    /// Distance below the usual value, averaged over its places; better values count as usual.
    pub(super) below: f64,
    /// Number of the column's places that the machine has.
    pub(super) places: usize,
    /// Whether the machine lacks parts, and so is excluded from the usual value.
    pub(super) is_short: bool,
}

/// The columns of a group: first single values, then families. Machines that are `short` of parts are excluded from the usual values, unless hardly
/// any other has a value.
pub(super) fn columns(roster: &Roster, members: &[usize], short: &HashSet<usize>) -> Vec<Column> {
    let mut by_place: BTreeMap<u32, Vec<(usize, Logarithm)>> = BTreeMap::new();
    for &member in members {
        for (place, value) in roster.members[member].values() {
            by_place.entry(place).or_default().push((member, value));
        }
    }
    let mut cells = Vec::new();
    let mut families: BTreeMap<Scope, Vec<Family>> = BTreeMap::new();
    for (place, values) in by_place {
        let place = &roster.places[place as usize];
        let mut scopes = Scope::all_of(&place.experiment, place.measure, &place.at);
        let cell = scopes.pop_if(|scope| scope.is_cell());
        let scope = cell.as_ref().unwrap_or(&scopes[0]);
        let Some(column) = of_place(scope, &values, short) else { continue };
        for scope in scopes {
            families.entry(scope).or_default().push(Family::of(&column));
        }
        cells.extend(cell.map(|_| column));
    }
    cells.extend(families.into_iter().filter_map(|(scope, places)| of_family(scope, &places, short)));
    lend_strength(&mut cells);
    cells
}

/// What columns of a class scatter like: their experiment, their measure, and what kind of scope they have.
type Class = (ExperimentName, Measure, Discriminant<ScopeOf>, Option<ScopeOf>);

fn class(scope: &Scope) -> Class {
    let family = scope.is_cell().then(|| scope.family().of);
    (scope.experiment.clone(), scope.measure, discriminant(&scope.of), family)
}

/// Few machines show the scatter of a value badly, and all values of its class well: each is moderated by what the others show.
fn lend_strength(columns: &mut [Column]) {
    let mut classes: HashMap<Class, (f64, f64)> = HashMap::new();
    for column in columns.iter() {
        let Crowd { deviation, degrees, .. } = column.crowd;
        let (squares, all) = classes.entry(class(&column.scope)).or_default();
        *squares += degrees * deviation * deviation;
        *all += degrees;
    }
    for column in columns {
        let (squares, degrees) = classes[&class(&column.scope)];
        // Alone in its class, it learns nothing from itself.
        if degrees > column.crowd.degrees {
            let prior = Prior { deviation: (squares / degrees).sqrt(), degrees: degrees.min(MOST) };
            let moderated = crowd(&column.entries, prior);
            column.crowd = moderated.unwrap_or(column.crowd);
        }
    }
}

/// What a family keeps of a place.
struct Family {
    usual: f64,
    /// Machines and their distances from the usual value.
    distances: Vec<(usize, f64)>,
}

impl Family {
    fn of(column: &Column) -> Self {
        let distance = |entry: &Entry| (entry.member, entry.value - column.crowd.center);
        Self { usual: column.usual, distances: column.entries.iter().map(distance).collect() }
    }
}

fn of_place(scope: &Scope, values: &[(usize, Logarithm)], short: &HashSet<usize>) -> Option<Column> {
    let common = median(values.iter().map(|(_, one)| f64::from(one.error))).unwrap_or(0.0);
    let entry = |&(member, one): &(usize, Logarithm)| {
        let (value, error) = (f64::from(one.value), f64::from(one.error));
        let uncertainty = (error * error - common * common).max(0.0).sqrt();
        Entry { member, value, uncertainty, below: 0.0, places: 1, is_short: short.contains(&member) }
    };
    let mut entries: Vec<Entry> = values.iter().map(entry).collect();
    let crowd = crowd(&entries, PRIOR)?;
    entries.iter_mut().for_each(|entry| entry.below = (crowd.center - entry.value).max(0.0));
    Some(Column { scope: scope.clone(), entries, crowd, usual: crowd.center, places: 1 })
}

fn of_family(scope: Scope, places: &[Family], short: &HashSet<usize>) -> Option<Column> {
    let mut all: Vec<(usize, f64)> =
        places.iter().flat_map(|place| place.distances.iter().copied()).collect();
    all.sort_by_key(|(member, _)| *member);
    let entry = |distances: &[(usize, f64)]| {
        let below: f64 = distances.iter().map(|(_, distance)| (-distance).max(0.0)).sum();
        let member = distances[0].0;
        Entry {
            member,
            value: median(distances.iter().map(|(_, distance)| *distance)).unwrap_or(0.0),
            uncertainty: 0.0,
            below: below / distances.len() as f64,
            places: distances.len(),
            is_short: short.contains(&member),
        }
    };
    let entries: Vec<Entry> = all.chunk_by(|one, other| one.0 == other.0).map(entry).collect();
    let crowd = crowd(&entries, PRIOR)?;
    let usual = median(places.iter().map(|place| place.usual))?;
    Some(Column { scope, entries, crowd, usual, places: places.len() })
}

fn crowd(entries: &[Entry], prior: Prior) -> Option<Crowd> {
    if entries.len() < FEWEST {
        return None;
    }
    let whole = entries.iter().filter(|entry| !entry.is_short).count();
    let counts = |entry: &&Entry| whole < FEWEST || !entry.is_short;
    let mut ascending: Vec<f64> = entries.iter().filter(counts).map(|entry| entry.value).collect();
    ascending.sort_by(f64::total_cmp);
    Crowd::of(&ascending, prior)
}

impl Column {
    /// Number of standard errors that a value is below the usual one.
    pub(super) fn below(&self, entry: &Entry) -> f64 {
        let error = self.crowd.error(entry.uncertainty);
        if error > 0.0 { (self.crowd.center - entry.value) / error } else { 0.0 }
    }

    /// Converts a logarithm, where larger is better, to a value in the unit of the measure.
    pub(super) fn shown(&self, logarithm: f64) -> f64 {
        let sign = if self.scope.measure.larger_is_better() { 1.0 } else { -1.0 };
        libm::exp(sign * logarithm)
    }

    /// The value of a machine, in the measure's unit.
    pub(super) fn found(&self, entry: &Entry) -> f64 {
        self.shown(self.usual + entry.value - self.crowd.center)
    }
}

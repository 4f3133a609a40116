//! Shifts: whether results differ as a whole, by one factor throughout, or wherever a node or a pair of nodes is involved.
//!
//! One value is known less precisely than the mean of many. A machine that lost a tenth of its speed throughout may show it in no single cell beyond
//! doubt, and in all of them together without doubt. Errors of cells are not independent: a host that is slow for a minute is slow in many of them.
//! In records of repeated runs, the deviations of two cells of one run are correlated by 0.4 on average over kinds and hosts (docs/method.md), so the
//! variance of a mean of n cells is `CORRELATED + (1 - CORRELATED) / n` times that of one. In the difference between the cells of a place and all
//! others, shared errors cancel out.

use std::collections::BTreeSet;

use zerohop_result::{Coordinates, Dimension, Measure};
use zerohop_statistics::{CONFIDENCE, two_sided, two_sided_quantile};

use super::cells::Key;
use super::difference::Difference;
use super::judge::RISK;
use super::repeated_cell::MANY;
use super::score::{CORRELATED, NORMAL};
use crate::comparison::{Ratio, Shift, Tendency, Whole};

/// A place is compared with the rest of the machine by at least this number of cells on either side.
const FEWEST: usize = 2;

/// The part of the risk that is spent on the question that comes first, whether everything changed. Times and rates share the rest.
const FIRST: f64 = 0.8;

/// At most this number of places is named: each is one that those before it do not explain.
const MOST_PLACES: usize = 3;

/// Logarithms closer than this are equal but for rounding.
const EXACT: f64 = 1e-12;

/// A mean that moved: by what logarithm, its standard error, and the degrees of freedom of that.
#[derive(Clone, Copy)]
struct Moved {
    log: f64,
    error: f64,
    degrees: f64,
}

/// A cell that decides.
struct Known<'a> {
    at: &'a Coordinates,
    dimension: Dimension,
    /// The logarithm of how many times as good it is, without what places that were found explain.
    log: f64,
    /// The same with it.
    measured: f64,
    /// Half the interval of that.
    half: f64,
}

/// The shifts of a result's cells from the base's: first of all cells, of times and of rates, then of places that differ from the rest.
pub(super) fn shifts(name: &str, common: &[Key<'_>], differences: &[(Difference, bool)]) -> Vec<Shift> {
    let cells = common.iter().zip(differences).filter(|(_, (_, doubtful))| !doubtful);
    let mut cells: Vec<Known<'_>> =
        cells.filter_map(|((_, measure, at), (one, _))| known(*measure, at, one)).collect();
    let wholes = [Whole::Everything, Whole::Times, Whole::Rates];
    let places = places(&cells);
    let mut shifts: Vec<Shift> = Vec::new();
    for whole in wholes {
        let own: Vec<&Known<'_>> = cells.iter().filter(|cell| whole.has(cell)).collect();
        // What is all there is was listed already.
        let is_new = whole == Whole::Everything || own.len() < cells.len();
        if own.len() >= FEWEST && is_new {
            let (log, error) = mean(&own);
            let weight = if whole == Whole::Everything { FIRST } else { (1.0 - FIRST) / 2.0 };
            let moved = Moved { log, error, degrees: MANY };
            shifts.push(shift(name, whole, moved, own.len(), 1.0 / weight));
        }
    }
    while shifts.len() < wholes.len() + MOST_PLACES {
        let is_named = |place: &Whole| shifts.iter().any(|shift| shift.whole == *place);
        let candidates = places.iter().filter(|place| !is_named(place)).filter_map(|place| {
            let (own, others): (Vec<&Known<'_>>, Vec<&Known<'_>>) =
                cells.iter().partition(|cell| place.has(cell));
            let moved = contrast(&own, &others)?;
            // What stayed as it was while others got worse is no better than before.
            let measured: f64 = own.iter().map(|cell| cell.measured).sum();
            if measured * moved.log <= 0.0 {
                return None;
            }
            Some(shift(name, *place, moved, own.len(), places.len() as f64))
        });
        let Some(found) =
            candidates.min_by(|one, other| one.p.total_cmp(&other.p)).filter(|found| found.p < RISK)
        else {
            break;
        };
        // What it explains is no reason to name another place.
        let explained = libm::log(found.ratio.value);
        cells.iter_mut().filter(|cell| found.whole.has(cell)).for_each(|cell| cell.log -= explained);
        shifts.push(found);
    }
    shifts
}

fn known<'a>(measure: Measure, at: &'a Coordinates, difference: &Difference) -> Option<Known<'a>> {
    let Difference { ratio, .. } = difference;
    let (log, half) = (libm::log(ratio.value), libm::log(ratio.high / ratio.low) / 2.0);
    (log.is_finite() && half.is_finite()).then_some(Known {
        at,
        dimension: measure.dimension(),
        log,
        measured: log,
        half,
    })
}

impl Known<'_> {
    /// The numbers of the nodes that it leads from and to.
    fn ends(&self) -> [Option<u32>; 2] {
        [self.at.initiator_node(), self.at.target_node()].map(|node| node.map(|node| node.0))
    }
}

/// The places of which there are cells, and of which there are others.
fn places(cells: &[Known<'_>]) -> Vec<Whole> {
    let mut places = BTreeSet::new();
    for cell in cells {
        let [from, to] = cell.ends();
        places.extend(from.map(|node| Whole::CpusOf { node }));
        places.extend(to.map(|node| Whole::MemoryOf { node }));
        places.extend(from.filter(|_| from == to).map(|node| Whole::LocalMemoryOf { node }));
        if let Some((from, to)) = from.zip(to).filter(|(from, to)| from != to) {
            places.insert(Whole::Between { nodes: [from.min(to), from.max(to)] });
        }
    }
    places.into_iter().collect()
}

impl Whole {
    fn has(self, cell: &Known<'_>) -> bool {
        let [from, to] = cell.ends();
        match self {
            Self::Everything => true,
            Self::Times => cell.dimension == Dimension::Time,
            Self::Rates => cell.dimension == Dimension::Rate,
            Self::CpusOf { node } => from == Some(node),
            Self::MemoryOf { node } => to == Some(node),
            Self::LocalMemoryOf { node } => [from, to] == [Some(node); 2],
            Self::Between { nodes } => {
                let [one, other] = nodes.map(Some);
                [from, to] == [one, other] || [from, to] == [other, one]
            }
        }
    }
}

/// The mean of the logarithms, and its standard error.
fn mean(cells: &[&Known<'_>]) -> (f64, f64) {
    let count = cells.len() as f64;
    let log = cells.iter().map(|cell| cell.log).sum::<f64>() / count;
    (log, (variance(cells) * (CORRELATED + (1.0 - CORRELATED) / count)).sqrt())
}

/// The mean variance of a cell.
fn variance(cells: &[&Known<'_>]) -> f64 {
    cells.iter().map(|cell| (cell.half / NORMAL).powi(2)).sum::<f64>() / cells.len() as f64
}

/// How far the mean of some cells is from that of others, with its standard error and the degrees of freedom of that; `None` if either are too
/// few. What changed in some cells of either side and not in others makes it uncertain what the place is to do with it.
fn contrast(own: &[&Known<'_>], others: &[&Known<'_>]) -> Option<Moved> {
    if own.len() < FEWEST || others.len() < FEWEST {
        return None;
    }
    let squares = |cells: &[&Known<'_>]| {
        let center = mean(cells).0;
        cells.iter().map(|cell| (cell.log - center).powi(2)).sum::<f64>()
    };
    let degrees = (own.len() + others.len() - 2) as f64;
    let differing = (squares(own) + squares(others)) / degrees;
    let part =
        |cells: &[&Known<'_>]| ((1.0 - CORRELATED) * variance(cells)).max(differing) / cells.len() as f64;
    let error = (part(own) + part(others)).sqrt();
    Some(Moved { log: mean(own).0 - mean(others).0, error, degrees })
}

/// A shift, with its probability after Bonferroni's correction: as if there were that number of tests like it.
fn shift(name: &str, whole: Whole, moved: Moved, cells: usize, tests: f64) -> Shift {
    let Moved { log, error, degrees } = moved;
    let p = if error > 0.0 {
        (two_sided(log / error, degrees) * tests).min(1.0)
    } else {
        // Exact values that differ do so for certain.
        f64::from(u8::from(log.abs() <= EXACT))
    };
    let reach = two_sided_quantile(1.0 - CONFIDENCE, degrees) * error;
    let at = |log: f64| libm::exp(log);
    let ratio = Ratio { value: at(log), low: at(log - reach), high: at(log + reach) };
    let tendency = match p < RISK {
        true if log > 0.0 => Tendency::Better,
        true => Tendency::Worse,
        false => Tendency::Same,
    };
    Shift { name: name.to_owned(), whole, ratio, tendency, p, cells }
}

//! Packages and last-level caches that the CPUs of a map of cores share, as marks next to its rows and columns.

use serde::Serialize;
use zerohop_machine::{Machine, PuId};
use zerohop_result::Axis;

use crate::sheet::{Head, Sheet};
use crate::svg::canvas::{Canvas, Type, at};
use crate::svg::palette::{FAINT, INK};

/// Space above the columns' names for the names of shared parts.
pub(super) const ROOM: f64 = 34.0;

/// Neighbors that share something.
#[derive(Debug, PartialEq, Serialize)]
struct Group {
    /// The rank of the first, and that behind the last.
    from: usize,
    to: usize,
    name: String,
}

/// The groups of the columns and of the rows of a map of cores.
#[derive(Serialize)]
pub(super) struct Shares {
    columns: Groups,
    rows: Groups,
}

#[derive(Serialize)]
struct Groups {
    packages: Vec<Group>,
    caches: Vec<Group>,
}

impl Shares {
    /// Marks of a map from CPU to CPU, if its CPUs do not all share the same parts.
    pub(super) fn of(sheet: &Sheet<'_>, machine: &Machine) -> Option<Self> {
        if (sheet.row_axis, sheet.column_axis) != (Some(Axis::From), Some(Axis::To)) {
            return None;
        }
        let columns = Groups::of(&mut sheet.columns.iter(), machine)?;
        let rows = Groups::of(&mut sheet.rows.iter().map(|row| &row.head), machine)?;
        let is_telling = columns.packages.len() > 1 || columns.caches.len() > 1;
        is_telling.then_some(Self { columns, rows })
    }

    /// Draws them around a map whose first cell begins at `left` and `top`.
    pub(super) fn draw(&self, drawing: &mut Canvas, (left, top): (f64, f64), (width, height): (f64, f64)) {
        let across = |rank: usize| left + rank as f64 * width;
        let down = |rank: usize| top + rank as f64 * height;
        let ends = |groups: &Groups| groups.packages.last().map_or(0, |group| group.to);
        let (right, bottom) = (across(ends(&self.columns)), down(ends(&self.rows)));
        for (groups, y) in [(&self.columns.packages, top - 40.0), (&self.columns.caches, top - 24.0)] {
            for group in groups {
                let (from, to) = (across(group.from) + 1.5, across(group.to) - 1.5);
                drawing.line(at(from, y + 4.0), at(to, y + 4.0), FAINT, 1.5);
                let text = Type::new(10.5).fill(FAINT).middle();
                if text.width(&group.name) <= to - from {
                    drawing.text(at((from + to) / 2.0, y), text, &group.name);
                }
            }
        }
        for (stroke, of) in [(0.75, Kind::Caches), (1.5, Kind::Packages)] {
            for group in of.groups(&self.columns).iter().skip(1) {
                drawing.line(at(across(group.from), top), at(across(group.from), bottom), INK, stroke);
            }
            for group in of.groups(&self.rows).iter().skip(1) {
                drawing.line(at(left, down(group.from)), at(right, down(group.from)), INK, stroke);
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Packages,
    Caches,
}

impl Kind {
    fn groups(self, groups: &Groups) -> &[Group] {
        match self {
            Self::Packages => &groups.packages,
            Self::Caches => &groups.caches,
        }
    }
}

impl Groups {
    /// `None` if a head is no CPU that the machine lists.
    fn of<'a>(heads: &mut dyn Iterator<Item = &'a Head<'a>>, machine: &Machine) -> Option<Self> {
        let cpus: Vec<PuId> = heads
            .map(|head| head.number().and_then(|cpu| u32::try_from(cpu).ok()).map(PuId))
            .collect::<Option<_>>()?;
        let packages: Vec<String> = cpus
            .iter()
            .map(|cpu| Some(format!("package {}", machine.pu(*cpu)?.package)))
            .collect::<Option<_>>()?;
        // Without a common cache, a core is a group of its own, which the cells show.
        let caches: Vec<String> = cpus.iter().map(|cpu| last_cache(machine, *cpu)).collect::<Option<_>>()?;
        Some(Self { packages: runs(&packages), caches: runs(&caches) })
    }
}

/// The last cache of a CPU, by a name that only those behind the same one have; shown is the level.
fn last_cache(machine: &Machine, cpu: PuId) -> Option<String> {
    let last = *machine.data_caches(cpu).last()?;
    let rank = machine
        .caches
        .iter()
        .filter(|cache| cache.level == last.level)
        .position(|cache| cache.pus == last.pus)?;
    Some(format!("L{} {rank}", last.level))
}

/// Neighbors of one name.
fn runs(names: &[String]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (rank, name) in names.iter().enumerate() {
        match groups.last_mut().filter(|group| group.name == *name) {
            Some(group) => group.to = rank + 1,
            None => groups.push(Group { from: rank, to: rank + 1, name: name.clone() }),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_of_one_name_are_a_group() {
        let names = ["L3 0", "L3 0", "L3 1", "L3 0"].map(str::to_owned);
        let found: Vec<_> =
            runs(&names).into_iter().map(|group| (group.from, group.to, group.name)).collect();
        assert_eq!(found, [(0, 2, "L3 0".to_owned()), (2, 3, "L3 1".to_owned()), (3, 4, "L3 0".to_owned())]);
    }
}

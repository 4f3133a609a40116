//! Data for the picture of a group: its machines, and their positions in the families in which they differ most.

use super::columns::Column;
use super::roster::Roster;
use super::{Distribution, FleetMember};

/// Families that are shown, at most.
const SHOWN: usize = 6;

/// The fact that says where a machine stands.
const RACK: &str = "rack";

/// The machines of a group, in its order.
pub(super) fn shown_members(roster: &Roster, members: &[usize]) -> Vec<FleetMember> {
    let shown = |number: &usize| {
        let member = &roster.members[*number];
        let rack = member.facts.iter().find(|fact| fact.name.eq_ignore_ascii_case(RACK));
        FleetMember { node: member.name.clone(), rack: rack.map(|fact| fact.value.clone()), report: None }
    };
    members.iter().map(shown).collect()
}

/// The families whose worst machine loses most, each with a value for each of these machines.
pub(super) fn distributions(columns: &[Column], members: &[usize]) -> Vec<Distribution> {
    let mut families: Vec<&Column> = columns.iter().filter(|column| column.scope.is_family()).collect();
    families
        .sort_by(|one, other| worst(other).total_cmp(&worst(one)).then_with(|| one.scope.cmp(&other.scope)));
    families.truncate(SHOWN);
    let shown = |column: &Column| {
        let mut values = vec![None; members.len()];
        for entry in &column.entries {
            if let Ok(rank) = members.binary_search(&entry.member) {
                values[rank] = Some(column.found(entry));
            }
        }
        Distribution { scope: column.scope.clone(), values }
    };
    families.into_iter().map(shown).collect()
}

/// How far the worst machine is below what is usual.
fn worst(column: &Column) -> f64 {
    column.entries.iter().map(|entry| column.crowd.center - entry.value).fold(0.0, f64::max)
}

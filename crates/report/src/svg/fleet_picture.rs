//! A fleet at a glance: a map of its nodes, and for each family of values where each node stands.

use std::collections::HashMap;

use zerohop_diagnosis::FleetDiagnosis;
use zerohop_fleet::{BadNode, FleetGroup, FleetMember};
use zerohop_units::counted;

use crate::fleet_words::{kind, verdict};
use crate::svg::canvas::{Canvas, Type, at};
use crate::svg::dots::dots;
use crate::svg::fleet_dot::Dot;
use crate::svg::fleet_map::fleet_map;
use crate::svg::palette::FAINT;
use crate::svg::panel::{GAP, PAGE, Panel, stack};

/// Groups that are drawn, the largest ones.
const GROUPS: usize = 4;

/// A picture of a fleet.
pub(crate) fn fleet_picture(fleet: &FleetDiagnosis) -> String {
    let groups = &fleet.fleet.groups;
    let nodes: usize = groups.iter().map(|group| group.nodes).sum();
    let mut page = Canvas::default();
    let title = format!("fleet of {}", counted(nodes, "node"));
    page.text(at(GAP, 42.0), Type::new(24.0).bold(), &title);
    page.text(at(GAP, 64.0), Type::new(13.0), &verdict(&fleet.fleet));
    let mut end = 84.0;
    for group in groups.iter().take(GROUPS) {
        let head = format!("{}: {}", counted(group.nodes, "node"), kind(&group.kind));
        page.text(at(GAP, end + 18.0), Type::new(14.5).bold(), &head);
        end = stack(&mut page, &panels(group), end + 32.0);
    }
    if groups.len() > GROUPS {
        let more = format!("and {} more, which are smaller", counted(groups.len() - GROUPS, "group"));
        page.text(at(GAP, end + 12.0), Type::new(13.0).fill(FAINT), &more);
        end += 24.0;
    }
    page.finish(PAGE, end + GAP, &title, &verdict(&fleet.fleet))
}

fn panels(group: &FleetGroup) -> Vec<Panel> {
    let bad: HashMap<&str, &BadNode> = group.bad.iter().map(|bad| (bad.node.as_str(), bad)).collect();
    let dot = |member| Dot { member, bad: bad.get(member_name(member)).copied() };
    let nodes: Vec<Dot<'_>> = group.members.iter().map(dot).collect();
    let map = (!nodes.is_empty()).then(|| fleet_map(&nodes));
    let distributions = group.distributions.iter().filter_map(|one| {
        let usual = group.usual.iter().find(|usual| usual.scope == one.scope)?;
        dots(one, usual.value, &nodes)
    });
    map.into_iter().chain(distributions).collect()
}

fn member_name(member: &FleetMember) -> &str {
    &member.node
}

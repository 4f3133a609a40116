//! A fleet on one screen: its groups, the worst nodes, what bad nodes have in common, and what to do.

use zerohop_diagnosis::FleetDiagnosis;
use zerohop_fleet::{FleetFile, FleetGroup, Relation};
use zerohop_units::counted;

use crate::fleet_words::{
    finding, kind, notes, part_names, percent, place, remarks, since, steps, unanswered, value, verdict,
};
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;

/// Nodes of a group that the page lists.
const WORST: usize = 25;

/// Lines of what to do, at most.
const STEPS: usize = 5;

/// Groups that the page shows in full. The others differ in a detail, or are few.
const GROUPS: usize = 4;

/// Writes the findings.
pub(crate) fn fleet_page(fleet: &FleetDiagnosis, style: &Style) -> Page {
    let groups = &fleet.fleet.groups;
    let nodes: usize = groups.iter().map(|group| group.nodes).sum();
    let mut page = Page::new(style);
    page.banner(&format!("fleet of {}", counted(nodes, "node")), &counted(groups.len(), "group"));
    page.paragraph(&verdict(&fleet.fleet));
    groups.iter().take(GROUPS).for_each(|group| write_group(&mut page, group, fleet));
    if groups.len() > GROUPS {
        page.section(&format!("{} more", counted(groups.len() - GROUPS, "group")));
        for group in &groups[GROUPS..] {
            let bad = format!("{} bad of {}", group.bad.len(), counted(group.nodes, "node"));
            page.item(&format!("{bad}: {}", kind(&group.kind)));
        }
    }
    let steps = steps(&fleet.fleet, &fleet.diagnoses);
    if !steps.is_empty() {
        page.section("recommended actions, in this order");
        steps.iter().take(STEPS).for_each(|step| page.item(step));
    }
    let unanswered = unanswered(&fleet.fleet);
    if !unanswered.is_empty() {
        page.section("without a result");
        unanswered.iter().for_each(|node| page.item(node));
    }
    if !fleet.fleet.notes.is_empty() {
        page.section("skipped, or in doubt");
        notes(&fleet.fleet).iter().for_each(|note| page.item(note));
    }
    page
}

fn write_group(page: &mut Page, group: &FleetGroup, fleet: &FleetDiagnosis) {
    page.section(&format!("{}: {}", counted(group.nodes, "node"), kind(&group.kind)));
    if let Some(why) = &group.not_judged {
        page.paragraph(&format!("not judged: {why}"));
        return;
    }
    if group.bad.is_empty() {
        page.paragraph("no node is bad");
    } else {
        page.grid(worst_nodes(group, fleet));
    }
    let more = group.bad.len().saturating_sub(WORST);
    if more > 0 {
        page.remark(&format!("and {more} more: `--format csv` lists all"));
    }
    if let Some(told) = told(group) {
        page.remark(&told);
    }
    remarks(group).iter().for_each(|remark| page.item(remark));
}

/// The bad nodes of each group, as tables; `None` if there are none.
pub(crate) fn bad_nodes_page(fleet: &FleetDiagnosis, style: &Style) -> Option<Page> {
    let mut page = Page::new(style);
    page.section("all bad nodes");
    let groups = fleet.fleet.groups.iter().filter(|group| !group.bad.is_empty());
    for group in groups.clone() {
        page.title(&counted(group.nodes, "node"), &kind(&group.kind));
        page.grid(worst_nodes(group, fleet));
        let more = group.bad.len().saturating_sub(WORST);
        if more > 0 {
            page.remark(&format!("and {more} more: `--format csv` lists all"));
        }
        if let Some(told) = told(group) {
            page.remark(&told);
        }
    }
    groups.count().gt(&0).then_some(page)
}

/// Facts that distinguish bad nodes from others, as a table; `None` if there are none.
pub(crate) fn relations_page(fleet: &FleetFile, style: &Style) -> Option<Page> {
    let heads = [
        ("fact", Side::Left),
        ("bad nodes", Side::Right),
        ("others", Side::Right),
        ("difference", Side::Right),
        ("by chance", Side::Right),
        ("on exactly the same nodes", Side::Left),
    ];
    let mut page = Page::new(style);
    page.section("what bad nodes have in common");
    let groups = fleet.groups.iter().filter(|group| !group.relations.is_empty());
    for group in groups.clone() {
        page.title(&counted(group.nodes, "node"), &kind(&group.kind));
        let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
        for Relation { fact, without, bad, others, chance, effect, same } in &group.relations {
            let not = if *without { "not " } else { "" };
            let same = same.iter().map(|fact| format!("{} {}", fact.name, fact.value));
            grid.push(vec![
                Entry::text(format!("{} {not}{}", fact.name, fact.value)),
                Entry::text(format!("{} of {}", bad.0, bad.1)),
                Entry::text(format!("{} of {}", others.0, others.1)),
                Entry::text(percent(*effect)),
                Entry::text(format!("{chance:.1e}")),
                Entry::text(same.collect::<Vec<_>>().join("; ")),
            ]);
        }
        page.grid(grid);
    }
    groups.count().gt(&0).then_some(page)
}

/// The losses from which on chance explains none, which differ by kind of value.
fn told(group: &FleetGroup) -> Option<String> {
    let told = || group.usual.iter().map(|usual| usual.told);
    let (least, most) = (told().reduce(f64::min)?, told().reduce(f64::max)?);
    let (least, most) = (percent(least), percent(most));
    Some(if least == most {
        format!("losses below {least} can be due to chance")
    } else {
        format!("losses below {least} can be due to chance; for some values, losses below {most}")
    })
}

fn worst_nodes(group: &FleetGroup, fleet: &FleetDiagnosis) -> Grid {
    let has_past = group.bad.iter().any(|bad| bad.since.is_some());
    let heads = [
        ("node", Side::Left),
        ("loss", Side::Right),
        ("found", Side::Right),
        ("usual", Side::Right),
        ("since", Side::Left),
        ("worst in", Side::Left),
        ("likely cause", Side::Left),
    ];
    let heads = heads.into_iter().filter(|(head, _)| has_past || *head != "since");
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for bad in group.bad.iter().take(WORST) {
        let (found, usual, place) = match (bad.deficits.first(), bad.lost.first()) {
            (Some(deficit), _) => {
                let shown = |one: f64| value(deficit.scope.measure, one);
                (shown(deficit.found), shown(deficit.usual), place(&deficit.scope))
            }
            (None, Some(lost)) => {
                let (noun, unit) = part_names(lost.part);
                let place = if noun == unit { noun.to_owned() } else { format!("{noun}, {unit}") };
                (lost.found.to_string(), lost.usual.to_string(), place)
            }
            (None, None) => continue,
        };
        let loss = if bad.deficits.is_empty() { "–".to_owned() } else { percent(bad.loss) };
        let mut row = vec![
            Entry::machine(&bad.node),
            Entry::number(&loss),
            Entry::number(&found),
            Entry::number(&usual),
        ];
        row.extend(has_past.then(|| Entry::text(since(bad))));
        row.push(Entry::text(place));
        row.push(Entry::text(finding(&fleet.diagnoses, bad)));
        grid.push(row);
    }
    grid
}

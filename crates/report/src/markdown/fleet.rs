//! Findings about a fleet, for a ticket.

use zerohop_diagnosis::FleetDiagnosis;
use zerohop_fleet::FleetGroup;
use zerohop_units::counted;

use super::page::{MarkdownPage, mark, prose};
use crate::fleet_words;
use crate::measure::shown_unit;

/// Groups with their bad nodes, what these have in common, and what to do.
pub(crate) fn fleet_markdown(fleet: &FleetDiagnosis) -> String {
    let groups = &fleet.fleet.groups;
    let nodes: usize = groups.iter().map(|group| group.nodes).sum();
    let mut page = MarkdownPage::default();
    page.line(&[mark("# Fleet of "), prose(counted(nodes, "node"))]);
    page.paragraph(&[prose(fleet_words::verdict(&fleet.fleet)), mark(".")]);
    groups.iter().for_each(|group| write_group(&mut page, group));
    list(
        &mut page,
        "## Recommended actions, in this order\n\n",
        &fleet_words::steps(&fleet.fleet, &fleet.diagnoses),
    );
    list(&mut page, "## Without a result\n\n", &fleet_words::unanswered(&fleet.fleet));
    list(&mut page, "## Skipped, or in doubt\n\n", &fleet_words::notes(&fleet.fleet));
    page.finish()
}

fn list(page: &mut MarkdownPage, head: &'static str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    page.blank();
    page.own(head);
    items.iter().for_each(|item| page.line(&[mark("- "), prose(item)]));
}

fn write_group(page: &mut MarkdownPage, group: &FleetGroup) {
    let kind = fleet_words::kind(&group.kind);
    page.paragraph(&[mark("## "), prose(counted(group.nodes, "node")), mark(": "), prose(kind)]);
    if let Some(why) = &group.not_judged {
        page.paragraph(&[mark("Not judged: "), prose(why), mark(".")]);
        return;
    }
    let has_past = group.bad.iter().any(|bad| bad.since.is_some());
    match (group.bad.is_empty(), has_past) {
        (true, _) => {}
        (false, false) => {
            page.own("| node | loss | where | found | usual | unit |\n|---|--:|---|--:|--:|---|\n");
        }
        (false, true) => {
            page.own(
                "| node | loss | where | found | usual | unit | since |\n|---|--:|---|--:|--:|---|---|\n",
            );
        }
    }
    for bad in &group.bad {
        for lost in &bad.lost {
            let (noun, unit) = fleet_words::part_names(lost.part);
            let loss = 1.0 - lost.found as f64 / lost.usual as f64;
            let cells = [
                bad.node.clone(),
                fleet_words::percent(loss),
                noun.to_owned(),
                lost.found.to_string(),
                lost.usual.to_string(),
                unit.to_owned(),
            ];
            let since = has_past.then(|| fleet_words::since(bad));
            page.row(cells.into_iter().chain(since).map(prose));
        }
        for deficit in &bad.deficits {
            let measure = deficit.scope.measure;
            let value = |value: f64| fleet_words::value(measure, value);
            let cells = [
                bad.node.clone(),
                fleet_words::percent(deficit.loss),
                deficit.scope.to_string(),
                value(deficit.found),
                value(deficit.usual),
                shown_unit(measure).to_owned(),
            ];
            let since = has_past.then(|| fleet_words::since(bad));
            page.row(cells.into_iter().chain(since).map(prose));
        }
    }
    let remarks = fleet_words::remarks(group);
    if !remarks.is_empty() {
        page.blank();
    }
    remarks.iter().for_each(|remark| page.line(&[mark("- "), prose(remark)]));
}

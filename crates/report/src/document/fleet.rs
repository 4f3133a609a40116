//! What was found in a fleet.

use zerohop_diagnosis::FleetDiagnosis;
use zerohop_insight::fleet::{BadNode, Deficit, FleetGroup};

use crate::fleet_words::{finding, since};
use crate::html::{Part, Story, WIDE};
use crate::json::fleet_json;
use crate::markdown::fleet_markdown;
use crate::render::{Document, Views};
use crate::svg::fleet_picture;
use crate::table::Table;
use crate::terminal::{fleet_page, relations_page};

impl Document for FleetDiagnosis {
    const NAME: &'static str = "what was found in a fleet";
    const VIEWS: Views<Self> = Views {
        page: Some(fleet_page),
        json: Some(fleet_json),
        rows: Some(rows),
        picture: Some(|fleet| Ok(fleet_picture(fleet))),
        story: Some(story),
        markdown: Some(fleet_markdown),
        ..Views::NONE
    };
}

/// For a browser: the screen, the map of nodes with their values, and what bad nodes have in common.
fn story(fleet: &FleetDiagnosis) -> Story {
    let parts = [
        Part::Page(fleet_page(fleet, &WIDE)),
        Part::Picture { name: "fleet".to_owned(), svg: fleet_picture(fleet) },
    ];
    let relations = relations_page(&fleet.fleet, &WIDE).map(Part::Page);
    Story {
        name: FleetDiagnosis::NAME,
        parts: parts.into_iter().chain(relations).collect(),
        data: vec![fleet_json(fleet)],
    }
}

/// One row for each deficit of each bad node.
fn rows(fleet: &FleetDiagnosis) -> Table {
    let groups = fleet.fleet.groups.iter().enumerate();
    let nodes = groups.flat_map(|(rank, group)| group.bad.iter().map(move |bad| (rank, group, bad)));
    let rows: Vec<(usize, &FleetGroup, &BadNode, &Deficit)> = nodes
        .flat_map(|(rank, group, bad)| bad.deficits.iter().map(move |deficit| (rank, group, bad, deficit)))
        .collect();
    let deficits = || rows.iter().map(|(.., deficit)| *deficit);
    Table::new()
        .words("node", rows.iter().map(|(_, _, bad, _)| bad.node.clone()))
        .counts("group", rows.iter().map(|(rank, ..)| *rank as u64 + 1))
        .counts("nodes_in_group", rows.iter().map(|(_, group, ..)| group.nodes as u64))
        .numbers("node_loss", rows.iter().map(|(_, _, bad, _)| Some(bad.loss)))
        .words("since", rows.iter().map(|(_, _, bad, _)| since(bad)))
        .words("values", deficits().map(|deficit| deficit.scope.to_string()))
        .words("measure", deficits().map(|deficit| deficit.scope.measure.name().to_owned()))
        .numbers("found", deficits().map(|deficit| Some(deficit.found)))
        .numbers("usual", deficits().map(|deficit| Some(deficit.usual)))
        .numbers("loss", deficits().map(|deficit| Some(deficit.loss)))
        .numbers("chance", deficits().map(|deficit| Some(deficit.chance)))
        .words("finding", rows.iter().map(|(_, _, bad, _)| finding(&fleet.diagnoses, &bad.node)))
}

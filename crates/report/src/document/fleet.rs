//! Findings about a fleet.

use zerohop_diagnosis::FleetDiagnosis;
use zerohop_fleet::{BadNode, FleetGroup};

use crate::fleet_story::fleet_story;
use crate::fleet_words::{finding, part_names, since};
use crate::json::fleet_json;
use crate::markdown::fleet_markdown;
use crate::pages::fleet_page;
use crate::render::{Document, Views};
use crate::svg::fleet_picture;
use crate::table::Table;

impl Document for FleetDiagnosis {
    const NAME: &'static str = "an analysis of a fleet";
    const VIEWS: Views<Self> = Views {
        page: Some(fleet_page),
        json: Some(fleet_json),
        rows: Some(rows),
        picture: Some(|fleet| Ok(fleet_picture(fleet))),
        story: Some(fleet_story),
        markdown: Some(fleet_markdown),
        ..Views::NONE
    };
}

/// A row of the table: what a bad node has less of, or where it is worse.
struct Row<'a> {
    rank: usize,
    group: &'a FleetGroup,
    bad: &'a BadNode,
    values: String,
    measure: String,
    found: f64,
    usual: f64,
    loss: f64,
    chance: Option<f64>,
}

/// One row for each part that a bad node has less of, and for each deficit.
fn rows(fleet: &FleetDiagnosis) -> Table {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (rank, group) in fleet.fleet.groups.iter().enumerate() {
        for bad in &group.bad {
            rows.extend(bad.lost.iter().map(|lost| Row {
                rank,
                group,
                bad,
                values: part_names(lost.part).0.to_owned(),
                measure: String::new(),
                found: lost.found as f64,
                usual: lost.usual as f64,
                loss: 1.0 - lost.found as f64 / lost.usual as f64,
                chance: None,
            }));
            rows.extend(bad.deficits.iter().map(|deficit| Row {
                rank,
                group,
                bad,
                values: deficit.scope.to_string(),
                measure: deficit.scope.measure.name().to_owned(),
                found: deficit.found,
                usual: deficit.usual,
                loss: deficit.loss,
                chance: Some(deficit.chance),
            }));
        }
    }
    let of = || rows.iter();
    Table::new()
        .words("node", of().map(|row| row.bad.node.clone()))
        .counts("group", of().map(|row| row.rank as u64 + 1))
        .counts("nodes_in_group", of().map(|row| row.group.nodes as u64))
        .numbers("node_loss", of().map(|row| Some(row.bad.loss)))
        .words("since", of().map(|row| since(row.bad)))
        .words("values", of().map(|row| row.values.clone()))
        .words("measure", of().map(|row| row.measure.clone()))
        .numbers("found", of().map(|row| Some(row.found)))
        .numbers("usual", of().map(|row| Some(row.usual)))
        .numbers("loss", of().map(|row| Some(row.loss)))
        .numbers("chance", of().map(|row| row.chance))
        .words("likely_cause", of().map(|row| finding(&fleet.diagnoses, row.bad)))
}

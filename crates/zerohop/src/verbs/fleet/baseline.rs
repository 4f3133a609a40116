//! `zerohop fleet baseline`: what is usual on each kind of machine.

use zerohop_app::{FleetError, fleet_inputs, gather};
use zerohop_insight::fleet::{Baseline, GroupBy, analyse};

use super::analyse::{HINT, say_unread, waiting};
use crate::arguments::FleetBaselineArguments;
use crate::failure::Failure;
use crate::terminal;
use crate::text_file::Disk;
use crate::verbs::Ending;
use crate::whole_file::WholeFile;

pub(super) fn write_baseline(arguments: &FleetBaselineArguments, quiet: bool) -> Result<Ending, Failure> {
    let FleetBaselineArguments { results, output } = arguments;
    let file = WholeFile::at(output)?;
    let paths = fleet_inputs(results, &Disk)?;
    let gathered = gather(&paths, HINT, &Disk, &waiting("files read", quiet).crew())?;
    let unread = say_unread(&gathered, paths.len());
    let fleet = analyse(&gathered.roster, &GroupBy::Kind, Vec::new()).map_err(FleetError::from)?;
    let baseline = Baseline::of(&gathered.roster, &fleet);
    if baseline.kinds.is_empty() {
        return Err(Failure::new("no kind of machine is judged").hint("three nodes of a kind are needed"));
    }
    let mut text = serde_json::to_string_pretty(&baseline).map_err(Failure::new)?;
    text.push('\n');
    file.replace(text.into_bytes())?;
    for kind in &baseline.kinds {
        let of: Vec<&str> = kind.kind.iter().map(|fact| fact.value.as_str()).collect();
        terminal::print(&format!(
            "{} nodes of {}: {} bounds, which call {:.1} % of the sound ones bad",
            kind.nodes,
            of.join(", "),
            kind.values.len(),
            100.0 * kind.false_alarms
        ))?;
    }
    match unread {
        Some(unread) => Err(Failure::new(unread).hint("the baseline is of the others")),
        None => Ok(Ending::Done),
    }
}

//! `zerohop fleet baseline`: what is usual on each kind of machine.

use zerohop_app::{FleetError, fleet_inputs, gather};
use zerohop_fleet::{Baseline, FleetNote, GroupBy, Unanswered, analyse};
use zerohop_units::counted;

use super::analyse::{HINT, say_unread, waiting};
use super::rounds::Rounds;
use crate::arguments::FleetBaselineArguments;
use crate::atomic_file::WholeFile;
use crate::failure::Failure;
use crate::output::spares;
use crate::record::now;
use crate::terminal;
use crate::text_file::Disk;
use crate::verbs::VerbOutcome;

/// Names in a warning, at most.
const NAMED: usize = 5;

pub(super) fn write_baseline(
    arguments: &FleetBaselineArguments,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    let FleetBaselineArguments { results, bound, output } = arguments;
    if let Some(extension) = output.extension().filter(|extension| *extension != "json") {
        let extension = extension.display();
        return Err(Failure::new(format_args!(
            "cannot write a baseline to `{}`: format .{extension} is not supported",
            output.display()
        ))
        .hint("use the extension .json"));
    }
    let file = WholeFile::at(output)?;
    let mut inputs = fleet_inputs(results, &Disk)?;
    inputs.paths.iter().try_for_each(|path| spares(output, path))?;
    let rounds = Rounds::of(results, &mut inputs.paths);
    let waiting = waiting("files read", quiet);
    let gathered = gather(&inputs.paths, &rounds.nodes, HINT, now(), &Disk, &waiting.crew())?;
    let unread = say_unread(&gathered, inputs.paths.len());
    let fleet = analyse(&gathered.roster, &GroupBy::Kind, Vec::new()).map_err(FleetError::from)?;
    let baseline = Baseline::of(&gathered.roster, &fleet, *bound);
    if baseline.kinds.is_empty() {
        return Err(Failure::new("no kind of machine can be judged")
            .hint("at least three nodes of a kind are required"));
    }
    file.replace(baseline.text().into_bytes())?;
    for FleetNote { words, about, .. } in inputs.note().into_iter().chain(rounds.notes).chain(gathered.notes)
    {
        terminal::say(&terminal::warning_line(&format!("{words}: {}", first_of(&about))));
    }
    let bad: Vec<&str> =
        fleet.file.groups.iter().flat_map(|group| &group.bad).map(|bad| bad.node.as_str()).collect();
    if !bad.is_empty() {
        terminal::say(&terminal::warning_line(&format!(
            "{} bad in these results: {}; the baseline uses medians, which a few bad nodes hardly change",
            if bad.len() == 1 { "1 node is".to_owned() } else { format!("{} nodes are", bad.len()) },
            first_of(&bad)
        )));
    }
    for Unanswered { node, why } in rounds.unanswered.into_iter().chain(gathered.unanswered) {
        terminal::say(&terminal::warning_line(&format!("{node} is not in the baseline: {why}")));
    }
    for kind in &baseline.kinds {
        let bounds = || kind.values.iter().map(|value| value.bound);
        let named = kind.kind.iter().map(|fact| match fact.name.as_str() {
            "processor" => fact.value.clone(),
            name => format!("{name} {}", fact.value),
        });
        let parts = kind.parts.0.iter().map(|(part, amount)| part.words(*amount));
        let of: Vec<String> = named.chain(parts).collect();
        terminal::print(&format!(
            "{} nodes of {}: {} of {:.0} % to {:.0} %, which report {:.1} % of the healthy ones as bad",
            kind.nodes,
            of.join(", "),
            counted(kind.values.len(), "bound"),
            100.0 * bounds().fold(1.0, f64::min),
            100.0 * bounds().fold(0.0, f64::max),
            100.0 * kind.false_alarms
        ))?;
    }
    match unread {
        Some(unread) => Err(Failure::new(unread).hint("the baseline uses the other files")),
        None => Ok(VerbOutcome::Done),
    }
}

/// The first of these names, and how many more there are.
fn first_of(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMED).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

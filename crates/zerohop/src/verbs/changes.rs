//! `zerohop changes`: what changed in machines over time.

use zerohop_archive::{Access, Scope};
use zerohop_insight::{CHANGES_VERSION, ChangesFile, MachineChanges, changes, tells};
use zerohop_report::Form;
use zerohop_result::Timestamp;

use super::ending::Ending;
use crate::archive_location::{self, failed};
use crate::archived::opened;
use crate::arguments::ChangesArguments;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::terminal;

pub(super) fn show_changes(arguments: &ChangesArguments) -> Result<Ending, Failure> {
    let ChangesArguments { machines, location, since, least, headlines, strict, output, format, columns } =
        arguments;
    let output = Output::new(&Kind::of::<ChangesFile>(), Form::Page, *format, output.as_deref())?;
    let output = output.with_columns(*columns);
    let mut archive = opened(&archive_location::of(location)?, Access::Read)?;
    let names = match machines.as_slice() {
        [] => archive.machines().map(|all| all.into_iter().map(|machine| machine.name).collect()),
        named => Ok(named.to_vec()),
    };
    let scope = if *headlines { Scope::Headlines } else { Scope::Everything };
    let of_machine = |name: String| {
        let history = archive.history(&name, scope)?;
        let (found, last) =
            (changes(&history, *least), history.runs.last().and_then(|run| run.listed.began_at));
        Ok(since.map_or_else(|| found.clone(), |since| recent(found.clone(), since, last)))
    };
    let found = names.and_then(|names: Vec<String>| names.into_iter().map(of_machine).collect());
    let found: Vec<MachineChanges> = found.map_err(|error| failed(&error))?;
    let file = ChangesFile { schema_version: CHANGES_VERSION, least: *least, machines: found };
    output.show(&file)?;
    Ok(if *strict { gate(&file) } else { Ending::Done })
}

/// Without what was before that time.
fn recent(found: MachineChanges, since: Timestamp, last: Option<Timestamp>) -> MachineChanges {
    let is_recent = |time: Option<Timestamp>| time.is_some_and(|time| time >= since);
    let (mut changes, mut unsettled) = (found.changes, found.unsettled);
    changes.retain(|change| is_recent(change.after.began_at));
    if !is_recent(last) {
        unsettled.clear();
    }
    // A drift has no time.
    MachineChanges { changes, unsettled, drifts: Vec::new(), ..found }
}

/// What the gate says.
fn gate(file: &ChangesFile) -> Ending {
    let machines = || file.machines.iter();
    let got_worse = |machine: &MachineChanges| {
        machine.changes.iter().flat_map(|change| &change.values).any(|value| !value.better)
    };
    let worse: Vec<&str> =
        machines().filter(|machine| got_worse(machine)).map(|machine| machine.machine.as_str()).collect();
    if !worse.is_empty() {
        terminal::say(&terminal::warning_line(&format!("values got worse: {}", worse.join(", "))));
        return Ending::BelowGate;
    }
    let may_be_worse = machines().any(|machine| machine.unsettled.iter().any(|value| !value.better));
    if may_be_worse {
        terminal::say(&terminal::warning_line("the last results are worse: another run decides"));
        return Ending::CannotTell;
    }
    if machines().any(tells) { Ending::Done } else { Ending::CannotTell }
}

//! `zerohop changes`: what changed in machines over time.

use zerohop_archive::query::{Changing, changed};
use zerohop_archive::{Access, Scope};
use zerohop_compare::{ChangesFile, MachineChanges, tells};
use zerohop_report::Form;
use zerohop_units::counted;

use super::exit_status::VerbOutcome;
use crate::archive_location;
use crate::arguments::ChangesArguments;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::open_archive::opened;
use crate::output::Output;
use crate::signals;
use crate::terminal;

pub(super) fn show_changes(arguments: &ChangesArguments) -> Result<VerbOutcome, Failure> {
    let ChangesArguments { machines, location, since, least, headlines, strict, output, format, columns } =
        arguments;
    let output = Output::new(&Kind::of::<ChangesFile>(), Form::Page, *format, output.as_deref())?;
    let output = output.with_columns(*columns);
    let location = archive_location::of(location)?;
    output.spares_archive(&location)?;
    signals::end_waits()?;
    let mut archive = opened(&location, Access::Read)?;
    let scope = if *headlines { Scope::Headlines } else { Scope::Everything };
    let wanted = Changing { machines: machines.clone(), since: *since, least: *least, scope };
    let file = changed(&mut archive, &wanted)?;
    output.show(&file)?;
    Ok(if *strict { gate(&file, machines) } else { VerbOutcome::Done })
}

/// What the gate says. Each machine that is `named` must have enough results; of all machines of an archive, one.
fn gate(file: &ChangesFile, named: &[String]) -> VerbOutcome {
    let machines = || file.machines.iter();
    let got_worse = |machine: &MachineChanges| {
        machine.changes.iter().flat_map(|change| &change.values).any(|value| !value.better)
    };
    let worse: Vec<&str> =
        machines().filter(|machine| got_worse(machine)).map(|machine| machine.machine.as_str()).collect();
    if !worse.is_empty() {
        terminal::say(&terminal::warning_line(&format!("values got worse: {}", worse.join(", "))));
        return VerbOutcome::BelowGate;
    }
    let may_be_worse = machines().any(|machine| machine.unsettled.iter().any(|value| !value.better));
    if may_be_worse {
        terminal::say(&terminal::warning_line(
            "the last results are worse, but too few to be sure: run again",
        ));
        return VerbOutcome::CannotTell;
    }
    let mut cannot_tell = false;
    for machine in machines() {
        let name = &machine.machine;
        let unordered = (machine.unordered > 0).then(|| {
            let results = counted(machine.unordered, "result");
            format!(
                "skipped {results}: their clock was wrong, and they were added together with others, so their order is unknown"
            )
        });
        for words in machine.unjudged.iter().chain(&unordered) {
            terminal::say(&terminal::warning_line(&format!("{name}: {words}")));
            cannot_tell = true;
        }
    }
    if cannot_tell {
        return VerbOutcome::CannotTell;
    }
    let open = machines().filter(|machine| !tells(machine)).map(|machine| machine.machine.as_str());
    let open: Vec<&str> = open.collect();
    let is_known = if named.is_empty() { machines().any(tells) } else { open.is_empty() };
    if !is_known {
        terminal::say(&terminal::warning_line(&format!(
            "too few results to detect a change: {}",
            open.join(", ")
        )));
        return VerbOutcome::CannotTell;
    }
    VerbOutcome::Done
}

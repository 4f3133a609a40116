//! Surveys that are programs of this process: a model, or a client that waits for a node.

use crate::launcher::{LaunchError, Standing, Task, Ticket};
use crate::shell::{Shell, ShellError};

/// The option with which a program ends when its standard input does: that is a pipe, whose other end this process has, and it ends with this process, over
/// a connection of ssh, too.
pub(crate) const ENDS_WITH_INPUT: &str = "--end-with-stdin";

pub(crate) fn start(words: &[String], task: &Task, shell: &dyn Shell) -> Result<Ticket, LaunchError> {
    Ok(Ticket(shell.start(words, &task.log, &task.log)?.to_string()))
}

pub(crate) fn standing(tickets: &[Ticket], shell: &dyn Shell) -> Vec<Standing> {
    let of = |ticket: &Ticket| match number(ticket).map(|number| shell.ended(number)) {
        None | Some(Err(ShellError::Stranger)) => Standing::Forgotten,
        Some(Err(error)) => Standing::Failed(error.to_string()),
        Some(Ok(None)) => Standing::Runs,
        Some(Ok(Some(0))) => Standing::Done,
        Some(Ok(Some(status))) => Standing::Failed(format!("exit status {status}")),
    };
    tickets.iter().map(of).collect()
}

pub(crate) fn stop(tickets: &[Ticket], shell: &dyn Shell) {
    shell.stop(&tickets.iter().filter_map(number).collect::<Vec<_>>());
}

fn number(ticket: &Ticket) -> Option<u32> {
    ticket.0.parse().ok()
}

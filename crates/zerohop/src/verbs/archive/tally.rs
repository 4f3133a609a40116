//! What became of results that were to be added.

use std::path::PathBuf;

use zerohop_archive::query::NamedEntry;
use zerohop_archive::{Added, Addition, ArchiveError, Location};
use zerohop_units::counted;

use crate::failure::Failure;
use crate::terminal;

/// Names that a list has, at most.
const NAMED: usize = 5;

/// What became of results so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    new: usize,
    known: usize,
    replaced: usize,
    repaired: usize,
    differing: Vec<String>,
    /// Those that stay with another machine than the one that was named.
    staying: Vec<String>,
    /// What results say of their clocks, by their names.
    clocks: Vec<String>,
    /// What holds no results, and why.
    pub(super) left_out: Vec<(PathBuf, String)>,
    /// What could not be added.
    pub(super) failures: Vec<Failure>,
}

impl Tally {
    pub(super) fn count(&mut self, named: &NamedEntry, added: Result<Addition, ArchiveError>) {
        let name = &named.name;
        let Addition { outcome, stays_with, clock } = match added {
            Ok(addition) => addition,
            Err(error) => {
                let failure = Failure::new(format_args!("`{name}` was not added: {error}"));
                return self.failures.push(failure.maybe_hint(error.hint()));
            }
        };
        self.staying.extend(stays_with.map(|machine| {
            format!("`{name}` was already there and stays with `{machine}`: --of applies only to new results")
        }));
        self.clocks.extend(clock.map(|remark| format!("`{name}`: {remark}")));
        match outcome {
            Added::New => self.new += 1,
            Added::Known => self.known += 1,
            Added::Replaced => self.replaced += 1,
            Added::Repaired => self.repaired += 1,
            Added::Differs => self.differing.push(name.clone()),
        }
    }

    /// Whether there was no result at all.
    pub(super) fn is_empty(&self) -> bool {
        let Self { new, known, replaced, repaired, differing, failures, .. } = self;
        new + known + replaced + repaired + differing.len() + failures.len() == 0
    }

    /// Says what is odd about them.
    pub(super) fn warn(&self) {
        let differing = self.differing.iter();
        let differing = differing
            .map(|name| format!("skipped `{name}`: another result with the same id is in the archive"));
        warn(&differing.collect::<Vec<_>>());
        warn(&self.staying);
        warn(&self.clocks);
    }

    /// Says what became of them.
    pub(super) fn say(&self, location: &Location, quiet: bool) {
        self.warn();
        if quiet {
            return;
        }
        for (path, reason) in self.left_out.iter().take(NAMED) {
            terminal::say(&format!("skipped: {}: {reason}", path.display()));
        }
        if self.left_out.len() > NAMED {
            terminal::say(&format!("skipped: {} more", self.left_out.len() - NAMED));
        }
        let parts = [
            (self.known, "there before"),
            (self.replaced, "instead of an unfinished one"),
            (self.repaired, "repaired"),
            (self.left_out.len() + self.differing.len(), "skipped"),
            (self.failures.len(), "failed"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts = parts.map(|(count, words)| format!("{count} {words}"));
        let parts: Vec<String> =
            std::iter::once(format!("{} added", counted(self.new, "result"))).chain(parts).collect();
        terminal::say(&format!("{location}: {}", parts.join(", ")));
    }

    /// The failure of all that could not be added, if there is any.
    pub(super) fn failure(mut self) -> Option<Failure> {
        match self.failures.len() {
            0 | 1 => self.failures.pop(),
            count => {
                let lines = self.failures.iter().map(|failure| failure.message().to_owned());
                warn(&lines.collect::<Vec<_>>());
                let hint = self.failures.iter().find_map(Failure::advice).map(str::to_owned);
                Some(
                    Failure::new(format_args!("{} could not be added", counted(count, "file")))
                        .maybe_hint(hint),
                )
            }
        }
    }
}

/// Prints the first of these warnings, and the number of the others.
fn warn(lines: &[String]) {
    for line in lines.iter().take(NAMED) {
        terminal::say(&terminal::warning_line(line));
    }
    if lines.len() > NAMED {
        terminal::say(&terminal::warning_line(&format!("{} more like this", lines.len() - NAMED)));
    }
}

//! The course of a machine's values over time.

use std::path::Path;

use zerohop_app::Hinted;
use zerohop_archive::query::readable_history;
use zerohop_archive::{Access, Location, Scope};
use zerohop_report::{Form, HistoryReport};

use crate::failure::Failure;
use crate::kind::Kind;
use crate::open_archive::opened;
use crate::output::Output;
use crate::terminal;
use crate::verbs::exit_status::VerbOutcome;

pub(super) fn show_history(
    location: &Location,
    machine: &str,
    query: &[String],
    format: Option<Form>,
    path: Option<&Path>,
) -> Result<VerbOutcome, Failure> {
    let kind = Kind::of::<HistoryReport<'_>>();
    let output = Output::new(&kind, Form::Page, format, path)?;
    output.spares_archive(location)?;
    let mut archive = opened(location, Access::Read)?;
    let (history, unread) = readable_history(&mut archive, machine, Scope::Headlines, query)?;
    for error in &unread {
        terminal::say(&terminal::warning_line(&format!("{error}: skipped")));
    }
    let has_values = history.courses.iter().any(|course| !course.readings.is_empty());
    output.show(&HistoryReport { history: &history })?;
    if let Some(hint) = unread.first().and_then(Hinted::hint) {
        terminal::say(&format!("hint: {hint}"));
        return Ok(VerbOutcome::Damaged);
    }
    Ok(if has_values { VerbOutcome::Done } else { VerbOutcome::CannotTell })
}

//! The course of a machine's values over time.

use zerohop_archive::{Access, Archive, ArchiveError, Location, Scope};
use zerohop_report::{Form, HistoryReport};
use zerohop_result::{Course, ExperimentName, History, Query, Reading, Role, Series};

use crate::archive_location::failed;
use crate::archived::{opened, read};
use crate::arguments::Destination;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::verbs::ending::Ending;

pub(super) fn show_history(
    location: &Location,
    machine: &str,
    query: &[String],
    format: Option<Form>,
    destination: &Destination,
) -> Result<Ending, Failure> {
    let kind = Kind::of::<HistoryReport<'_>>();
    let output = Output::new(&kind, Form::Page, format, destination.output.as_deref())?;
    let mut archive = opened(location, Access::Read)?;
    let mut history = archive.history(machine, Scope::Headlines).map_err(|error| failed(&error))?;
    if let Some((experiment, words)) = query.split_first() {
        let experiment: ExperimentName = experiment.parse().map_err(|error| {
            Failure::new(error).hint("a query begins with an experiment: `stream bandwidth kernel=triad`")
        })?;
        let query = Query::parse(words.iter().map(String::as_str))
            .map_err(|error| Failure::new(error).hint("docs/queries.md describes queries"))?;
        history.courses = vec![course(&mut archive, &history, experiment, &query, words)?];
    }
    let has_values = history.courses.iter().any(|course| !course.readings.is_empty());
    output.show(&HistoryReport { history: &history })?;
    Ok(if has_values { Ending::Done } else { Ending::CannotTell })
}

/// The values that a query finds in each result: each is read as a whole.
fn course(
    archive: &mut Archive,
    history: &History,
    experiment: ExperimentName,
    query: &Query,
    words: &[String],
) -> Result<Course, Failure> {
    let mut readings = Vec::new();
    let counting = history.runs.iter().enumerate().filter(|(_, run)| run.listed.unusable.is_none());
    for (rank, run) in counting {
        let kept = match archive.kept(run.listed.clone()) {
            Ok(kept) => kept,
            // Another program pruned it meanwhile.
            Err(ArchiveError::NoResult { .. }) => continue,
            Err(error) => return Err(failed(&error)),
        };
        let file = read(&run.listed, &kept.text)?;
        let Some(result) = file.experiments.iter().find(|one| one.experiment == experiment) else { continue };
        let Ok(value) = query.value(&result.cells, &file.machine) else { continue };
        let doubtful = query.cells(&result.cells, &file.machine).iter().any(|cell| cell.is_doubtful());
        readings.push((rank, Reading { value: value.value, low: value.low, high: value.high, doubtful }));
    }
    // The first word of a query names its measure, which has a column of its own.
    let place = words[1..].join(" ");
    let series = Series { role: Role::Headline, experiment, measure: query.measure, place };
    Ok(Course { series, readings })
}

//! The course of a machine's values over time.

use crate::{Archive, ArchiveError, Scope};
use zerohop_result::{Course, ExperimentName, History, Query, Reading, Role, Series};

use crate::query::error::QueryError;
use crate::query::stored_result::read;

/// History of a machine: its values of that scope, or the values that a query finds, which begins with an experiment.
///
/// # Errors
/// If there is no such machine, the query is invalid, or the archive cannot be read.
pub fn history(
    archive: &mut Archive,
    machine: &str,
    scope: Scope,
    query: &[String],
) -> Result<History, QueryError> {
    let (history, unread) = readable_history(archive, machine, scope, query)?;
    unread.into_iter().next().map_or(Ok(history), Err)
}

/// History of a machine, as far as results can be read, with the reasons for the others.
///
/// # Errors
/// If there is no such machine, the query is invalid, or the archive cannot be read.
pub fn readable_history(
    archive: &mut Archive,
    machine: &str,
    scope: Scope,
    query: &[String],
) -> Result<(History, Vec<QueryError>), QueryError> {
    let Some((experiment, words)) = query.split_first() else {
        return Ok((archive.history(machine, scope)?, Vec::new()));
    };
    let mut history = archive.history(machine, Scope::Headlines)?;
    let experiment: ExperimentName = experiment.parse().map_err(QueryError::Experiment)?;
    if words.is_empty() {
        return Ok((headlines_of(history, &experiment)?, Vec::new()));
    }
    let query = Query::parse(words.iter().map(String::as_str))?;
    let mut unread = Vec::new();
    history.courses = vec![course(archive, &history, experiment, &query, words, &mut unread)?];
    Ok((history, unread))
}

/// The headline values of an experiment that is named without a measure.
fn headlines_of(mut history: History, experiment: &ExperimentName) -> Result<History, QueryError> {
    let mut known: Vec<String> =
        history.courses.iter().map(|one| one.series.experiment.to_string()).collect();
    known.dedup();
    history.courses.retain(|course| course.series.experiment == *experiment);
    match history.courses.is_empty() {
        true => Err(QueryError::NoHeadlines {
            machine: history.machine,
            experiment: experiment.to_string(),
            known,
        }),
        false => Ok(history),
    }
}

/// The values that a query finds in each result: each is read as a whole.
fn course(
    archive: &mut Archive,
    history: &History,
    experiment: ExperimentName,
    query: &Query,
    words: &[String],
    unread: &mut Vec<QueryError>,
) -> Result<Course, QueryError> {
    let mut readings = Vec::new();
    let counting = history.runs.iter().enumerate().filter(|(_, run)| run.listed.unusable.is_none());
    for (rank, run) in counting {
        let kept = match archive.kept(run.listed.clone()) {
            Ok(kept) => kept,
            // Another program pruned it meanwhile.
            Err(ArchiveError::NoResult { .. }) => continue,
            Err(error @ ArchiveError::DamagedResult { .. }) => {
                unread.push(error.into());
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let file = match read(&run.listed, &kept.text) {
            Ok(file) => file,
            Err(error) => {
                unread.push(error);
                continue;
            }
        };
        let Some(result) = file.experiments.iter().find(|one| one.experiment == experiment) else { continue };
        let Ok(value) = query.value(&result.cells, &file.machine) else { continue };
        let doubtful = query.cells(&result.cells, &file.machine).iter().any(|cell| cell.is_doubtful());
        readings.push((rank, Reading { value: value.value, low: value.low, high: value.high, doubtful }));
    }
    // The first word of a query names its measure, which has a column of its own.
    let place = words.get(1..).unwrap_or_default().join(" ");
    let series = Series { role: Role::Headline, experiment, measure: query.measure, place };
    Ok(Course { series, readings })
}

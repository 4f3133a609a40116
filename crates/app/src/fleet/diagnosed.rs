//! The bad nodes of a fleet, diagnosed: each is held against the soundest of its group.

use zerohop_diagnosis::{Diagnosis, Fellow, Given, diagnose};
use zerohop_insight::fleet::{BadNode, Fleet};
use zerohop_result::ResultFile;

use super::{FleetError, Gathered};
use crate::crew::Crew;
use crate::expected::expectations;
use crate::files::Files;
use crate::foreign::read_any;
use crate::rules::rules;

/// Bad nodes that are diagnosed in a group. The others lose less, and often the same.
const DIAGNOSED: usize = 10;

/// The diagnoses of the worst nodes of each group, held against the soundest.
///
/// # Errors
/// When what their values should be cannot be found.
pub fn diagnosed(
    fleet: &Fleet,
    gathered: &Gathered,
    files: &dyn Files,
    crew: &Crew<'_>,
) -> Result<Vec<Diagnosis>, FleetError> {
    let mut diagnoses = Vec::new();
    for (group, sound) in fleet.file.groups.iter().zip(&fleet.sound) {
        if group.bad.is_empty() {
            continue;
        }
        // Nobody keeps all results, so these are read again.
        let sisters: Vec<(String, ResultFile)> =
            sound.iter().filter_map(|number| result_of(*number, gathered, files)).collect();
        for BadNode { node, .. } in group.bad.iter().take(DIAGNOSED) {
            let number = gathered.roster.number_of(node);
            let Some((_, result)) = number.and_then(|number| result_of(number, gathered, files)) else {
                continue;
            };
            let expectations = expectations(&result, None, files, crew)?;
            let fleet = sisters.iter().map(|(name, file)| Fellow { name, file }).collect();
            let given = Given { expectations: Some(&expectations), fleet, ..Given::default() };
            diagnoses.push(diagnose(rules(), node, &result, given));
        }
    }
    Ok(diagnoses)
}

/// A node's name and its first result; `None` if the file has changed since it was read.
fn result_of(number: usize, gathered: &Gathered, files: &dyn Files) -> Option<(String, ResultFile)> {
    let (path, rank) = gathered.sources.get(number)?;
    let mut results = read_any(path, "", files).ok()?;
    let name = gathered.roster.name_of(number)?.to_owned();
    (*rank < results.len()).then(|| (name, results.swap_remove(*rank).result))
}

//! Diagnosis of the bad nodes of a fleet: each is compared with the best of its group.

use zerohop_diagnosis::{Diagnosis, ReferenceResult};
use zerohop_fleet::{BadNode, Fleet, Roster};
use zerohop_result::ResultFile;

use super::Gathered;
use crate::campaign_runner::CampaignRunner;
use crate::expectations::ExpectedError;
use crate::files::{Files, NoFiles};
use crate::input::read_any;
use crate::judgement::{JudgeOptions, judge};

/// Bad nodes that are diagnosed in a group. The others lose less, and often the same.
const DIAGNOSED: usize = 10;

/// Diagnoses of the worst nodes of each group, compared with the best ones. Not all results are kept, so `result_of` reads the result of a node
/// again, by its name; a missing one is omitted.
///
/// # Errors
/// If the expectations for the values cannot be determined.
pub fn diagnosed(
    fleet: &Fleet,
    roster: &Roster,
    result_of: &mut dyn FnMut(&str) -> Option<ResultFile>,
    crew: &CampaignRunner<'_>,
) -> Result<Vec<Diagnosis>, ExpectedError> {
    let mut diagnoses = Vec::new();
    for (group, sound) in fleet.file.groups.iter().zip(&fleet.sound) {
        if group.bad.is_empty() {
            continue;
        }
        let names = sound.iter().filter_map(|number| roster.name_of(*number));
        let sisters: Vec<(String, ResultFile)> =
            names.filter_map(|name| Some((name.to_owned(), result_of(name)?))).collect();
        for BadNode { node, .. } in group.bad.iter().take(DIAGNOSED) {
            let Some(result) = result_of(node) else { continue };
            let fleet = sisters.iter().map(|(name, file)| ReferenceResult { name, file }).collect();
            match judge(node, &result, JudgeOptions { fleet, ..JudgeOptions::default() }, &NoFiles, crew) {
                Ok(judgement) => diagnoses.push(judgement.diagnosis),
                Err(ExpectedError::Stopped) => return Ok(diagnoses),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(diagnoses)
}

impl Gathered {
    /// The latest result of a node; `None` if the file has changed since it was read.
    pub fn result_of(&self, node: &str, files: &dyn Files) -> Option<ResultFile> {
        let (path, rank) = self.sources.get(self.roster.number_of(node)?)?;
        let mut results = read_any(path, "", files).ok()?;
        (*rank < results.len()).then(|| results.swap_remove(*rank).result)
    }
}

//! Findings about each machine of an archive, from its latest result.

use std::collections::HashMap;

use crate::Archive;
use zerohop_app::{CampaignRunner, JudgeOptions, NoFiles, judge};
use zerohop_diagnosis::{DIAGNOSIS_VERSION, Diagnosis, DiagnosisFile, NotJudged};
use zerohop_fleet::Observation;
use zerohop_result::ListedMachine;

use crate::query::error::QueryError;
use crate::query::stored_result::read;

/// Findings of a result about its machine.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredFindings {
    /// Diagnosis of the machine.
    pub diagnosis: Diagnosis,
    /// Values of the result, to compare machines with each other.
    pub observation: Observation,
}

/// Findings of results about their machines, by id; or the reason why one cannot be judged.
pub type FindingsByResult = HashMap<String, Result<StoredFindings, String>>;

impl StoredFindings {
    /// Findings of the result with this id, which is from this machine.
    ///
    /// # Errors
    /// If the result cannot be read or judged.
    pub fn of(
        archive: &mut Archive,
        machine: &str,
        id: &str,
        crew: &CampaignRunner<'_>,
    ) -> Result<Self, QueryError> {
        let kept = archive.result(id)?;
        let file = read(&kept.listed, &kept.text)?;
        if crew.stop.is_raised() {
            return Err(QueryError::Stopped);
        }
        let diagnosis = judge(machine, &file, JudgeOptions::default(), &NoFiles, crew)?.diagnosis;
        Ok(Self { diagnosis, observation: Observation::of(machine.to_owned(), &file) })
    }
}

/// The judgement of each of these machines that has one.
pub(crate) fn judged<'a>(
    machines: &'a [ListedMachine],
    judgements: &'a FindingsByResult,
) -> impl Iterator<Item = (&'a ListedMachine, &'a StoredFindings)> {
    machines.iter().filter_map(|machine| {
        let judgement = judgements.get(machine.latest.as_ref()?)?;
        Some((machine, judgement.as_ref().ok()?))
    })
}

/// Current findings about these machines, the worst first, and the machines that could not be judged.
pub fn findings(machines: &[ListedMachine], judgements: &FindingsByResult) -> DiagnosisFile {
    let mut diagnoses: Vec<Diagnosis> =
        judged(machines, judgements).map(|(_, judgement)| judgement.diagnosis.clone()).collect();
    diagnoses.sort_by_key(|one| std::cmp::Reverse(one.alarms().map(|finding| finding.severity).max()));
    let not_judged = machines.iter().filter_map(|machine| {
        let reason = judgements.get(machine.latest.as_ref()?)?.as_ref().err()?;
        Some(NotJudged { machine: machine.name.clone(), reason: reason.clone() })
    });
    DiagnosisFile { schema_version: DIAGNOSIS_VERSION, diagnoses, not_judged: not_judged.collect() }
}

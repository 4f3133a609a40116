//! The machines of an archive, held against each other by the latest result of each.

use zerohop_app::{Crew, NoFiles, diagnosed};
use zerohop_archive::Archive;
use zerohop_diagnosis::{Diagnosis, FleetDiagnosis};
use zerohop_insight::fleet::{Added, Fleet, FleetNote, GroupBy, Roster, UnknownFact, analyse};
use zerohop_result::ListedMachine;

use crate::error::ArchivistError;
use crate::judged::{Judgements, judged};
use crate::kept::read;

/// The diagnoses of the bad machines of a fleet, each beside the sound ones, and the results that they are of. None by default.
#[derive(Debug, Clone, PartialEq)]
pub struct FleetDiagnoses {
    results: Vec<String>,
    diagnoses: Result<Vec<Diagnosis>, String>,
}

impl Default for FleetDiagnoses {
    fn default() -> Self {
        Self { results: Vec::new(), diagnoses: Ok(Vec::new()) }
    }
}

/// Machines that were held against each other.
struct Held {
    roster: Roster,
    fleet: Fleet,
    /// The ids of their results, by the numbers of the machines.
    results: Vec<String>,
}

fn held(machines: &[ListedMachine], judgements: &Judgements) -> Result<Held, UnknownFact> {
    let mut roster = Roster::default();
    let mut results = Vec::new();
    for (machine, judgement) in judged(machines, judgements) {
        if let Added::Node(_) = roster.add(judgement.observation.clone()) {
            results.extend(machine.latest.clone());
        }
    }
    let missing: Vec<String> = machines
        .iter()
        .filter(|machine| roster.number_of(&machine.name).is_none())
        .map(|machine| machine.name.clone())
        .collect();
    let note = FleetNote {
        words: "machines without a latest result that counts and is judged: left out".to_owned(),
        about: missing,
    };
    let notes = if note.about.is_empty() { Vec::new() } else { vec![note] };
    let fleet = analyse(&roster, &GroupBy::Kind, notes)?;
    Ok(Held { roster, fleet, results })
}

impl FleetDiagnoses {
    /// Those of these machines. Models of them may take seconds.
    ///
    /// # Errors
    /// Never: machines are grouped by their kinds.
    pub fn of(
        archive: &mut Archive,
        machines: &[ListedMachine],
        judgements: &Judgements,
        crew: &Crew<'_>,
    ) -> Result<Self, UnknownFact> {
        let Held { roster, fleet, results } = held(machines, judgements)?;
        let mut result_of = |number: usize| {
            let kept = archive.result(results.get(number)?).map_err(ArchivistError::from);
            kept.and_then(|kept| read(&kept.listed, &kept.text)).ok()
        };
        let diagnoses = diagnosed(&fleet, &roster, &mut result_of, &NoFiles, crew);
        let diagnoses = diagnoses.map_err(|error| error.to_string());
        Ok(Self { results, diagnoses })
    }
}

/// These machines, held against each other, with the diagnoses of the bad ones, if they are of the same results.
///
/// # Errors
/// Never: machines are grouped by their kinds.
pub fn fleet(
    machines: &[ListedMachine],
    judgements: &Judgements,
    known: &FleetDiagnoses,
) -> Result<FleetDiagnosis, UnknownFact> {
    let Held { mut fleet, results, .. } = held(machines, judgements)?;
    let is_bad = fleet.file.groups.iter().any(|group| !group.bad.is_empty());
    let (diagnoses, why_not) = match &known.diagnoses {
        _ if !is_bad => (Vec::new(), None),
        _ if known.results != results => {
            (Vec::new(), Some("bad machines are being diagnosed beside sound ones".to_owned()))
        }
        Ok(diagnoses) => (diagnoses.clone(), None),
        Err(reason) => (Vec::new(), Some(format!("bad machines could not be diagnosed: {reason}"))),
    };
    fleet.file.notes.extend(why_not.map(|words| FleetNote { words, about: Vec::new() }));
    Ok(FleetDiagnosis { fleet: fleet.file, diagnoses })
}

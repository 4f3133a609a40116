//! Comparison of an archive's machines with each other, by the latest result of each.

use crate::{Archive, ArchiveError, Filter, Scope};
use zerohop_app::{CampaignRunner, FactsTable, FleetError, diagnosed};
use zerohop_diagnosis::FleetDiagnosis;
use zerohop_experiment::parallel_map;
use zerohop_fleet::{Fleet, FleetNote, GroupBy, Observation, Roster, Since, UnknownFact, analyse};
use zerohop_result::{ListedMachine, ResultFile};

use crate::query::error::QueryError;
use crate::query::findings::{FindingsByResult, judged};
use crate::query::stored_result::read;

/// Results that are held as texts at a time: enough for every thread.
const AT_ONCE: usize = 256;

/// Bad nodes of a group whose histories are looked at: those that pages list, and more.
const TRACED: usize = 50;

/// Latest usable results of an archive's machines, the parts that later ones show, and the omissions.
#[derive(Debug, Default)]
pub struct LatestResults {
    roster: Roster,
    /// Machines without a result that counts.
    missing: Vec<String>,
    /// Machines whose latest result does not count, and why.
    uncounted: Vec<String>,
    /// Irregularities in a table of facts.
    stated: Vec<FleetNote>,
}

impl LatestResults {
    /// Reads the latest result of each of these machines.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub fn read(
        archive: &mut Archive,
        machines: &[ListedMachine],
        crew: &CampaignRunner<'_>,
    ) -> Result<Self, QueryError> {
        let mut observations = Vec::new();
        crew.attendant.start(machines.len(), 0);
        for part in machines.chunks(AT_ONCE) {
            let kept = part.iter().map(|machine| match &machine.latest {
                Some(id) => there(archive.result(id)),
                None => Ok(None),
            });
            let kept = kept.collect::<Result<Vec<_>, _>>()?;
            let observed = parallel_map(crew.executor, part.len(), |rank| {
                let file = kept[rank].as_ref().and_then(|kept| read(&kept.listed, &kept.text).ok());
                crew.attendant.advance();
                file.map(|file| Observation::of(part[rank].name.clone(), &file))
            });
            observations.extend(observed.into_iter().flatten().flatten());
        }
        crew.attendant.end();
        let mut latest = Self::of(machines, observations);
        latest.take_parts(archive, machines)?;
        Ok(latest)
    }

    /// Latest results that are already judged.
    pub fn judged(machines: &[ListedMachine], judgements: &FindingsByResult) -> Self {
        let observations = judged(machines, judgements).map(|(_, judgement)| judgement.observation.clone());
        Self::of(machines, observations)
    }

    fn of(machines: &[ListedMachine], observations: impl IntoIterator<Item = Observation>) -> Self {
        let mut roster = Roster::default();
        for observation in observations {
            // The archive knows which is the latest, whatever a clock said.
            roster.add(observation.begun_at(None));
        }
        let missing = machines.iter().filter(|machine| roster.number_of(&machine.name).is_none());
        let missing = missing.map(|machine| machine.name.clone()).collect();
        Self { roster, missing, uncounted: Vec::new(), stated: Vec::new() }
    }

    /// Takes the parts of each machine from its latest result, also where its values do not count: a DIMM is lost in that one, too.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub fn take_parts(
        &mut self,
        archive: &mut Archive,
        machines: &[ListedMachine],
    ) -> Result<(), QueryError> {
        for machine in machines.iter().filter(|machine| machine.usable < machine.results) {
            let last = Filter { machines: vec![machine.name.clone()], last: Some(1), ..Filter::default() };
            let Some(listed) = there(archive.list(&last))?.and_then(|mut last| last.pop()) else { continue };
            let Some(why) = &listed.unusable else { continue };
            self.uncounted.push(format!("{}: {why}", machine.name));
            let Some(kept) = there(archive.result(&listed.id))? else { continue };
            let Ok(file) = read(&kept.listed, &kept.text) else { continue };
            let observation = Observation::of(machine.name.clone(), &file).of_parts();
            self.roster.add(observation.begun_at(listed.began_at));
        }
        Ok(())
    }

    fn notes(&mut self) -> Vec<FleetNote> {
        let note = |words: &str, about: &mut Vec<String>| {
            let about = std::mem::take(about);
            (!about.is_empty()).then(|| FleetNote { words: words.to_owned(), about, leaves_open: true })
        };
        let missing = note(
            "machines whose newest result is damaged, unusable or cannot be judged: skipped",
            &mut self.missing,
        );
        let uncounted = note(
            "machines whose newest result is unusable: only its hardware is judged, with values of an earlier result if there is one",
            &mut self.uncounted,
        );
        missing.into_iter().chain(uncounted).chain(std::mem::take(&mut self.stated)).collect()
    }

    /// Adds the facts of a table to the machines.
    pub fn state(&mut self, table: FactsTable) {
        self.stated.extend(table.state(&mut self.roster));
    }

    /// Whether none has a value that can be judged.
    pub fn is_empty(&self) -> bool {
        self.roster.is_empty()
    }

    /// Finds bad machines, the time since when they are bad, and the causes.
    ///
    /// # Errors
    /// If they cannot be grouped like that, or the archive cannot be read.
    pub fn fleet(
        mut self,
        archive: &mut Archive,
        machines: &[ListedMachine],
        by: &GroupBy,
        crew: &CampaignRunner<'_>,
    ) -> Result<FleetDiagnosis, QueryError> {
        let notes = self.notes();
        let mut fleet = analyse(&self.roster, by, notes).map_err(FleetError::from)?;
        trace(&mut fleet, archive)?;
        let mut result_of = |name: &str| latest(archive, machines, name);
        let diagnoses = diagnosed(&fleet, &self.roster, &mut result_of, crew)?;
        Ok(FleetDiagnosis { fleet: fleet.file, diagnoses })
    }

    /// Finds bad machines without reading their results; `why` is the reason.
    ///
    /// # Errors
    /// Never: machines are grouped by their kinds.
    pub fn at_once(mut self, why: &str) -> Result<FleetDiagnosis, UnknownFact> {
        let notes = self.notes();
        let mut fleet = analyse(&self.roster, &GroupBy::Kind, notes)?.file;
        if fleet.groups.iter().any(|group| !group.bad.is_empty()) {
            fleet.notes.push(FleetNote { words: why.to_owned(), about: Vec::new(), leaves_open: false });
        }
        Ok(FleetDiagnosis { fleet, diagnoses: Vec::new() })
    }
}

/// What was read, unless it is damaged, or another program has pruned it meanwhile: then the others count all the same.
fn there<T>(read: Result<T, ArchiveError>) -> Result<Option<T>, ArchiveError> {
    match read {
        Err(
            ArchiveError::DamagedResult { .. }
            | ArchiveError::NoResult { .. }
            | ArchiveError::NoMachine { .. },
        ) => Ok(None),
        read => read.map(Some),
    }
}

/// Says since when nodes are bad.
fn trace(fleet: &mut Fleet, archive: &mut Archive) -> Result<(), QueryError> {
    for bad in fleet.file.groups.iter_mut().flat_map(|group| group.bad.iter_mut().take(TRACED)) {
        let Some(history) = there(archive.history(&bad.node, Scope::Everything))? else { continue };
        bad.since = bad.deficits.first().and_then(|worst| Since::of(&worst.scope, &history));
    }
    Ok(())
}

/// The latest result of a machine; `None` if it has gone since.
fn latest(archive: &mut Archive, machines: &[ListedMachine], name: &str) -> Option<ResultFile> {
    let id = machines.iter().find(|machine| machine.name == name)?.latest.as_ref()?;
    let kept = archive.result(id).ok()?;
    read(&kept.listed, &kept.text).ok()
}

//! Expectations for the values of a result: finds a model of the result's machine, runs it, and passes both to the comparison.

use std::collections::BTreeMap;

use zerohop_expectation::{
    Alternative, Expectations, Fact, Known, Stated, expect, is_predictable, streaming_twin,
};
use zerohop_experiment::campaign::{Agenda, Answer, Request, Run, SimulatedMachine, repeated_in_part};
use zerohop_machine::{Machine, Setting, Settings};
use zerohop_machine_file::{MachineFile, OpenFact};
use zerohop_model::Solver;
use zerohop_result::{Cell, Cells, ExperimentResult, ResultFile};

use crate::campaign_runner::CampaignRunner;
use crate::files::Files;
use crate::hint::Hinted;
use crate::library::{self, LibraryError};
use crate::models::Models;
use crate::settings_in_words::{SettingsError, in_words};
use crate::templates;
use crate::wrong_machine::WrongMachine;

#[cfg(test)]
mod tests;

/// The machine that a result comes from, as far as it is known.
struct Subject {
    file: MachineFile,
    /// Settings of the machine, unless they are part of its name.
    settings: Settings,
    /// Whether the user stated it.
    stated: bool,
    /// Signs that the result comes from another machine.
    doubts: Vec<String>,
}

/// Expectations for each value of `result`: from the machine that the user states, otherwise from the machine that the result shows.
///
/// # Errors
/// If there is no machine of the stated name, or it cannot be simulated.
pub fn expectations(
    result: &ResultFile,
    stated: Option<&str>,
    files: &dyn Files,
    crew: &CampaignRunner<'_>,
) -> Result<Expectations, ExpectedError> {
    let errors = templates::known_errors();
    let subject = match subject(result, stated, files)? {
        Ok(subject) => subject,
        Err(reason) => return Ok(expect(result, Err(&reason), errors)),
    };
    let hardware = library::hardware_of(&subject.file, &subject.settings)?;
    let (results, alternatives) = simulated(result, &subject, &hardware.machine, crew)?;
    let known = Known {
        hardware: &hardware,
        results: &results,
        stated: subject.stated,
        doubts: subject.doubts,
        alternatives,
    };
    Ok(expect(result, Ok(&known), errors))
}

/// Empty expectations, with this reason.
pub(crate) fn unknown_expectations(result: &ResultFile, reason: &str) -> Expectations {
    expect(result, Err(reason), templates::known_errors())
}

/// The machine that a result comes from, or why it is not known.
fn subject(
    result: &ResultFile,
    stated: Option<&str>,
    files: &dyn Files,
) -> Result<Result<Subject, String>, ExpectedError> {
    if let Some(name) = stated {
        let (file, settings) = machine_file(name, files)?;
        let doubts = templates::other_processor(&result.machine, &file).into_iter().collect();
        return Ok(Ok(Subject { file, settings, stated: true, doubts }));
    }
    let machine = &result.machine;
    if result.origin.is_model() {
        let reason = "these values come from a model; choose a machine to compare with using --machine";
        return Ok(Err(reason.to_owned()));
    }
    if let Some(hypervisor) = &machine.system.hypervisor {
        let reason = format!(
            "a virtual machine ({hypervisor}) does not show the host's DIMMs; describe its host with --machine"
        );
        return Ok(Err(reason));
    }
    if machine.processor.model.is_empty() {
        return Ok(Err(
            "the result does not contain the processor; give its machine with --machine".to_owned()
        ));
    }
    // What the machine shows may contradict itself: then nothing is known of it.
    Ok(templates::shown_by(machine)
        .map(|file| Subject { file, settings: Settings::none(), stated: false, doubts: Vec::new() })
        .map_err(|error| format!("{error}; give the machine with --machine")))
}

/// The machine file of that name, and its settings: what follows the name of a machine after a comma. The name may also be that of a
/// template or of a processor; then what follows is part of the name.
fn machine_file(name: &str, files: &dyn Files) -> Result<(MachineFile, Settings), ExpectedError> {
    if templates::is_generated(name) {
        return Ok((library::machine_file(name, files)?, Settings::none()));
    }
    let (machine, stated) = name.split_once(',').unwrap_or((name, ""));
    let settings = in_words(stated)?;
    Ok((library::machine_file(machine, files)?, settings.into_iter().collect()))
}

/// The machine of that name, with its settings.
///
/// # Errors
/// When there is none, or its file is wrong.
pub fn stated_machine(name: &str, files: &dyn Files) -> Result<Machine, ExpectedError> {
    let (file, settings) = machine_file(name, files)?;
    Ok(library::hardware_of(&file, &settings)?.machine)
}

/// Reason why there are no expectations.
#[derive(Debug, thiserror::Error)]
pub enum ExpectedError {
    /// There is no machine of the stated name.
    #[error(transparent)]
    Machine(#[from] LibraryError),
    /// The stated properties are not settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// It does not allow them.
    #[error(transparent)]
    Wrong(#[from] WrongMachine),
    /// The caller no longer waits, or it took too long.
    #[error("it was stopped before it finished")]
    Stopped,
}

impl Hinted for ExpectedError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Machine(error) => error.hint(),
            Self::Settings(error) => error.hint(),
            Self::Wrong(error) => error.hint(),
            Self::Stopped => None,
        }
    }
}

/// What the model gives, and what it gives with other values of facts that nobody can see.
fn simulated(
    result: &ResultFile,
    subject: &Subject,
    machine: &Machine,
    crew: &CampaignRunner<'_>,
) -> Result<(Vec<ExperimentResult>, Vec<Alternative>), WrongMachine> {
    let Subject { file, settings, .. } = subject;
    let others = variants(&library::set(file, settings)?, settings);
    // A text of another tool rarely shows the machine.
    let machine = if result.machine.pus.is_empty() { machine } else { &result.machine };
    let deciding = |fact: &OpenFact| {
        let fact = named(fact);
        repeated_in_part(result, |cell| fact.is_some_and(|fact| fact.decides_on(cell, machine)))
    };
    let variants = Variants {
        settings: settings.clone(),
        nominal: repeated_in_part(&with_streaming_twins(result), |cell| is_predictable(cell, machine)),
        others: others.iter().map(|(fact, settings, _)| (settings.clone(), deciding(fact))).collect(),
        solver: Solver::Auto,
    };
    let mut answers = variants.answers(file, crew);
    let nominal = answers.remove(&0).unwrap_or_default();
    let alternatives = others.into_iter().enumerate().filter_map(|(rank, (fact, _, value))| {
        let results = answers.remove(&(rank + 1)).filter(|results| !results.is_empty())?;
        Some(Alternative {
            fact: named(&fact)?,
            known: if fact.stated { Stated::Known } else { Stated::Assumed },
            nominal: fact.value,
            value,
            most: fact.most,
            noun: fact.noun,
            results,
        })
    });
    Ok((nominal, alternatives.collect()))
}

/// The result with a cell for each kernel of STREAM that may have used streaming stores: the model is asked for both.
fn with_streaming_twins(result: &ResultFile) -> ResultFile {
    let mut asked = result.clone();
    for experiment in &mut asked.experiments {
        let twin = |cell: &Cell| Some(Cell { at: streaming_twin(&result.origin, cell)?, ..cell.clone() });
        let twins: Vec<Cell> = experiment.cells.iter().filter_map(twin).collect();
        let cells = experiment.cells.iter().cloned().chain(twins).collect();
        // One that is there already needs no twin.
        if let Ok(cells) = Cells::new(cells) {
            experiment.cells = cells;
        }
    }
    asked
}

/// The fact of a template or a machine file, as expectations name it.
fn named(fact: &OpenFact) -> Option<Fact> {
    Fact::ALL.into_iter().find(|known| known.name() == fact.name)
}

/// Other values of the facts of a machine that nobody can see, each with the settings that choose it.
fn variants(file: &MachineFile, settings: &Settings) -> Vec<(OpenFact, Settings, u32)> {
    let mut all = Vec::new();
    for mut fact in file.open_facts() {
        // Whoever names a default means it.
        fact.stated |= settings.iter().any(|setting| setting.name == fact.name);
        // A machine that lost more than half of its channels is plain to see.
        let least = if fact.name == Fact::Channels.name() { fact.most.div_ceil(2) } else { 1 };
        for value in (least..=fact.most).filter(|value| *value != fact.value) {
            let other = Setting::new(&fact.name, value.to_string());
            let settings = settings.iter().cloned().chain([other]).collect();
            all.push((fact.clone(), settings, value));
        }
    }
    all
}

/// The name of the machine in requests.
const MACHINE: &str = "expected";

/// A model with several values of its facts: the first request gives every cell, each of the others those that its fact decides on.
struct Variants {
    settings: Settings,
    nominal: Vec<Run>,
    others: Vec<(Settings, Vec<Run>)>,
    solver: Solver,
}

impl Variants {
    /// The results of each request.
    fn answers(
        &self,
        file: &MachineFile,
        crew: &CampaignRunner<'_>,
    ) -> BTreeMap<usize, Vec<ExperimentResult>> {
        let engines = Models::default().with(MACHINE, file.clone());
        crew.answers(self, 1 + self.others.len(), &engines)
    }
}

impl Agenda for Variants {
    type Entry = Vec<ExperimentResult>;

    fn request(&self, rank: usize) -> Request {
        let (settings, runs) = match rank.checked_sub(1) {
            None => (&self.settings, &self.nominal),
            Some(other) => (&self.others[other].0, &self.others[other].1),
        };
        let on = SimulatedMachine {
            machine: MACHINE.to_owned(),
            settings: settings.clone(),
            solver: self.solver,
            seed: SimulatedMachine::SEED,
        };
        Request { on, runs: runs.clone() }
    }

    /// An experiment that the model cannot run has no result: its cells are listed as those of which nothing is expected.
    fn entry(&self, _: usize, answer: Answer<'_>) -> Self::Entry {
        match answer {
            Answer::Answered { results, .. } => results.into_iter().filter_map(Result::ok).collect(),
            Answer::NoEngine(_) | Answer::Bug(_) => Vec::new(),
        }
    }
}

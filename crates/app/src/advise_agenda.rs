//! Candidates for settings as a campaign: the machine as it is, and with each change, is a request.

use zerohop_advise::settings::{Goal, Probe, Reading, WorkloadKind, probes};
use zerohop_experiment::campaign::{Agenda, Answer, Request, Run, SimulatedMachine};
use zerohop_machine::{Machine, Settings};
use zerohop_model::Solver;
use zerohop_result::ExperimentResult;

use crate::commands::{CommandError, Commands};

/// A machine to try probes on.
#[derive(Debug)]
pub struct Variant {
    settings: Settings,
    probes: Vec<Probe>,
    /// Each command of a probe once, and the run that it is.
    runs: Vec<(String, Run)>,
}

/// Variants of a machine.
#[derive(Debug)]
pub struct VariantAgenda<'a> {
    /// The machine's name among the engines.
    pub machine: &'a str,
    /// Settings and runs of the variants, by rank.
    pub variants: Vec<Variant>,
}

/// Values of a variant's probes, and the omissions of the model.
#[derive(Debug, Default)]
pub struct Readings {
    /// The probes, each with its reading.
    pub probes: Vec<(Probe, Option<Reading>)>,
    /// Omissions of the model.
    pub notes: Vec<String>,
    /// The bug that ended it, if one did.
    pub bug: Option<String>,
}

impl Variant {
    /// The machine with these settings, and its probes.
    ///
    /// # Errors
    /// When a probe's command is no experiment.
    pub fn new(
        machine: &Machine,
        settings: Settings,
        goal: Goal,
        workload: WorkloadKind,
        commands: &dyn Commands,
    ) -> Result<Self, CommandError> {
        let probes = probes(machine, goal, workload);
        let mut runs: Vec<(String, Run)> = Vec::new();
        for probe in &probes {
            if runs.iter().all(|(command, _)| *command != probe.command) {
                runs.push((probe.command.clone(), commands.run(&probe.command)?));
            }
        }
        Ok(Self { settings, probes, runs })
    }
}

impl Agenda for VariantAgenda<'_> {
    type Entry = Readings;

    fn request(&self, rank: usize) -> Request {
        let variant = &self.variants[rank];
        let on = SimulatedMachine {
            machine: self.machine.to_owned(),
            settings: variant.settings.clone(),
            solver: Solver::Auto,
            seed: SimulatedMachine::SEED,
        };
        Request { on, runs: variant.runs.iter().map(|(_, run)| run.clone()).collect() }
    }

    fn entry(&self, rank: usize, answer: Answer<'_>) -> Readings {
        let Variant { probes, runs, .. } = &self.variants[rank];
        let (results, machine) = match answer {
            Answer::Answered { results, machine } => (results, machine),
            Answer::NoEngine(reason) => {
                return Readings { notes: vec![reason.to_string()], ..Readings::default() };
            }
            Answer::Bug(bug) => return Readings { bug: Some(bug), ..Readings::default() },
        };
        let mut notes = Vec::new();
        let mut known: Vec<(&str, ExperimentResult)> = Vec::new();
        for ((command, _), result) in runs.iter().zip(results) {
            match result {
                Ok(result) => known.push((command, result)),
                Err(trouble) => notes.push(format!("`{command}`: {trouble}")),
            }
        }
        let read = |probe: &Probe| {
            let (_, result) = known.iter().find(|(command, _)| *command == probe.command)?;
            probe.read(result, machine)
        };
        let probes = probes.iter().map(|probe| (probe.clone(), read(probe))).collect();
        Readings { probes, notes, bug: None }
    }
}

//! The machine of a question, as the options of a command line name it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use zerohop_app::{each_once, library, with_faults};
use zerohop_machine::{Setting, Settings};
use zerohop_machine_file::{Fault, Hardware, MachineFile};
use zerohop_model::Solver;

use crate::refusal::Refusal;

/// A machine, its settings and its faults, as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Subject {
    /// Its name, as `--on` takes it.
    pub machine: String,
    /// Settings, as `--set` takes them.
    pub set: Vec<String>,
    /// Faults, as `--fault` takes them.
    pub fault: Vec<String>,
    /// How it is solved.
    pub solver: Option<Solver>,
    /// Machine files that the page carries, by the names that `machine` may have.
    pub files: BTreeMap<String, String>,
}

impl Subject {
    /// # Errors
    /// When a text is no setting, or a name is set twice.
    pub(crate) fn settings(&self) -> Result<Settings, Refusal> {
        let parsed = self.set.iter().map(|text| text.parse::<Setting>());
        let settings = parsed.collect::<Result<Vec<_>, _>>().map_err(|error| Refusal::new(&error))?;
        each_once(&settings)?;
        Ok(settings.into_iter().collect())
    }

    /// The machine of this file, with the settings and the faults.
    ///
    /// # Errors
    /// When the machine cannot have one of them.
    pub(crate) fn hardware(&self, file: &MachineFile) -> Result<Hardware, Refusal> {
        let parsed = self.fault.iter().map(|text| text.parse::<Fault>());
        let faults = parsed.collect::<Result<Vec<_>, _>>().map_err(|error| Refusal::new(&error))?;
        let sound =
            library::hardware_of(file, &self.settings()?).map_err(|error| Refusal::of_machine(&error))?;
        Ok(with_faults(sound, &faults)?)
    }

    /// How it is solved: by mean-value analysis, which answers at once, unless events are asked for.
    pub(crate) fn solver(&self) -> Solver {
        self.solver.unwrap_or(Solver::Flow)
    }

    /// Settings, as options of a command line.
    fn setting_words(&self) -> impl Iterator<Item = String> + '_ {
        self.set.iter().flat_map(|value| ["--set".to_owned(), value.clone()])
    }

    /// Settings and faults, as options of a command line.
    pub(crate) fn machine_words(&self) -> impl Iterator<Item = String> + '_ {
        let faults = self.fault.iter().flat_map(|value| ["--fault".to_owned(), value.clone()]);
        self.setting_words().chain(faults)
    }

    /// Everything but the name of the machine, as options of a command line that simulates it.
    pub(crate) fn simulation_words(&self) -> impl Iterator<Item = String> + '_ {
        // Events are the default of a command line.
        let solver = Some(self.solver()).filter(|solver| *solver != Solver::Event);
        let solver = solver.into_iter().flat_map(|solver| ["--solver".to_owned(), solver.name().to_owned()]);
        self.machine_words().chain(solver)
    }
}

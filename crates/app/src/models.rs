//! The engines of campaigns: models of machines by name or by file, each file read once.

use std::collections::BTreeMap;
use std::sync::Arc;

use zerohop_experiment::campaign::{Engines, NoEngine, SimulatedMachine};
use zerohop_machine_file::{Fault, MachineFile, MachineFileError};
use zerohop_model::Solved;
use zerohop_workload::{Engine, StopFlag};

/// Machine files, by the names that requests use.
#[derive(Debug, Default)]
pub struct Models {
    files: BTreeMap<String, MachineFile>,
    /// Faults that each of them has.
    faults: Vec<Fault>,
    /// Solutions of mean-value analysis: points of a sweep have cells in common.
    solved: Solved,
}

impl Models {
    /// Adds one more machine file.
    pub fn add(&mut self, name: &str, file: MachineFile) {
        self.files.insert(name.to_owned(), file);
    }

    /// Copy with one more machine file.
    pub fn with(mut self, name: &str, file: MachineFile) -> Self {
        self.add(name, file);
        self
    }

    /// Copy with these faults on all machines.
    pub fn with_faults(self, faults: &[Fault]) -> Self {
        Self { faults: faults.to_vec(), ..self }
    }
}

impl Engines for Models {
    fn engine(
        &self,
        simulated: &SimulatedMachine,
        stop: &StopFlag,
    ) -> Result<Box<dyn Engine + Send>, NoEngine> {
        let Some(file) = self.files.get(&simulated.machine) else {
            return Err(NoEngine::Failed(format!(
                "`{}` is not one of the campaign's machines",
                simulated.machine
            )));
        };
        let hardware = file
            .set(&simulated.settings)
            .and_then(|file| file.hardware())
            .map_err(|error| no_engine(&error))?;
        // A point may lack what is faulty: the link that a setting removes.
        let hardware = self.faults.iter().try_fold(hardware, |hardware, fault| {
            hardware.inject(fault).map_err(|error| NoEngine::Refused(format!("{fault}: {error}")))
        })?;
        Ok(simulated.solver.engine(Arc::new(hardware), simulated.seed, &self.solved, stop))
    }
}

fn no_engine(error: &MachineFileError) -> NoEngine {
    let reason = reason(error);
    if error.is_refusal() { NoEngine::Refused(reason) } else { NoEngine::Failed(reason) }
}

/// Description of the problem in a machine file, in one line.
pub(crate) fn reason(error: &MachineFileError) -> String {
    error.problems().iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("; ")
}

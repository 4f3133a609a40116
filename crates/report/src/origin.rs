//! The origin of a result: a machine that was measured, or a model of one. Every page must state it.

use zerohop_machine::{Machine, Setting};
use zerohop_result::{ExperimentResult, ResultFile};
use zerohop_units::Seconds;
use zerohop_workload::{Origin, SolverName};

use crate::number::significant;

/// Whether a model computed the result.
pub(crate) fn is_simulated(file: &ResultFile) -> bool {
    file.origin.is_model()
}

/// `sr665-v3 (links=3)`: a machine's name, the settings that differ from its file, and the faults that were injected.
pub(crate) fn name_and_settings(machine: &Machine) -> String {
    let name = described(&machine.name, machine.settings.iter());
    if machine.faults.is_empty() {
        name
    } else {
        format!("{name} with {} injected", machine.faults.join(", "))
    }
}

/// A machine's name, and its settings if there are any.
pub(crate) fn described<'a>(name: &str, settings: impl Iterator<Item = &'a Setting>) -> String {
    let settings: Vec<String> = settings.map(ToString::to_string).collect();
    if settings.is_empty() { name.to_owned() } else { format!("{name} ({})", settings.join(", ")) }
}

/// The machine's name on pages: `node-07`, or `model of quartet`.
pub(crate) fn subject(file: &ResultFile) -> String {
    let name = name_and_settings(&file.machine);
    match &file.origin {
        Origin::Host(_) => name,
        Origin::Model(_) => format!("model of {name}"),
        Origin::Imported(imported) => format!("{name}, as {} says", imported.tool),
    }
}

/// The time that experiments took, of this host's time or of simulated time.
pub(crate) fn spent<'a>(
    file: &ResultFile,
    experiments: impl IntoIterator<Item = &'a ExperimentResult>,
) -> String {
    let spent: Seconds = experiments.into_iter().map(|experiment| experiment.elapsed).sum();
    if file.origin.as_model().is_some_and(|model| model.solver == SolverName::Flow) {
        "solved as a queueing network".to_owned()
    } else if is_simulated(file) {
        format!("simulated for {} ms", significant(spent.get() * 1e3))
    } else {
        format!("{} s", significant(spent.get()))
    }
}

/// The time of the measurement; a simulation has none.
pub(crate) fn when(file: &ResultFile) -> String {
    match &file.started_at {
        Some(time) => time.to_string(),
        None if is_simulated(file) => "simulated".to_owned(),
        None => "at an unknown time".to_owned(),
    }
}

/// The verb for how the result was obtained, as in `nothing was measured`.
pub(crate) fn done(file: &ResultFile) -> &'static str {
    match file.origin {
        Origin::Host(_) => "measured",
        Origin::Model(_) => "simulated",
        Origin::Imported(_) => "imported",
    }
}

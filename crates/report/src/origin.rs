//! Where a result comes from: a machine that was measured, or a model of one. No page may leave that open.

use zerohop_machine::Machine;
use zerohop_result::{ExperimentResult, ResultFile};
use zerohop_units::Seconds;
use zerohop_workload::{Origin, Solver};

use crate::number::significant;

/// Whether a model computed the result.
pub(crate) fn is_simulated(file: &ResultFile) -> bool {
    file.origin.is_model()
}

/// `sr665-v3 (links=3)`: a machine's name, and what was set that its file says otherwise.
pub(crate) fn name_and_settings(machine: &Machine) -> String {
    if machine.settings.is_empty() {
        return machine.name.clone();
    }
    let settings: Vec<String> = machine.settings.iter().map(ToString::to_string).collect();
    format!("{} ({})", machine.name, settings.join(", "))
}

/// The machine, as a page names it: `node-07`, or `model of quartet`.
pub(crate) fn subject(file: &ResultFile) -> String {
    let name = name_and_settings(&file.machine);
    match &file.origin {
        Origin::Host(_) => name,
        Origin::Model(_) => format!("model of {name}"),
        Origin::Imported(imported) => format!("{name}, as {} says", imported.tool),
    }
}

/// How long experiments took: of this host's time, or of the machine's that was simulated.
pub(crate) fn spent<'a>(
    file: &ResultFile,
    experiments: impl IntoIterator<Item = &'a ExperimentResult>,
) -> String {
    let spent: Seconds = experiments.into_iter().map(|experiment| experiment.elapsed).sum();
    if file.origin.as_model().is_some_and(|model| model.solver == Solver::Flow) {
        "solved as a network of queues".to_owned()
    } else if is_simulated(file) {
        format!("simulated for {} ms", significant(spent.get() * 1e3))
    } else {
        format!("{} s", significant(spent.get()))
    }
}

/// When it was done, or that it is simulated, which is the same at any time.
pub(crate) fn when(file: &ResultFile) -> String {
    match &file.started_at {
        Some(time) => time.clone(),
        None if is_simulated(file) => "simulated".to_owned(),
        None => "at a time not told".to_owned(),
    }
}

/// What was done, or not: `nothing was measured`.
pub(crate) fn done(file: &ResultFile) -> &'static str {
    match file.origin {
        Origin::Host(_) => "measured",
        Origin::Model(_) => "simulated",
        Origin::Imported(_) => "imported",
    }
}

//! Machine files of results: by the name of a processor, or by what the machine of a result shows.

use zerohop_machine::{Machine, MachineFile, Setting};

use super::{models, seen};
use crate::failure::Failure;
use crate::stated::Stated;

/// What is stated of a machine, if nothing is.
const NOTHING: Stated = Stated { template: None, model: None, from_host: false, from: None, set: Vec::new() };

/// The machine file of a machine with a processor of that name on the market, perhaps followed by what else is known of the machine
/// (`Xeon Gold 6240,links=2`); `None` for any other name.
///
/// # Errors
/// When its template does not allow what is stated.
pub(crate) fn of_processor(name: &str) -> Option<Result<MachineFile, Failure>> {
    let (model, stated) = name.split_once(',').unwrap_or((name, ""));
    let model = models::find(model)?.name;
    let words = stated.split(',').map(str::trim).filter(|word| !word.is_empty());
    Some(
        words
            .map(str::parse)
            .collect::<Result<Vec<Setting>, _>>()
            .map_err(Failure::new)
            .and_then(|set| Stated { model: Some(model), set, ..NOTHING }.generate(None)),
    )
}

/// The machine file of what a machine shows of itself.
///
/// # Errors
/// When no template is known for its processor, or what it shows contradicts itself.
pub(crate) fn shown_by(machine: &Machine) -> Result<MachineFile, Failure> {
    NOTHING.generate(Some(machine))
}

/// How the processor of a machine contradicts a machine file, if it does.
pub(crate) fn other_processor(machine: &Machine, file: &MachineFile) -> Option<String> {
    let seen = seen::of(machine);
    let stated = file.hardware().ok()?.machine.prediction?.template;
    let of_it = models::find(&seen.model).map(|model| model.template);
    let own = of_it.or_else(|| seen.template.map(str::to_owned))?;
    (own != stated).then(|| {
        format!("the result comes from `{}`, which template {own} describes, not {stated}", seen.model.trim())
    })
}

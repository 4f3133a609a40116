//! Machine files of results: by the name of a processor, or by the properties that the machine of a result shows.

use zerohop_machine::Machine;
use zerohop_machine_file::MachineFile;

use super::error::TemplateError;
use super::stated_machine::Stated;
use super::{models, observed_facts};
use crate::built_in::is_file;
use crate::files::NoFiles;
use crate::settings_in_words::in_words;

/// The machine file for a processor of that name on the market, optionally followed by other known properties of the machine
/// (`Xeon Gold 6240,links=2`); `None` for a name that is not one of a processor.
///
/// # Errors
/// If the name is like that of a processor but not in the table, or the template does not allow the stated properties.
pub(super) fn of_processor(name: &str) -> Option<Result<MachineFile, TemplateError>> {
    let (model, stated) = name.split_once(',').unwrap_or((name, ""));
    let model = match models::processor(model) {
        Ok(processor) => processor.name,
        // No machine's name has a blank.
        Err(error) => return (model.trim().contains(' ') && !is_file(name)).then_some(Err(error)),
    };
    Some(in_words(stated).map_err(TemplateError::from).and_then(|set| {
        let stated = Stated { template: None, model: Some(model), set };
        stated.generate(None, None, &NoFiles)
    }))
}

/// The machine file for the properties that a machine shows.
///
/// # Errors
/// If no template is known for its processor, or its properties contradict each other.
pub fn shown_by(machine: &Machine) -> Result<MachineFile, TemplateError> {
    Stated::default().generate(Some(machine), None, &NoFiles)
}

/// Contradiction between the processor of a machine and a machine file, if there is one.
pub fn other_processor(machine: &Machine, file: &MachineFile) -> Option<String> {
    let seen = observed_facts::of(machine);
    let stated = file.hardware().ok()?.machine.prediction?.template;
    let of_it = models::find(&seen.model).map(|model| model.template);
    let own = of_it.or_else(|| seen.template.map(str::to_owned))?;
    (own != stated).then(|| {
        format!("the result comes from `{}`, which template {own} describes, not {stated}", seen.model.trim())
    })
}

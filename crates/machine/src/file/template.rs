//! Machine files that a template generated: other settings generate another text.

use std::sync::Arc;

use super::{MachineFile, MachineFileError, Setting, Settings};
use crate::Template;

/// The template of a machine file, and what was stated of the machine.
#[derive(Debug, Clone)]
pub(crate) struct TemplateOf {
    /// The template.
    pub(crate) template: Arc<Template>,
    /// What was stated, by the names of the template's parameters.
    pub(crate) given: Vec<Setting>,
    /// Those of these that remain when others are set: they are part of the machine's name.
    pub(crate) named: Settings,
}

impl TemplateOf {
    /// The machine file with these settings besides those of the machine's name.
    pub(super) fn machine_file(&self, settings: &Settings) -> Result<MachineFile, MachineFileError> {
        self.template.machine_file(&self.named, settings)
    }
}

//! Machines whose properties are partly stated, and partly shown by the machine.

use std::sync::Arc;

use zerohop_machine::{Machine, Setting, Settings};
use zerohop_machine_file::MachineFile;

use super::error::TemplateError;
use super::read::template;
use super::{models, observed_facts};
use crate::files::Files;
use crate::settings_in_words::each_once;
use crate::wrong_machine::WrongMachine;

/// Known properties of a machine that a template describes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stated {
    /// The template, unless the processor determines it.
    pub template: Option<String>,
    /// The processor's name on the market.
    pub model: Option<String>,
    /// Other stated properties.
    pub set: Vec<Setting>,
}

impl Stated {
    /// The machine file for the stated properties, and for those that the machine shows, if it is `shown`.
    ///
    /// # Errors
    /// If no template is known for the machine, or it does not allow the stated properties.
    pub fn machine_file(
        &self,
        shown: Option<&Machine>,
        files: &dyn Files,
    ) -> Result<MachineFile, TemplateError> {
        // The survey of a model names its template, and no processor.
        self.generate(shown, shown.and_then(observed_facts::modeled), files)
    }

    /// Machine file of a machine that shows itself, with the template for an unknown processor.
    pub(super) fn generate(
        &self,
        shown: Option<&Machine>,
        otherwise: Option<&'static str>,
        files: &dyn Files,
    ) -> Result<MachineFile, TemplateError> {
        each_once(&self.set)?;
        let seen = shown.map(observed_facts::of);
        let named = self.model.as_deref().map(models::processor).transpose()?;
        // A machine that identifies its processor needs no other name for it.
        let processor = named.or_else(|| seen.as_ref().and_then(|seen| models::find(&seen.model)));
        let name = match (&self.template, &processor, &seen) {
            (Some(name), ..) => name.as_str(),
            (None, Some(processor), _) => processor.template.as_str(),
            (None, None, Some(seen)) => seen.template.or(otherwise).ok_or_else(|| seen.no_template())?,
            (None, None, None) => return Err(TemplateError::NothingStated),
        };
        let mut template = template(name, files)?;
        if let Some(processor) = &processor {
            let known = template.with_facts(&processor.name, &processor.facts);
            template = Arc::new(known.map_err(WrongMachine)?);
        }
        let seen = seen.iter().flat_map(|seen| &seen.settings);
        let settings: Settings = seen.chain(&self.set).cloned().collect();
        let file = template.machine_file(&settings, &Settings::none());
        file.map_err(|error| WrongMachine(error.of_settings(&settings)).into())
    }
}

//! Studies: published figures of a machine, and the runs that should reproduce them.
//!
//! A study is a TOML file. [`file`] parses it, [`resolve`] checks it and resolves its names, and the result is a list
//! of claims, each about values of named runs.

mod claim;
mod error;
mod file;
mod resolve;

use schemars::Schema;
use schemars::generate::SchemaSettings;

pub use claim::{Assertion, Claim, Passage, Peak, Publication, Run, Study};
pub use error::StudyError;

impl Study {
    /// Reads a study. `name` is that of its file, for messages.
    ///
    /// # Errors
    /// When the text is not a study: all mistakes in it, each with its location.
    pub fn parse(name: &str, text: &str) -> Result<Self, StudyError> {
        let study = file::read(name, text).and_then(|(file, problems)| resolve::resolve(file, problems));
        study.map_err(|problems| StudyError { problems })
    }
}

/// The JSON Schema (draft 2020-12) of a study's file.
pub fn study_schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<file::StudyTable>()
}

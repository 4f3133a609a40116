//! What is stated of a machine that a template describes.

use std::path::PathBuf;

use zerohop_machine::Setting;

/// What is known of a machine that a template describes.
#[derive(Debug)]
pub(crate) struct Stated {
    pub(crate) template: Option<String>,
    /// The processor's name on the market.
    pub(crate) model: Option<String>,
    /// Whether this host shows more.
    pub(crate) from_host: bool,
    /// A result or a captured machine that shows more.
    pub(crate) from: Option<PathBuf>,
    /// What the user states.
    pub(crate) set: Vec<Setting>,
}

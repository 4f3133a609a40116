//! Compared configurations: results, each with its repeats.

use zerohop_result::ResultFile;

/// A configuration and its name: the result of a run, and the results of its repeats.
#[derive(Debug, Clone, Copy)]
pub struct Configuration<'a> {
    /// Name for readers, unique among the configurations.
    pub name: &'a str,
    pub result: &'a ResultFile,
    /// The results of further runs of the same configuration.
    pub repeats: &'a [ResultFile],
}

impl<'a> Configuration<'a> {
    /// All of its runs.
    pub(super) fn runs(&self) -> impl Iterator<Item = &'a ResultFile> + use<'a> {
        std::iter::once(self.result).chain(self.repeats)
    }
}

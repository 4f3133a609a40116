//! A result with its expectations and diagnosis, for a browser.

use zerohop_diagnosis::Diagnosis;
use zerohop_expectation::Expectations;
use zerohop_result::{Catalogue, ResultFile};

use crate::program_point::ProgramPoint;

/// A result, with the expectations for its values and the diagnosis of its machine.
#[derive(Debug, Clone, Copy)]
pub struct AssessedResult<'a> {
    pub result: &'a ResultFile,
    pub experiments: Catalogue,
    /// Expectations for the values, if known.
    pub expectations: Option<&'a Expectations>,
    /// Diagnosis of the machine, if rules were applied.
    pub diagnosis: Option<&'a Diagnosis>,
    /// Programs to lay on the curves of latency under load.
    pub points: &'a [ProgramPoint],
}

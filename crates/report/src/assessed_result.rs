//! A result with what is known of it, for a browser.

use zerohop_diagnosis::Diagnosis;
use zerohop_expectation::Expectations;
use zerohop_result::{Catalogue, ResultFile};

use crate::program_point::ProgramPoint;

/// A result, what its values should be, and what is wrong with its machine.
#[derive(Debug, Clone, Copy)]
pub struct AssessedResult<'a> {
    pub result: &'a ResultFile,
    pub experiments: Catalogue,
    /// What its values should be, if that is known.
    pub expectations: Option<&'a Expectations>,
    /// What is wrong with the machine, if rules were applied.
    pub diagnosis: Option<&'a Diagnosis>,
    /// Programs to lay on the curves of latency under load.
    pub points: &'a [ProgramPoint],
}

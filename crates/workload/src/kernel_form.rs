//! The forms of kernels' code that an engine chose.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Access, InstructionSet, Kernel};

/// Form of a kernel's code that an engine chose by trial, with the conditions of the trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChosenForm {
    /// The kernel.
    pub kernel: Kernel,
    /// Access order of the kernel.
    pub access: Access,
    /// Requested instruction set, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction_set: Option<InstructionSet>,
    /// Number of workers that ran the kernel.
    pub workers: usize,
    /// Largest number of these workers on one core.
    pub workers_of_a_core: usize,
    /// Name of the form, in words.
    pub form: String,
}

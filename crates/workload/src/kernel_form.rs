//! The forms of kernels' code that an engine chose.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Access, InstructionSet, Kernel};

/// The form of a kernel's code that an engine chose by trial, and what it was tried for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChosenForm {
    /// The kernel.
    pub kernel: Kernel,
    /// Its access order.
    pub access: Access,
    /// The instruction set that was asked for, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction_set: Option<InstructionSet>,
    /// Number of workers that ran it.
    pub workers: usize,
    /// The most of them on one core.
    pub workers_of_a_core: usize,
    /// The form, in words.
    pub form: String,
}

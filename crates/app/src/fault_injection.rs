//! Faults of a described machine, as a command line names them.

use zerohop_machine_file::{Fault, FaultError, Hardware};

use crate::hint::Hinted;

/// Reason why a machine cannot have a fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--fault {fault}: {error}")]
pub struct InjectError {
    fault: String,
    error: FaultError,
}

impl Hinted for InjectError {
    fn hint(&self) -> Option<String> {
        Some(self.error.hint())
    }
}

/// The machine with these faults.
///
/// # Errors
/// When it cannot have one of them.
pub fn with_faults(hardware: Hardware, faults: &[Fault]) -> Result<Hardware, InjectError> {
    faults.iter().try_fold(hardware, |hardware, fault| {
        hardware.inject(fault).map_err(|error| InjectError { fault: fault.to_string(), error })
    })
}

//! Reason why a file describes no machine.

use std::fmt;

use zerohop_machine_file::MachineFileError;

use crate::hint::Hinted;

/// Reason why a file describes no machine: every mistake, with its location and its hint.
#[derive(Debug, Clone, PartialEq)]
pub struct WrongMachine(pub MachineFileError);

impl From<MachineFileError> for WrongMachine {
    fn from(error: MachineFileError) -> Self {
        Self(error)
    }
}

impl std::error::Error for WrongMachine {}

/// Each problem is an error of its own, with its hint where the user can mend it.
impl fmt::Display for WrongMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (rank, problem) in self.0.problems().iter().enumerate() {
            let apart = if rank > 0 { "\n\nerror: " } else { "" };
            write!(f, "{apart}{problem}")?;
        }
        match self.0.more() {
            0 => Ok(()),
            more => write!(f, "\n\nerror: and {more} more problems"),
        }
    }
}

impl Hinted for WrongMachine {
    fn hint(&self) -> Option<String> {
        None
    }
}

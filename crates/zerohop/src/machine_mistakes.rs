//! Why a file describes no machine.

use zerohop_machine::MachineFileError;

use crate::failure::Failure;

/// Why a file describes no machine: every mistake, with its location and its hint.
pub(crate) fn wrong(error: &MachineFileError) -> Failure {
    let problems: Vec<String> = error.problems().iter().map(ToString::to_string).collect();
    let more = match error.more() {
        0 => String::new(),
        more => format!("\n\nerror: and {more} more problems"),
    };
    Failure::new(problems.join("\n\nerror: ") + &more)
}

//! `zerohop completions`: completion scripts for shells.

use clap_complete::Shell;

use crate::completion;
use crate::failure::Failure;
use crate::terminal;

pub(super) fn completions(shell: Shell) -> Result<(), Failure> {
    terminal::print(&completion::script(shell)?)
}

//! `zerohop completions`: completion scripts for shells.

use clap_complete::Shell;

use crate::failure::Failure;
use crate::shell;
use crate::terminal;

pub(super) fn completions(shell: Shell) -> Result<(), Failure> {
    terminal::print(&shell::script(shell)?)
}

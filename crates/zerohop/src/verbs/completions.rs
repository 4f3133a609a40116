//! `zerohop completions`: completion scripts for shells.

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::terminal;

pub(super) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(shell, &mut Arguments::command(), "zerohop", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))
}

//! Arguments that choose options of a machine file, or change its values.

use clap::Args;
use zerohop_app::each_once;
use zerohop_machine::{Setting, Settings};

use crate::failure::Failure;

/// Settings of a described machine.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SetArguments {
    /// Set an option of the simulated machine, or a value of its file by path; may be repeated
    ///
    /// For example `links=3`, if the machine has that option (`zerohop machine show MACHINE` lists them), or
    /// `home.k8.remote_limit=20` or `core.k8.clock="2.6 GHz"`, if its file has that value.
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Where to measure")]
    pub(crate) set: Vec<Setting>,
}

impl SetArguments {
    /// The settings, each name once.
    ///
    /// # Errors
    /// When a name is set twice.
    pub(crate) fn settings(&self) -> Result<Settings, Failure> {
        each_once(&self.set)?;
        Ok(self.set.iter().cloned().collect())
    }

    /// Checks that nothing is set, for a machine that no file describes.
    ///
    /// # Errors
    /// When a setting was given.
    pub(crate) fn must_be_none(&self) -> Result<(), Failure> {
        match self.set.first() {
            None => Ok(()),
            Some(setting) => Err(Failure::new(format_args!("--set {setting} needs a simulated machine"))
                .hint("choose one with --on; `zerohop machine list` lists the built-in machines. zerohop cannot change settings of this host")),
        }
    }
}

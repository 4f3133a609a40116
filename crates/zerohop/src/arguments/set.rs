//! Arguments that choose what a machine file leaves open.

use clap::Args;
use zerohop_machine::{Setting, Settings};

use crate::failure::Failure;

/// What is set of a described machine.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SetArguments {
    /// Choose an option of the described machine, or change a number of its file by its path; may be given again
    ///
    /// `links=3` where the machine has such an option (`zerohop machine show MACHINE` lists them), or for example
    /// `home.k8.remote_limit=20` and `core.k8.clock="2.6 GHz"` on any machine.
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Where to measure")]
    pub(crate) set: Vec<Setting>,
}

impl SetArguments {
    /// What is set, each name once.
    ///
    /// # Errors
    /// When a name is set twice.
    pub(crate) fn settings(&self) -> Result<Settings, Failure> {
        for (rank, setting) in self.set.iter().enumerate() {
            if self.set[..rank].iter().any(|earlier| earlier.name == setting.name) {
                return Err(Failure::new(format_args!("`{}` is set twice", setting.name))
                    .hint("leave one of them out"));
            }
        }
        Ok(self.set.iter().cloned().collect())
    }

    /// That nothing is set: what is meant is no described machine.
    ///
    /// # Errors
    /// When something is.
    pub(crate) fn must_be_none(&self) -> Result<(), Failure> {
        match self.set.first() {
            None => Ok(()),
            Some(setting) => Err(Failure::new(format_args!("--set {setting} is for a machine that a file describes"))
                .hint("name one: `zerohop machine list` has those that come with zerohop; this host is as its firmware set it")),
        }
    }
}

//! How tasks are started, as it is asked for and kept.

use serde::{Deserialize, Serialize};

use crate::kubernetes::KubernetesOptions;
use crate::launcher::Launcher;
use crate::local::Local;
use crate::slurm::SlurmOptions;
use crate::ssh::SshOptions;

/// How tasks are started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "launcher", rename_all = "snake_case")]
pub enum Setup {
    /// Programs of this host.
    Local(Local),
    Slurm(SlurmOptions),
    Kubernetes(KubernetesOptions),
    /// Hosts that are logged in to.
    Ssh(SshOptions),
}

impl Setup {
    /// Whether tasks are programs of this process, which end with it.
    pub fn has_children(&self) -> bool {
        self.launcher().has_children()
    }

    pub fn launcher(&self) -> Box<dyn Launcher + '_> {
        match self {
            Self::Local(local) => Box::new(local),
            Self::Slurm(options) => Box::new(options),
            Self::Kubernetes(options) => Box::new(options),
            Self::Ssh(options) => Box::new(options),
        }
    }
}

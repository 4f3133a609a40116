//! Surveys of many nodes, each alone on its node, and chunks of sweeps, through what starts programs there already: no daemon, no protocol, no
//! scheduler of our own.
//!
//! ```text
//! Setup ── Round::new ──> Round ── look_after, start_next ──> Launcher (local, slurm, kubernetes, ssh: a file each) ──> Shell, which the caller has
//!                           └── its text, saved after each step: `resume` reads it
//! ```
//!
//! Nothing here starts a program or opens a file: a [`Shell`] does, which a test scripts.

#![forbid(unsafe_code)]

mod children;
mod kubernetes;
mod launcher;
mod local;
mod node_list;
mod round;
mod setup;
mod shell;
mod slurm;
mod ssh;

pub use kubernetes::KubernetesOptions;
pub use launcher::{LaunchError, Launcher, Offer, Standing, Task, Ticket};
pub use local::{Local, NodeFaults, NodeFaultsError};
pub use node_list::{NodeListError, folded, node_list};
pub use round::{ROUND_VERSION, Round, RoundError, RoundTask, Tally, TaskState};
pub use setup::Setup;
pub use shell::{Answer, NotWhole, Shell, ShellError};
pub use slurm::SlurmOptions;
pub use ssh::SshOptions;

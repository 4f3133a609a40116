//! Arguments of `zerohop fleet`.

mod analyse;
mod baseline;
mod run;

use clap::{Args, Subcommand};

pub(crate) use analyse::FleetAnalyseArguments;
pub(crate) use baseline::FleetBaselineArguments;
pub(crate) use run::{FleetResumeArguments, FleetRunArguments, KubernetesArguments, LauncherArgument};

/// Arguments of `fleet`.
#[derive(Debug, Args)]
pub(crate) struct FleetArguments {
    #[command(subcommand)]
    pub(crate) verb: FleetVerb,
}

/// What to do with many machines.
#[derive(Debug, Subcommand)]
pub(crate) enum FleetVerb {
    /// Survey many nodes, each on its own, with Slurm, Kubernetes or ssh, or simulate them on this host
    Run(Box<FleetRunArguments>),
    /// Resume a fleet run: survey the nodes that are missing or failed
    Resume(FleetResumeArguments),
    /// Find the bad nodes among similar machines, and what they have in common
    #[command(visible_alias = "analyze")]
    Analyse(FleetAnalyseArguments),
    /// Save the usual values of each kind of machine as a baseline for `check`
    Baseline(FleetBaselineArguments),
}

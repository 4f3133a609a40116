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
    /// Survey many nodes, each alone, by Slurm, Kubernetes, ssh, or as models on this host
    Run(Box<FleetRunArguments>),
    /// Go on with a fleet that was begun: what is missing, what failed
    Resume(FleetResumeArguments),
    /// Find the bad ones among machines that should be alike, and what they have in common
    #[command(visible_alias = "analyze")]
    Analyse(FleetAnalyseArguments),
    /// Write down what is usual on each kind of machine, for `check`
    Baseline(FleetBaselineArguments),
}

//! Arguments of `zerohop advise`.

mod distances;
mod placement;
mod settings;

use clap::{Args, Subcommand};

pub(crate) use distances::DistancesArguments;
pub(crate) use placement::{AccessArgument, DataArgument, PlacementArguments, SensitivityArgument};
pub(crate) use settings::SettingsArguments;

/// Arguments of `advise`.
#[derive(Debug, Args)]
pub(crate) struct AdviseArguments {
    #[command(subcommand)]
    pub(crate) about: AdviseAbout,
}

/// What to advise on.
#[derive(Debug, Subcommand)]
pub(crate) enum AdviseAbout {
    /// Distances between nodes as they were measured, in the place of the firmware's
    Distances(DistancesArguments),
    /// Where a program's threads and memory belong, with lines to paste
    Placement(PlacementArguments),
    /// Settings of firmware and kernel: what a change is worth, and how to make it
    Settings(SettingsArguments),
}

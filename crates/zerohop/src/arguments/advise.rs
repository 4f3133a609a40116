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
    /// Compare measured node distances with the firmware's, and write corrected ones
    Distances(DistancesArguments),
    /// Recommend where a program's threads and memory belong, with commands to paste
    Placement(PlacementArguments),
    /// Recommend firmware and kernel settings, with the expected gain and how to set them
    Settings(SettingsArguments),
}

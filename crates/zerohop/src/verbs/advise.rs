//! `zerohop advise`: what to change.

mod distances;
mod placement;
mod settings;

use super::exit_status::VerbOutcome;
use crate::arguments::{AdviseAbout, AdviseArguments};
use crate::failure::Failure;
use crate::machine_source::MachineSource;

pub(super) fn advise(
    arguments: &AdviseArguments,
    root: &MachineSource,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    match &arguments.about {
        AdviseAbout::Distances(arguments) => distances::advise_distances(arguments),
        AdviseAbout::Placement(arguments) => placement::advise_placement(arguments, root, quiet),
        AdviseAbout::Settings(arguments) => settings::advise_settings(arguments, root, quiet),
    }
}

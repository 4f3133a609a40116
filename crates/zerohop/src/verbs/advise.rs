//! `zerohop advise`: what to change.

mod placement;

use super::ending::Ending;
use crate::arguments::{AdviseAbout, AdviseArguments};
use crate::failure::Failure;
use crate::root::Root;

pub(super) fn advise(arguments: &AdviseArguments, root: &Root) -> Result<Ending, Failure> {
    match &arguments.about {
        AdviseAbout::Placement(arguments) => placement::advise_placement(arguments, root),
    }
}

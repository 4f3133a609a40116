//! `zerohop fleet`: many machines that should be alike.

mod analyse;
mod baseline;
mod command_line;
mod hosts;
mod leftovers;
mod rounds;
mod run;

use super::exit_status::VerbOutcome;
use crate::arguments::{FleetArguments, FleetVerb};
use crate::failure::Failure;

pub(super) fn fleet(arguments: FleetArguments, quiet: bool) -> Result<VerbOutcome, Failure> {
    match arguments.verb {
        FleetVerb::Baseline(arguments) => baseline::write_baseline(&arguments, quiet),
        FleetVerb::Run(arguments) => run::run(&arguments, quiet),
        FleetVerb::Resume(arguments) if !arguments.survey.is_empty() => Err(Failure::new(
            "`fleet resume` accepts no survey options: it uses those of `fleet run`",
        )
        .hint(
            "for other options or faults, start a new run: `zerohop fleet run -o ANOTHER-DIR … -- OPTIONS`",
        )),
        FleetVerb::Resume(arguments) => run::resume(&arguments, quiet),
        FleetVerb::Analyse(arguments) => analyse::analyse_fleet(arguments, quiet),
    }
}

//! The survey of a check: as short as its budget, and in this process, so that it ends when the check does, however that ends.

use zerohop_experiment::{Effort, Options};
use zerohop_result::{Completion, ResultFile};

use crate::arguments::{CheckArguments, PrefetchersArgument};
use crate::failure::Failure;
use crate::machine_source::MachineSource;
use crate::request::HostSetup;
use crate::subject::Subject;
use crate::verbs::measure::{Session, nothing_measured};

/// What a short survey of this host gives; `None` if a signal stopped it.
///
/// # Errors
/// When the host cannot be measured, or somebody else measures it.
pub(super) fn measured(
    arguments: &CheckArguments,
    root: &MachineSource,
) -> Result<Option<ResultFile>, Failure> {
    root.must_be_host()?;
    let setup = HostSetup {
        wait: arguments.wait_for_host,
        prefetchers: PrefetchersArgument::Keep,
        forms: Vec::new(),
    };
    let session = Session::open(Subject::Host, root, &setup, true)?;
    let options = Options { budget: Some(arguments.budget), ..Options::new(Effort::Quick) };
    let outcome = session
        .measure(&options, None, |engine, observer| zerohop_experiment::survey(engine, &options, observer))?;
    match outcome.unrestored.or_else(|| nothing_measured(&outcome.result)) {
        Some(failure) => Err(failure),
        None => Ok(Some(outcome.result).filter(|result| result.completion != Completion::Interrupted)),
    }
}

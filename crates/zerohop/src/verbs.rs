//! The verbs.

mod advise;
mod archive;
mod calibrate;
mod changes;
mod check;
mod compare;
mod completions;
mod diagnose;
mod doctor;
mod exit_status;
mod explore;
mod fleet;
mod help;
mod import;
mod machine;
mod man;
mod measure;
mod mlc;
mod place;
mod report;
mod reproduce;
mod run;
mod schema;
mod serve;
mod show;
mod survey;
mod sweep;
mod whereabouts;

use crate::failure::Failure;
use crate::request::{Request, Task};
use crate::terminal;

pub(crate) use check::answer_monitor;
pub(crate) use exit_status::VerbOutcome;

/// Carries out the request.
///
/// # Errors
/// When the request or the machine is at fault.
pub(crate) fn perform(request: Request) -> Result<VerbOutcome, Failure> {
    let Request { root, quiet, task } = request;
    match task {
        Task::Survey(task) => survey::survey(task, &root, quiet),
        Task::Run(task) => run::run(task, &root, quiet),
        Task::Machine(task) => machine::machine(&task, &root, quiet).map(|()| VerbOutcome::Done),
        Task::Reproduce(arguments) => reproduce::reproduce_studies(arguments, quiet),
        Task::Compare(arguments) => compare::compare_results(&arguments),
        Task::Calibrate(arguments) => calibrate::calibrate_machine(&arguments, &root, quiet),
        Task::Diagnose(arguments) => diagnose::diagnose_results(&arguments, quiet),
        Task::Changes(arguments) => changes::show_changes(&arguments),
        Task::Serve(arguments) => serve::serve(&arguments, quiet),
        Task::Archive(arguments) => archive::archive(&arguments, quiet),
        Task::Check(arguments) => check::check(&arguments, &root),
        Task::Fleet(arguments) => fleet::fleet(arguments, quiet),
        Task::Import(arguments) => import::import_files(&arguments, quiet),
        Task::Report(arguments) => report::report(&arguments, quiet),
        Task::Explore(arguments) => explore::explore(&arguments, quiet),
        Task::Show(arguments) => show::show_result(&arguments, quiet),
        Task::Sweep(arguments) => sweep::sweep(arguments, quiet),
        Task::Where(arguments) => whereabouts::show_whereabouts(&arguments, &root, quiet),
        Task::Place(arguments) => place::place_file(&arguments, &root, quiet),
        Task::Advise(arguments) => advise::advise(&arguments, &root, quiet),
        Task::Doctor(arguments) => doctor::examine(&arguments, &root),
        Task::Mlc(task) => mlc::mlc(task, &root, quiet),
        Task::Schema(of) => schema::schema(of).map(|()| VerbOutcome::Done),
        Task::Completions(shell) => completions::completions(shell).map(|()| VerbOutcome::Done),
        Task::Help(words) => help::help(&words).map(|()| VerbOutcome::Done),
        Task::Man(directory) => man::man(&directory).map(|()| VerbOutcome::Done),
        Task::Version => {
            terminal::print(concat!("zerohop ", env!("CARGO_PKG_VERSION"))).map(|()| VerbOutcome::Done)
        }
    }
}

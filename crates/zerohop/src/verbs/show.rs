//! `zerohop show`: a result again, beside what its values should be.

use zerohop_experiment::catalogue;
use zerohop_importers::KINDS;
use zerohop_report::{Form, ShownResult};

use super::ending::Ending;
use crate::arguments::ShowArguments;
use crate::executor::Threads;
use crate::expected::expectations;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::result_file::read_result;

pub(super) fn show_result(arguments: &ShowArguments, quiet: bool) -> Result<Ending, Failure> {
    let ShowArguments { result, machine, all, output, format } = arguments;
    let kind = Kind::of::<ShownResult<'_>>();
    let output = Output::new(&kind, Form::Page, *format, output.as_deref())?;
    let result = read_result(result)?;
    let expectations = expectations(&result, machine.name.as_deref(), Threads::of_host(), quiet)?;
    let experiments = catalogue().with_imported(KINDS);
    output.show(&ShownResult { result: &result, experiments, expectations: &expectations, whole: *all })?;
    Ok(Ending::Done)
}

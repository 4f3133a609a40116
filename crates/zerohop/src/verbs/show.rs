//! `zerohop show`: a result again, beside what its values should be.

use std::path::Path;

use zerohop_app::built_in::machine_names;
use zerohop_app::{JudgeOptions, Judgement, read_one, templates};
use zerohop_experiment::catalogue;
use zerohop_importers::KINDS;
use zerohop_report::{Form, ShownResult};
use zerohop_result::ResultFile;

use super::exit_status::VerbOutcome;
use crate::arguments::{ShowArguments, ShowingArguments};
use crate::campaign_attendant::judged;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::program_points::program_points;
use crate::terminal;
use crate::text_file::Disk;

pub(super) fn show_result(arguments: &ShowArguments, quiet: bool) -> Result<VerbOutcome, Failure> {
    let ShowArguments { result, how } = arguments;
    let output = output(how)?;
    output.spares(result)?;
    if let Some(failure) = machine_instead(result) {
        return Err(failure);
    }
    let name = result.display().to_string();
    show_read(&name, &read_one(result, &Disk)?, how, quiet)
}

fn output(how: &ShowingArguments) -> Result<Output, Failure> {
    let kind = Kind::of::<ShownResult<'_>>();
    Ok(Output::new(&kind, Form::Page, how.format, how.output.as_deref())?.with_columns(how.columns))
}

/// Shows a result that was read.
///
/// # Errors
/// When no machine has the stated name, or the page cannot be written.
pub(super) fn show_read(
    name: &str,
    result: &ResultFile,
    how: &ShowingArguments,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    let output = output(how)?;
    let beside = JudgeOptions { stated: how.machine.name.as_deref(), ..JudgeOptions::default() };
    let Judgement { expectations, diagnosis } = judged(name, result, beside, quiet)?;
    let experiments = catalogue().with_imported(KINDS);
    output.show(&ShownResult {
        result,
        experiments,
        expectations: &expectations,
        whole: how.all,
        diagnosis: &diagnosis,
        points: &program_points(&how.points)?,
    })?;
    let mut cells = result.experiments.iter().flat_map(|one| one.cells.iter());
    if cells.any(|cell| cell.estimate.is_sound() && cell.estimate.median > 0.0) {
        return Ok(VerbOutcome::Done);
    }
    terminal::say(&terminal::warning_line("the result has no usable values: only its machine can be shown"));
    Ok(VerbOutcome::CannotTell)
}

/// The failure for the name of a machine in the place of a result.
fn machine_instead(path: &Path) -> Option<Failure> {
    let name = path.to_str().filter(|_| !path.exists())?;
    let is_machine = machine_names().any(|known| known == name) || templates::is_generated(name);
    is_machine.then(|| {
        Failure::new(format_args!("`{name}` is a machine, not a result"))
            .hint(format!("did you mean `zerohop machine show {name}`?"))
    })
}

//! `zerohop show`: a result again, beside what its values should be.

use std::path::Path;

use zerohop_app::built_in::machine_names;
use zerohop_app::{read_result, templates};
use zerohop_experiment::catalogue;
use zerohop_importers::KINDS;
use zerohop_report::{Form, ShownResult};

use super::ending::Ending;
use crate::arguments::ShowArguments;
use crate::attended::judged;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::terminal;
use crate::text_file::Disk;

pub(super) fn show_result(arguments: &ShowArguments, quiet: bool) -> Result<Ending, Failure> {
    let ShowArguments { result, machine, all, output, format, columns } = arguments;
    let kind = Kind::of::<ShownResult<'_>>();
    let output = Output::new(&kind, Form::Page, *format, output.as_deref())?.with_columns(*columns);
    output.spares(result)?;
    if let Some(failure) = machine_instead(result) {
        return Err(failure);
    }
    let name = result.display().to_string();
    let result = read_result(result, &Disk)?;
    let (expectations, diagnosis) = judged(&name, &result, machine.name.as_deref(), quiet)?;
    let experiments = catalogue().with_imported(KINDS);
    output.show(&ShownResult {
        result: &result,
        experiments,
        expectations: &expectations,
        whole: *all,
        diagnosis: &diagnosis,
    })?;
    let mut cells = result.experiments.iter().flat_map(|one| one.cells.iter());
    if cells.any(|cell| cell.estimate.is_sound() && cell.estimate.median > 0.0) {
        return Ok(Ending::Done);
    }
    terminal::say(&terminal::warning_line("the result has no usable values: only its machine can be shown"));
    Ok(Ending::CannotTell)
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

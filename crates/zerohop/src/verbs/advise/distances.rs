//! `zerohop advise distances`: distances between nodes as they were measured.

use zerohop_app::read_one;
use zerohop_diagnosis::{DistanceDoubt, MeasuredDistances};
use zerohop_report::Form;

use crate::arguments::DistancesArguments;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::text_file::Disk;
use crate::verbs::exit_status::VerbOutcome;

pub(super) fn advise_distances(arguments: &DistancesArguments) -> Result<VerbOutcome, Failure> {
    let DistancesArguments { result, output, format } = arguments;
    let kind = Kind::of::<MeasuredDistances>();
    let output = Output::new(&kind, Form::Page, *format, output.as_deref())?;
    output.spares(result)?;
    output.prepare()?;
    let distances = MeasuredDistances::of(&read_one(result, &Disk)?).map_err(|error| {
        Failure::new(format_args!("cannot compute distances from `{}`: {error}", result.display()))
            .maybe_hint(error.hint())
    })?;
    let ruled_out = distances.doubts().into_iter().find(DistanceDoubt::rules_out_a_table);
    if let Some(doubt) = ruled_out.filter(|_| output.uses(Form::Slit)) {
        return Err(Failure::new(format_args!(
            "cannot write a firmware table from `{}`: {doubt}",
            result.display()
        ))
        .hint("`--format hwloc` writes distances by node number, for programs that use hwloc"));
    }
    output.show(&distances)?;
    Ok(VerbOutcome::Done)
}

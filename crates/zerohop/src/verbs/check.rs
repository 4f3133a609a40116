//! `zerohop check`: one node against what is usual on its kind of machine.

mod measured;

use std::path::Path;

use zerohop_app::{Files, read_result};
use zerohop_insight::fleet::{BASELINE_VERSION, Baseline, CheckedValue, Observation};
use zerohop_report::{CheckForm, check_text};

use super::ending::Ending;
use crate::arguments::CheckArguments;
use crate::failure::Failure;
use crate::root::Root;
use crate::terminal;
use crate::text_file::Disk;

use measured::measured;

pub(super) fn check(arguments: &CheckArguments, root: &Root) -> Result<Ending, Failure> {
    let baseline = read_baseline(&arguments.baseline)?;
    let result = match &arguments.result {
        Some(path) => read_result(path, &Disk)?,
        None => match measured(arguments, root)? {
            Some(result) => result,
            None => return Ok(Ending::Interrupted),
        },
    };
    let node = Observation::of(result.machine.name.clone(), &result);
    let form = arguments.format.form();
    let checked = baseline.check(&node);
    let text = check_text(form, &node.name, &checked);
    if !text.is_empty() {
        terminal::print(&text)?;
    }
    Ok(match checked {
        Err(_) => Ending::CannotTell,
        Ok(values) if !values.iter().any(CheckedValue::is_bad) => Ending::Done,
        Ok(_) if form == CheckForm::Nagios => Ending::Critical,
        Ok(_) => Ending::BelowGate,
    })
}

fn read_baseline(path: &Path) -> Result<Baseline, Failure> {
    let hint = "name a file that `zerohop fleet baseline DIR -o FILE` wrote";
    let text = Disk.read_text(path, hint)?;
    let shown = path.display();
    let baseline: Baseline = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format_args!("`{shown}` is no baseline: {error}")).hint(hint))?;
    if baseline.schema_version != BASELINE_VERSION {
        let found = baseline.schema_version;
        return Err(Failure::new(format_args!(
            "`{shown}` has `schema_version` {found}, and this version of zerohop reads {BASELINE_VERSION}"
        ))
        .hint("write it again with `zerohop fleet baseline`"));
    }
    Ok(baseline)
}

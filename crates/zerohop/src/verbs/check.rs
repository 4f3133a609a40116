//! `zerohop check`: one node against what is usual on its kind of machine.

use std::path::Path;

use zerohop_app::{Files, read_result};
use zerohop_fleet::{Answer, Shell};
use zerohop_insight::fleet::{BASELINE_VERSION, Baseline, CheckedValue, Observation};
use zerohop_report::{CheckForm, check_text};
use zerohop_result::ResultFile;

use super::ending::Ending;
use crate::arguments::CheckArguments;
use crate::failure::Failure;
use crate::programs::Programs;
use crate::terminal;
use crate::text_file::Disk;

pub(super) fn check(arguments: &CheckArguments) -> Result<Ending, Failure> {
    let baseline = read_baseline(&arguments.baseline)?;
    let result = match &arguments.result {
        Some(path) => read_result(path, &Disk)?,
        None => measured(arguments)?,
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

/// A survey of this host, as short as the budget: in a process of its own, as a scheduler would start it.
fn measured(arguments: &CheckArguments) -> Result<ResultFile, Failure> {
    let cannot = |error: &dyn std::fmt::Display| Failure::new(format_args!("cannot measure: {error}"));
    let hint = "`zerohop doctor` says what this host allows";
    let program = std::env::current_exe().map_err(|error| cannot(&error).hint(hint))?;
    let budget = format!("{}ms", arguments.budget.as_millis());
    let words = ["survey", "--quiet", "--format", "json", "--budget", &budget];
    let words: Vec<String> =
        std::iter::once(program.display().to_string()).chain(words.map(str::to_owned)).collect();
    let Answer { status, output, errors } =
        Programs::default().run(&words).map_err(|error| cannot(&error).hint(hint))?;
    if status != 0 {
        let said = errors.lines().find(|line| line.starts_with("error:")).unwrap_or("the survey failed");
        return Err(cannot(&said).hint(hint));
    }
    ResultFile::read(&output).map_err(|error| cannot(&error).hint(error.hint()))
}

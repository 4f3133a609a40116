//! `zerohop check`: one node against what is usual on its kind of machine.

use std::ffi::OsStr;
use std::path::Path;

use clap::ValueEnum;
use zerohop_app::{Files, host_identity, node_name, read_result};
use zerohop_fleet::{Answer, Shell};
use zerohop_host::HostTree;
use zerohop_insight::fleet::{Baseline, BaselineError, Checked, Unchecked};
use zerohop_report::{CheckForm, check_text};
use zerohop_result::ResultFile;

use super::ending::Ending;
use crate::arguments::{CheckArguments, CheckFormArgument};
use crate::failure::Failure;
use crate::programs::Programs;
use crate::root::Root;
use crate::terminal;
use crate::text_file::Disk;

pub(super) fn check(arguments: &CheckArguments) -> Result<Ending, Failure> {
    let form = arguments.format.form();
    let (node, checked) = match checked(arguments) {
        Ok(checked) => checked,
        Err(failure) if form == CheckForm::Text => return Err(failure),
        Err(failure) => return unknown(form, &failure),
    };
    let text = check_text(form, &node, &checked);
    if !text.is_empty() {
        terminal::print(&text)?;
    }
    Ok(match checked {
        Err(_) => Ending::CannotTell,
        Ok(checked) if !checked.is_bad() => Ending::Done,
        Ok(_) if form == CheckForm::Nagios => Ending::Critical,
        Ok(_) => Ending::BelowGate,
    })
}

/// The name of the node, and what was found.
fn checked(arguments: &CheckArguments) -> Result<(String, Result<Checked, Unchecked>), Failure> {
    let baseline = read_baseline(&arguments.baseline)?;
    if let Some(path) = &arguments.result {
        let result = read_result(path, &Disk)?;
        return Ok((node_name(path, &result, false), baseline.check(&result)));
    }
    // What a machine has lost, and that it is of no kind, shows without a measurement.
    match baseline.check_parts(&Root::Host.machine()?).transpose() {
        Some(found) => Ok((host_name(), found)),
        None => {
            let result = measured(arguments)?;
            Ok((node_name(Path::new(""), &result, false), baseline.check(&result)))
        }
    }
}

/// What failed, in a form that a scheduler or a monitor reads: it cannot tell, and the node is neither bad nor good.
fn unknown(form: CheckForm, failure: &Failure) -> Result<Ending, Failure> {
    let hint = failure.advice().map(|advice| format!("; hint: {advice}")).unwrap_or_default();
    // The usage that follows on the next lines is for people.
    let what = failure.message().lines().next().unwrap_or_default();
    let why = format!("{what}{hint}");
    terminal::print(&check_text(form, &host_name(), &Err(Unchecked::Failed { why })))?;
    if !form.has_words() {
        terminal::say_failure(failure);
    }
    Ok(Ending::CannotTell)
}

/// Answers the monitor that a command line of `check` names with its form, if it does: a slip in its settings is no bad node. `None` for all
/// other command lines.
pub(crate) fn answer_monitor<S: AsRef<OsStr>>(words: &[S], failure: &Failure) -> Option<Ending> {
    let words: Vec<&str> = words.iter().filter_map(|word| word.as_ref().to_str()).collect();
    words.get(1..)?.iter().find(|word| !word.starts_with('-')).filter(|verb| **verb == "check")?;
    let after = words.iter().position(|word| *word == "--format").and_then(|at| words.get(at + 1));
    let joined = words.iter().find_map(|word| word.strip_prefix("--format="));
    let form = CheckFormArgument::from_str(after.copied().or(joined)?, false).ok()?.form();
    if form == CheckForm::Text { None } else { unknown(form, failure).ok() }
}

fn host_name() -> String {
    let variable = |name: &str| std::env::var(name).ok();
    let host = host_identity(&HostTree::live(), variable);
    host.scheduler_node.or(host.name).unwrap_or_else(|| "this host".to_owned())
}

fn read_baseline(path: &Path) -> Result<Baseline, Failure> {
    let hint = "name a file that `zerohop fleet baseline DIR -o FILE` wrote";
    let text = Disk.read_text(path, hint)?;
    Baseline::read(&text).map_err(|error| {
        let hint = match error {
            BaselineError::Malformed(_) => hint,
            BaselineError::OtherVersion(_) | BaselineError::Impossible(_) => {
                "write it again with `zerohop fleet baseline`"
            }
            BaselineError::Changed => {
                "write it again with `zerohop fleet baseline`; `--bound 10%` sets a bound of your own"
            }
        };
        Failure::new(format_args!("`{}` {error}", path.display())).hint(hint)
    })
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

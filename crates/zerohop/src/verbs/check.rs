//! `zerohop check`: one node against what is usual on its kind of machine.

mod check_survey;

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Mutex;

use clap::{Arg, CommandFactory, ValueEnum};
use zerohop_app::{Files, host_identity, node_name, read_one};
use zerohop_fleet::{Baseline, BaselineError, Checked, Unchecked};
use zerohop_host::HostTree;
use zerohop_report::{CheckForm, check_text};

use super::exit_status::VerbOutcome;
use crate::arguments::{Arguments, CheckArguments, CheckFormArgument};
use crate::failure::Failure;
use crate::machine_source::MachineSource;
use crate::signals;
use crate::terminal;
use crate::text_file::Disk;

use check_survey::measured;

pub(super) fn check(arguments: &CheckArguments, root: &MachineSource) -> Result<VerbOutcome, Failure> {
    let form = arguments.format.form();
    if form != CheckForm::Text {
        // A monitor that waits no longer still reads one line.
        signals::answer_first(move || {
            claim_answer();
            let stopped = Failure::new("stopped by a signal before it finished")
                .hint("a check takes its --budget and a few seconds; the monitor may need a longer timeout");
            // Who sent the signal may be gone.
            let _ = unknown(form, &stopped);
            UNDECIDED
        })?;
    }
    let (node, checked) = match checked(arguments, root) {
        Ok(Some(checked)) => checked,
        Ok(None) => return Ok(VerbOutcome::Interrupted),
        Err(failure) if form == CheckForm::Text => return Err(failure),
        Err(failure) => {
            claim_answer();
            return unknown(form, &failure);
        }
    };
    claim_answer();
    let text = check_text(form, &node, &checked);
    if !text.is_empty() {
        terminal::print(&text)?;
    }
    Ok(match checked {
        Err(_) => VerbOutcome::CannotTell,
        Ok(checked) if !checked.is_bad() => VerbOutcome::Done,
        Ok(_) if form == CheckForm::Nagios => VerbOutcome::Critical,
        Ok(_) => VerbOutcome::BelowGate,
    })
}

/// The exit status of a check that cannot tell.
const UNDECIDED: u8 = 3;

/// Makes the caller the one that answers: whoever else comes to its answer meanwhile waits until the process ends.
fn claim_answer() {
    static ANSWER: Mutex<()> = Mutex::new(());
    std::mem::forget(ANSWER.lock());
}

/// The name of a node, and what was found.
type CheckedNode = (String, Result<Checked, Unchecked>);

/// The node and what was found; `None` if a signal stopped the measurement.
fn checked(arguments: &CheckArguments, root: &MachineSource) -> Result<Option<CheckedNode>, Failure> {
    let baseline = read_baseline(&arguments.baseline)?;
    if let Some(path) = &arguments.result {
        let result = read_one(path, &Disk)?;
        return Ok(Some((node_name(path, &result, false), baseline.check(&result))));
    }
    // What a machine has lost, and that it is of no kind, shows without a measurement.
    if let Some(found) = baseline.check_parts(&root.machine()?).transpose() {
        return Ok(Some((host_name(), found)));
    }
    let measured = measured(arguments, root)?;
    Ok(measured.map(|result| (node_name(Path::new(""), &result, false), baseline.check(&result))))
}

/// What failed, in a form that a scheduler or a monitor reads: it cannot tell, and the node is neither bad nor good.
fn unknown(form: CheckForm, failure: &Failure) -> Result<VerbOutcome, Failure> {
    let hint = failure.advice().map(|advice| format!("; hint: {advice}")).unwrap_or_default();
    // The usage that follows on the next lines is for people.
    let what = failure.message().lines().next().unwrap_or_default();
    let why = format!("{what}{hint}");
    terminal::print(&check_text(form, &host_name(), &Err(Unchecked::Failed { why })))?;
    if !form.has_words() {
        terminal::say_failure(failure);
    }
    Ok(VerbOutcome::CannotTell)
}

/// Answers the monitor that a command line of `check` names with its form, if it does: a slip in its settings is no bad node. `None` for all
/// other command lines.
pub(crate) fn answer_monitor<S: AsRef<OsStr>>(words: &[S], failure: &Failure) -> Option<VerbOutcome> {
    let words: Vec<&str> = words.iter().skip(1).filter_map(|word| word.as_ref().to_str()).collect();
    let after = words_of_check(&words)?;
    let next = after.iter().position(|word| *word == "--format").and_then(|at| after.get(at + 1));
    let joined = after.iter().find_map(|word| word.strip_prefix("--format="));
    let form = CheckFormArgument::from_str(next.copied().or(joined)?, false).ok()?.form();
    if form == CheckForm::Text { None } else { unknown(form, failure).ok() }
}

/// What follows the verb `check`, if that is the verb: values of options before it are none.
fn words_of_check<'a>(words: &'a [&'a str]) -> Option<&'a [&'a str]> {
    let program = Arguments::command();
    let has_value = |word: &str| {
        let named =
            |argument: &&Arg| argument.get_long().is_some_and(|name| word.strip_prefix("--") == Some(name));
        program.get_arguments().find(named).is_some_and(|argument| argument.get_action().takes_values())
    };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match word {
            word if has_value(word) => at += 2,
            word if word.starts_with('-') => at += 1,
            word => return words.get(at + 1..).filter(|_| *word == "check"),
        }
    }
    None
}

fn host_name() -> String {
    let variable = |name: &str| std::env::var(name).ok();
    let host = host_identity(&HostTree::live(), variable);
    host.scheduler_node.or(host.name).unwrap_or_else(|| "this host".to_owned())
}

fn read_baseline(path: &Path) -> Result<Baseline, Failure> {
    let hint = "give a file written by `zerohop fleet baseline DIR -o FILE`";
    let text = Disk.read_text(path, hint)?;
    Baseline::read(&text).map_err(|error| {
        let hint = match error {
            BaselineError::Malformed(_) => hint,
            BaselineError::OtherVersion(_) | BaselineError::Impossible(_) => {
                "write a new one with `zerohop fleet baseline`"
            }
            BaselineError::Changed => {
                "write a new one with `zerohop fleet baseline`; `--bound 10%` sets your own bound"
            }
        };
        Failure::new(format_args!("`{}` {error}", path.display())).hint(hint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `--color never check` was no check: a monitor got no line.
    #[test]
    fn the_verb_is_found_behind_options_and_their_values() {
        for (line, after) in [
            ("check --format nagios", Some("--format nagios")),
            ("--color never check --format nagios", Some("--format nagios")),
            ("--color=never -q check a", Some("a")),
            ("--sysfs-root check check b", Some("b")),
            ("--nonsense check", Some("")),
            ("--color check survey", None),
            ("survey check", None),
            ("--quiet", None),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(words_of_check(&words).map(|words| words.join(" ")).as_deref(), after, "{line}");
        }
    }
}

//! Help on one experiment: what it measures, the options that only some experiments have, and examples.

use clap::Command;
use zerohop_experiment::catalogue;
use zerohop_result::{Descriptor, Survey};

use crate::arguments::{help_width, in_columns};

/// The verb that runs experiments.
const RUN: &str = "run";

/// What there is to say about an experiment that `verb` runs; `None` for any other word.
pub(super) fn experiment_help(verb: &Command, word: &str) -> Option<String> {
    let descriptor = catalogue().all().find(|known| known.name == word).filter(|_| verb.get_name() == RUN)?;
    let Descriptor { name, summary, about, survey, .. } = descriptor;
    let width = help_width();
    let mut parts = vec![
        format!("{name}: {summary}"),
        in_columns(about, width),
        format!("Usage: zerohop run {name} [OPTIONS]"),
    ];
    let options = options(verb, descriptor);
    if !options.is_empty() {
        parts.push(in_columns(&format!("Options that not every experiment has:\n{options}"), width));
    }
    let more = "`zerohop run --help` lists the options that all experiments have.";
    parts.push(in_columns(&format!("{} {more}", runs_in(*survey)), width));
    parts.push(in_columns(&format!("Examples:\n{}", examples(verb, name, *survey)), width));
    Some(parts.join("\n\n"))
}

/// The options that this experiment has and others have not, with their help.
fn options(verb: &Command, descriptor: &Descriptor) -> String {
    let lines = descriptor.accepts.iter().filter_map(|choice| {
        let long = choice.option();
        let arg = verb.get_arguments().find(|arg| arg.get_long() == long.strip_prefix("--"))?;
        let value = arg.get_value_names().and_then(<[_]>::first).filter(|_| arg.get_action().takes_values());
        let shown = value.map_or_else(|| long.to_owned(), |value| format!("{long} <{value}>"));
        Some(format!("  {shown:<22}  {}", arg.get_help()?))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Which surveys run it.
const fn runs_in(survey: Survey) -> &'static str {
    match survey {
        Survey::Every => "`zerohop survey` runs it, too.",
        Survey::SeveralNodes => "`zerohop survey` runs it on machines with several nodes, too.",
        Survey::Full => "`zerohop survey --full` runs it, too.",
        Survey::FullOfHost => "`zerohop survey --full` runs it, too, but not on a simulated machine.",
        Survey::None => "No survey runs it.",
    }
}

/// Commands that run it: those that suit every experiment, and those of the verb's help.
fn examples(verb: &Command, name: &str, survey: Survey) -> String {
    let all = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
    let plain = format!("  zerohop run {name}");
    let mut lines = vec![format!("{:<48}  on this machine, saved to a file", format!("{plain} -o a.json"))];
    if survey != Survey::FullOfHost {
        lines.push(format!("{:<48}  on a simulated machine", format!("{plain} --on quartet")));
    }
    let mut is_its = false;
    for line in all.lines() {
        // What continues an example is indented further.
        let is_more = is_its && line.starts_with("        ");
        is_its = is_more || line.strip_prefix(&plain).is_some_and(|rest| rest.starts_with(" -"));
        if is_its {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n")
}

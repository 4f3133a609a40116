//! Parses an experiment as typed after `zerohop run`, so that files and options share one syntax.

use clap::Parser;
use zerohop_app::{CommandError, nearest};
use zerohop_experiment::campaign::Run;
use zerohop_experiment::catalogue;

use crate::arguments::ExperimentArguments;
use crate::choices;
use crate::failure::Failure;
use crate::subject;

/// The arguments of `zerohop run`, except for the engine and the output.
#[derive(Debug, Parser)]
#[command(name = "run", no_binary_name = true, disable_help_flag = true)]
struct Words {
    #[command(flatten)]
    what: ExperimentArguments,
}

/// The experiment that the words name, and its options on a model.
///
/// # Errors
/// When the words name no experiment.
pub(crate) fn parse(words: &str) -> Result<Run, CommandError> {
    checked(words).map_err(|failure| CommandError {
        message: failure.message().to_owned(),
        hint: failure.advice().map(str::to_owned),
    })
}

fn checked(words: &str) -> Result<Run, Failure> {
    let split = shlex::split(words)
        .ok_or_else(|| Failure::new(format_args!("`{words}`: unclosed quotation mark")))?;
    if split.is_empty() {
        return Err(Failure::new("an experiment is missing").hint("`zerohop run --help` lists all"));
    }
    if let Some(name) = split.first().filter(|name| !name.starts_with('-')) {
        check_name(name)?;
    }
    let Words { what } = Words::try_parse_from(split).map_err(|error| {
        let text = error.to_string();
        let reason = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Failure::new(format_args!("`{words}` is not an experiment: {reason}"))
            .hint("type it as after `zerohop run`; `zerohop run --help` lists all options")
    })?;
    subject::check_choices(&what.measuring)?;
    Ok(Run { experiment: what.experiment.clone(), options: choices::of_experiment(what) })
}

/// Checks that there is an experiment of that name.
///
/// # Errors
/// When there is none: the experiment that was probably meant.
fn check_name(name: &str) -> Result<(), Failure> {
    let known: Vec<&str> = catalogue().all().map(|known| known.name).collect();
    if known.contains(&name) {
        return Ok(());
    }
    let are = format!("there are {}", known.join(", "));
    let hint = nearest(name, &known).map_or(are, |meant| format!("did you mean `{meant}`?"));
    Err(Failure::new(format_args!("no experiment `{name}`")).hint(hint))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use zerohop_experiment::Background;

    use super::*;

    #[test]
    fn words_say_what_the_command_line_says() {
        let Run { experiment, options } =
            parse("crossfire --case '0.0.w.1 1.0.w.0' --background low --detail").unwrap();
        assert_eq!(experiment, "crossfire");
        assert_eq!(options.background, Some(Background::Low));
        assert_eq!(options.cases, Some("0.0.w.1 1.0.w.0".parse().unwrap()));
        assert!(options.detail);
    }

    #[test]
    fn a_page_reads_words_as_the_command_line_does() {
        let words = [
            "hops",
            "crossfire --case '0.0.w.1 1.0.w.0' --case local,crossfire --background 1.2GB/s --subscription full --detail",
            "crossfire --all --background low --seed 7",
            "ramp --initiators 0,1-2 --targets 3 --kernel triad --interval 20% --cpus 0-7",
            "loaded-latency --load machine-remote --kernel mix_2_1 --nodes 0,1 --full",
            "latency-matrix --pages 4k --chains 4 --buffer 1GiB --duration 5ms --quick",
            "global-bandwidth --interleave 0,1",
            "core-to-core --all-pairs",
        ];
        for words in words {
            assert_eq!(zerohop_explorer::experiment(words), parse(words), "{words}");
        }
    }

    /// Options that mean nothing to a model, or nothing to a page.
    const OF_HOSTS: [&str; 7] =
        ["isa", "prefetchers", "forms-from", "budget", "wait-quiet", "wait-for-host", "strict"];

    #[test]
    fn a_page_knows_every_option_of_an_experiment_on_a_model() {
        for argument in Words::command().get_arguments().filter_map(|argument| argument.get_long()) {
            let message =
                zerohop_explorer::experiment(&format!("hops --{argument}")).map_err(|error| error.message);
            let unknown = message.is_err_and(|message| message.contains("no option"));
            assert_eq!(unknown, OF_HOSTS.contains(&argument), "--{argument}");
        }
    }

    #[test]
    fn what_is_no_experiment_says_why() {
        let message = |words: &str| parse(words).unwrap_err().message;
        assert!(message("crossfire --case '0.0.w.1").contains("unclosed"));
        assert_eq!(message("crossfires --detail"), "no experiment `crossfires`");
        assert_eq!(parse("crossfires").unwrap_err().hint.as_deref(), Some("did you mean `crossfire`?"));
        assert_eq!(message(""), "an experiment is missing");
        assert!(message("hops --on quartet").contains("unexpected argument '--on'"));
        assert!(message("hops --budget 1s").contains("no time budget"));
    }
}

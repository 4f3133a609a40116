//! Parses an experiment as typed after `zerohop run`, so that files and options share one syntax.

use clap::Parser;
use zerohop_campaign::Run;

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
pub(crate) fn parse(words: &str) -> Result<Run, Failure> {
    let split = shlex::split(words)
        .ok_or_else(|| Failure::new(format_args!("`{words}`: unclosed quotation mark")))?;
    let Words { what } = Words::try_parse_from(split).map_err(|error| {
        let text = error.to_string();
        let reason = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Failure::new(format_args!("`{words}` is not an experiment: {reason}"))
            .hint("write it as you would type it after `zerohop run`; `zerohop run --help` lists all options")
    })?;
    subject::check_choices(&what.measuring)?;
    Ok(Run { experiment: what.experiment.clone(), options: choices::of_experiment(what) })
}

#[cfg(test)]
mod tests {
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
    fn what_is_no_experiment_says_why() {
        let message = |words: &str| parse(words).unwrap_err().message().to_owned();
        assert!(message("crossfire --case '0.0.w.1").contains("unclosed"));
        assert!(message("crossfires").contains("invalid value 'crossfires'"));
        assert!(message("").contains("is not an experiment"));
        assert!(message("hops --on quartet").contains("unexpected argument '--on'"));
        assert!(message("hops --budget 1s").contains("no time budget"));
    }
}

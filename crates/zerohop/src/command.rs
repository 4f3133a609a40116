//! Experiments said in words, as they are typed after `zerohop run`: there is one way to say an experiment.

use clap::Parser;
use zerohop_campaign::Run;

use crate::arguments::ExperimentArguments;
use crate::choices;
use crate::failure::Failure;
use crate::subject;

/// What can be typed after `zerohop run`, but for where it runs and what becomes of its result.
#[derive(Debug, Parser)]
#[command(name = "run", no_binary_name = true, disable_help_flag = true)]
struct Words {
    #[command(flatten)]
    what: ExperimentArguments,
}

/// Which experiment the words say, and how it is to be done on a model.
///
/// # Errors
/// When they say none.
pub(crate) fn parse(words: &str) -> Result<Run, Failure> {
    let split = shlex::split(words)
        .ok_or_else(|| Failure::new(format_args!("`{words}`: a quotation mark is not closed")))?;
    let Words { what } = Words::try_parse_from(split).map_err(|error| {
        let text = error.to_string();
        let reason = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Failure::new(format_args!("`{words}` is no experiment: {reason}"))
            .hint("write it as it is typed after `zerohop run`; `zerohop run --help` has all there is")
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
        assert!(message("crossfire --case '0.0.w.1").contains("not closed"));
        assert!(message("crossfires").contains("invalid value 'crossfires'"));
        assert!(message("").contains("is no experiment"));
        assert!(message("hops --on quartet").contains("unexpected argument '--on'"));
        assert!(message("hops --budget 1s").contains("no budget of time"));
    }
}

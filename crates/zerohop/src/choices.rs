//! Converts arguments to the options of experiments.

use zerohop_experiment::{Cases, Effort, Options};

use crate::arguments::{ExperimentArguments, MeasuringArguments};

/// The choices for a survey.
pub(crate) fn of_survey(arguments: MeasuringArguments) -> Options {
    let MeasuringArguments {
        quick: _,
        full,
        nodes,
        cpus,
        buffer,
        pages,
        isa,
        prefetchers: _,
        forms_from: _,
        duration,
        budget,
        interval,
        wait_quiet: _,
        wait_for_host: _,
        strict: _,
        seed,
    } = arguments;
    let effort = if full { Effort::Full } else { Effort::Quick };
    let usual = Options::new(effort);
    Options {
        nodes: nodes.map(|list| list.0),
        cpus,
        buffer,
        pages,
        instruction_set: isa,
        window: duration,
        budget,
        interval,
        seed: seed.unwrap_or(usual.seed),
        ..usual
    }
}

/// The choices for an experiment run by itself.
pub(crate) fn of_experiment(arguments: ExperimentArguments) -> Options {
    let ExperimentArguments {
        experiment: _,
        measuring,
        kernel,
        interleave,
        chains,
        cases,
        all,
        background,
        subscription,
        initiators,
        targets,
        load,
        all_pairs,
        detail,
    } = arguments;
    let cases = match cases {
        _ if all => Some(Cases::All),
        none if none.is_empty() => None,
        cases => Some(Cases::List(cases)),
    };
    Options {
        kernel,
        interleave: interleave.map(|list| list.0),
        chains,
        cases,
        background,
        subscription,
        initiators: initiators.map(|list| list.0),
        targets: targets.map(|list| list.0),
        load,
        all_pairs,
        detail,
        ..of_survey(measuring)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::{Arguments, Verb};

    /// The choices of `zerohop run crossfire …`.
    fn choices(arguments: &[&str]) -> Options {
        let words = ["zerohop", "run", "crossfire"].iter().chain(arguments);
        match Arguments::try_parse_from(words).unwrap().verb {
            Verb::Run(arguments) => of_experiment(arguments.what),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn cases_come_one_by_one_with_commas_or_all_at_once() {
        let list = |text: &str| Some(text.parse::<Cases>().unwrap());
        assert_eq!(choices(&[]).cases, None);
        assert_eq!(choices(&["--all"]).cases, Some(Cases::All));
        let expected = list("local, 0.0.w.1 1.0.w.0");
        assert_eq!(choices(&["--case", "local", "--case", "0.0.w.1 1.0.w.0"]).cases, expected);
        assert_eq!(choices(&["--case", "local,0.0.w.1 1.0.w.0"]).cases, expected);
    }

    #[test]
    fn what_is_not_chosen_is_left_to_the_experiment() {
        assert_eq!(choices(&[]), Options::new(Effort::Quick));
        assert_eq!(choices(&["--full", "--seed", "7"]), Options { seed: 7, ..Options::new(Effort::Full) });
    }
}

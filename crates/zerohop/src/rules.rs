//! The rules of the diagnosis that come with the program.

use std::sync::LazyLock;

use zerohop_diagnosis::Rule;

use crate::built_in::rule_texts;

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    // A test reads every file: those that come with the program are right.
    let rules =
        rule_texts().filter_map(|(name, text)| Rule::parse(name, &format!("rules/{name}.toml"), text).ok());
    rules.collect()
});

/// All rules, by name.
pub(crate) fn rules() -> &'static [Rule] {
    &RULES
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use clap::error::ErrorKind;

    use super::*;
    use crate::arguments::Arguments;

    #[test]
    fn every_rule_that_comes_with_the_program_is_right() {
        for (name, text) in rule_texts() {
            if let Err(error) = Rule::parse(name, &format!("rules/{name}.toml"), text) {
                panic!("{error}");
            }
        }
        assert_eq!(rules().len(), rule_texts().count());
    }

    /// The page told people to write `--wait-quiet 10m`, which was refused.
    #[test]
    fn every_command_that_a_rule_names_is_understood() {
        let mut tried = 0;
        for (name, text) in rule_texts() {
            let spans = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
            let spans = spans.filter_map(|span| match span.strip_prefix("zerohop ") {
                Some(_) => Some(span.to_owned()),
                None => span.starts_with("--wait-quiet").then(|| format!("zerohop survey {span}")),
            });
            for command in spans {
                // A letter stands for a number, a word in capitals for a name.
                let words = command
                    .split_whitespace()
                    .map(|word| if word == "N" || word == "PID" { "1" } else { word });
                let understood = Arguments::try_parse_from(words);
                let error =
                    understood.err().filter(|error| error.kind() != ErrorKind::MissingRequiredArgument);
                assert!(error.is_none(), "rules/{name}.toml: `{command}`: {}", error.unwrap());
                tried += 1;
            }
        }
        assert!(tried > 30, "{tried} commands");
    }

    #[test]
    fn a_rule_explains_only_rules_that_exist() {
        let exists = |name: &String| rules().iter().any(|rule| rule.name == *name);
        for rule in rules() {
            let explained = rule.explains.iter().chain(&rule.explains_anywhere).chain(&rule.doubts);
            assert!(explained.clone().all(exists), "{}: {:?}", rule.name, explained.collect::<Vec<_>>());
        }
    }
}

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
pub fn rules() -> &'static [Rule] {
    &RULES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_that_comes_with_the_program_is_right() {
        for (name, text) in rule_texts() {
            if let Err(error) = Rule::parse(name, &format!("rules/{name}.toml"), text) {
                panic!("{error}");
            }
        }
        assert_eq!(rules().len(), rule_texts().count());
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

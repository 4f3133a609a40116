//! Named sets of cases, and the choice of cases to run.

use std::fmt;
use std::str::FromStr;

use super::{Case, by_name, name_of};

/// Cases that AMD's application note 40555 compares (figures 6 to 15), adapted to a machine's nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scenario {
    /// Two writers on neighboring nodes, each to its own memory: `0.0.w.0 1.0.w.1`.
    Local,
    /// Each writes to a neighbor's memory, over different links: `0.0.w.1 1.0.w.3`.
    NoCrossfire,
    /// Each writes to the other's memory, over both directions of one link: `0.0.w.1 1.0.w.0`.
    Crossfire,
    /// Two readers, then two writers, on one node; the second thread's memory is on each node in turn:
    /// `0.0.r.0 0.1.r.0` … `0.0.w.0 0.1.w.3`.
    SameNode,
}

/// A case, or all cases of a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseChoice {
    Scenario(Scenario),
    /// One case, given by its threads.
    Case(Case),
}

/// Cases to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cases {
    /// These, in this order.
    List(Vec<CaseChoice>),
    /// Every pair of threads: on every core, with memory on every node, reading and writing.
    All,
}

impl Scenario {
    const NAMES: [(&'static str, Self); 4] = [
        ("local", Self::Local),
        ("no-crossfire", Self::NoCrossfire),
        ("crossfire", Self::Crossfire),
        ("same-node", Self::SameNode),
    ];

    /// All scenarios, in the order in which they are compared.
    pub const ALL: [Self; 4] = [Self::Local, Self::NoCrossfire, Self::Crossfire, Self::SameNode];

    /// Name of the scenario on the command line and in results.
    pub fn name(self) -> &'static str {
        name_of(&self, &Self::NAMES)
    }
}

impl Default for Cases {
    fn default() -> Self {
        Self::List(Scenario::ALL.map(CaseChoice::Scenario).to_vec())
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Scenario {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        by_name(text, "scenario", &Self::NAMES)
    }
}

impl fmt::Display for CaseChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(scenario) => scenario.fmt(f),
            Self::Case(case) => case.fmt(f),
        }
    }
}

impl FromStr for CaseChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // The notation of a thread has dots, a name has none.
        if text.contains('.') {
            return text.parse().map(Self::Case);
        }
        text.parse()
            .map(Self::Scenario)
            .map_err(|error| format!("{error}, or threads such as `0.0.w.1 1.0.w.0`"))
    }
}

impl fmt::Display for Cases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.pad("all"),
            Self::List(choices) => {
                let words: Vec<_> = choices.iter().map(ToString::to_string).collect();
                f.pad(&words.join(", "))
            }
        }
    }
}

impl FromStr for Cases {
    type Err = String;

    /// `all`, or names and cases with commas between them.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().eq_ignore_ascii_case("all") {
            return Ok(Self::All);
        }
        text.split(',').map(|choice| choice.trim().parse()).collect::<Result<_, _>>().map(Self::List)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_cases_may_be_mixed() {
        let cases: Cases = "crossfire, 0.0.r.1 1.0.r.0".parse().unwrap();
        let Cases::List(choices) = &cases else { panic!("{cases:?}") };
        assert_eq!(choices[0], CaseChoice::Scenario(Scenario::Crossfire));
        assert_eq!(choices[1], CaseChoice::Case("0.0.r.1 1.0.r.0".parse().unwrap()));
        assert_eq!(cases.to_string().parse(), Ok(cases));
        assert_eq!("ALL".parse(), Ok(Cases::All));
    }

    #[test]
    fn all_scenarios_are_the_default_and_read_back() {
        assert_eq!(Cases::default().to_string(), "local, no-crossfire, crossfire, same-node");
        for scenario in Scenario::ALL {
            assert_eq!(scenario.name().parse(), Ok(scenario));
        }
        let error = "xfire".parse::<CaseChoice>().unwrap_err();
        assert_eq!(
            error,
            "no scenario `xfire` (expected one of local, no-crossfire, crossfire, same-node), or threads such as \
             `0.0.w.1 1.0.w.0`"
        );
    }
}

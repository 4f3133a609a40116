//! What a ticket comes to: how it was read, which facts were found, what stands first, and how many claims are false.

use std::collections::BTreeMap;
use std::fmt;

use toml::{Table, Value};

use crate::answer::{Answer, Finding, Severity};
use crate::ticket::{Reading, Ticket};

/// What stands first. Later is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum First {
    /// A fault or a warning that is not among what may stand first, where something is wrong or undecided.
    Wrong,
    /// A fault or a warning, where nothing is wrong.
    FalseAlarm,
    /// Nothing, since a text was refused that should be read.
    Unread,
    /// Nothing, where something is wrong.
    Silent,
    /// A cause that may stand first.
    Allowed,
    /// The right cause; nothing, where nothing is wrong or the text does not decide.
    Right,
}

impl First {
    pub(crate) const ALL: [(Self, &str); 6] = [
        (Self::Right, "right"),
        (Self::Allowed, "allowed"),
        (Self::Silent, "silent"),
        (Self::Unread, "unread"),
        (Self::FalseAlarm, "false alarm"),
        (Self::Wrong, "wrong"),
    ];

    pub(crate) fn word(self) -> &'static str {
        Self::ALL.into_iter().find(|(first, _)| *first == self).unwrap().1
    }

    fn of(ticket: &Ticket, Answer { reading, findings, .. }: &Answer) -> Self {
        if *reading == Reading::Refused && ticket.reads > Reading::Refused {
            return Self::Unread;
        }
        let top = findings.first();
        let matches = |ids: &[String]| top.is_some_and(|top| ids.iter().any(|id| means(top, id)));
        let alarm = top.is_some_and(|top| top.severity > Severity::Note);
        if matches(&ticket.first) {
            Self::Right
        } else if matches(&ticket.allowed) {
            Self::Allowed
        } else if !alarm {
            if ticket.healthy || ticket.cannot_tell { Self::Right } else { Self::Silent }
        } else if ticket.healthy {
            Self::FalseAlarm
        } else {
            Self::Wrong
        }
    }
}

/// Whether a finding is what `rule` or `rule: words of the cause` names.
fn means(finding: &Finding, id: &str) -> bool {
    let (rule, words) = id.split_once(": ").unwrap_or((id, ""));
    finding.rule == rule && finding.cause.to_lowercase().contains(&words.to_lowercase())
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) reading: Reading,
    /// Facts that were found.
    pub(crate) facts: usize,
    pub(crate) first: First,
    /// Faults and warnings that say what is forbidden.
    pub(crate) forbidden: usize,
}

impl Outcome {
    pub(crate) fn of(ticket: &Ticket, answer: &Answer) -> Self {
        let alarms = answer.findings.iter().filter(|finding| finding.severity > Severity::Note);
        let forbidden = alarms.filter(|finding| {
            let claim = format!("{} {}", finding.title, finding.cause).to_lowercase();
            ticket.forbidden.iter().any(|word| claim.contains(&word.to_lowercase()))
        });
        Self {
            reading: answer.reading,
            facts: ticket.facts.iter().filter(|fact| holds(&answer.said, fact)).count(),
            first: First::of(ticket, answer),
            forbidden: forbidden.count(),
        }
    }

    /// A loss in one of them is one, whatever is gained elsewhere.
    pub(crate) fn is_worse_than(&self, before: &Self) -> bool {
        self.reading < before.reading
            || self.facts < before.facts
            || self.first < before.first
            || self.forbidden > before.forbidden
    }
}

/// Whether a value or a word was said: a value to the decimals of the fact, and a size in MB in bytes.
fn holds(said: &str, fact: &str) -> bool {
    if let Some(megabytes) = fact.strip_suffix(" MB") {
        return said.contains(&(megabytes.parse::<u64>().unwrap() << 20).to_string());
    }
    let Ok(value) = fact.parse::<f64>() else { return said.contains(fact) };
    let decimals = fact.split_once('.').map_or(0, |(_, after)| after.len());
    let half = 0.5 / 10_f64.powi(i32::try_from(decimals).unwrap()) + 1e-9;
    let numbers = said.split(|letter: char| !letter.is_ascii_digit() && letter != '.');
    numbers.filter_map(|number| number.parse::<f64>().ok()).any(|number| (number - value).abs() <= half)
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { facts, forbidden, .. } = self;
        let (reading, first) = (self.reading.word(), self.first.word());
        write!(formatter, "read {reading}, {facts} facts, first cause {first}, {forbidden} forbidden claims")
    }
}

pub(crate) fn write(outcomes: &BTreeMap<String, Outcome>) -> String {
    let mut text = String::from(
        "# What each ticket comes to. The test `tickets` writes this file, and lets nothing in it get worse.\n",
    );
    for (name, outcome) in outcomes {
        let Outcome { facts, forbidden, .. } = outcome;
        let (reading, first) = (outcome.reading.word(), outcome.first.word());
        text += &format!(
            "{name} = {{ read = \"{reading}\", facts = {facts}, first = \"{first}\", forbidden = {forbidden} }}\n"
        );
    }
    text
}

pub(crate) fn read(text: &str) -> BTreeMap<String, Outcome> {
    let table: Table = text.parse().unwrap();
    let count = |value: &Value| usize::try_from(value.as_integer().unwrap()).unwrap();
    let outcome = |value: &Value| Outcome {
        reading: Reading::from_word(value["read"].as_str().unwrap()),
        facts: count(&value["facts"]),
        first: First::ALL.into_iter().find(|(_, word)| value["first"].as_str() == Some(word)).unwrap().0,
        forbidden: count(&value["forbidden"]),
    };
    table.iter().map(|(name, value)| (name.clone(), outcome(value))).collect()
}

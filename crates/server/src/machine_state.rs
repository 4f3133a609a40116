//! State of a machine: what its latest result shows, and how old that is.

use zerohop_archive::query::FindingsByResult;
use zerohop_diagnosis::{Diagnosis, Severity};
use zerohop_fleet::BadNode;
use zerohop_result::ListedMachine;

use crate::age::{DAY, Now};
use crate::trends::Trend;

/// A machine without a result for so many days is stale.
const STALE_DAYS: i64 = 14;

/// State of a machine, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    Fault,
    Warning,
    Stale,
    NotJudged,
    Sound,
}

/// The states by their names in addresses, the worst first.
pub(crate) const STATES: &[&str] = &["fault", "warning", "stale", "not-judged", "sound"];

impl State {
    pub(crate) const ALL: [Self; 5] = [Self::Fault, Self::Warning, Self::Stale, Self::NotJudged, Self::Sound];

    /// Its name in addresses, which is also its class in styles.
    pub(crate) const fn name(self) -> &'static str {
        STATES[self as usize]
    }

    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Warning => "warning",
            Self::Stale => "stale",
            Self::NotJudged => "not judged",
            Self::Sound => "sound",
        }
    }
}

/// What shows the state of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Findings of its latest result.
    Findings,
    /// A step of its own values to the worse.
    Loss,
    /// Other machines of its kind, which are better.
    Fleet,
    Nothing,
}

/// State of a machine, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MachineState {
    pub(crate) state: State,
    pub(crate) shown: Shown,
    /// The worst finding, or why there is none; empty for a sound machine.
    pub(crate) words: String,
    /// Faults and warnings besides that.
    pub(crate) more: usize,
}

/// What tells of a machine besides its latest result.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Others<'a> {
    /// What became of it over time.
    pub(crate) trend: Option<&'a Trend>,
    /// What other machines of its kind show.
    pub(crate) bad: Option<&'a BadNode>,
}

impl MachineState {
    /// It is not known, and this is why.
    fn open(why: &str) -> Self {
        Self { state: State::NotJudged, shown: Shown::Nothing, words: why.to_owned(), more: 0 }
    }

    pub(crate) fn of(
        machine: &ListedMachine,
        judgements: &FindingsByResult,
        others: Others<'_>,
        now: Now,
    ) -> Self {
        let found = judged(machine, judgements);
        if found.state <= State::Warning {
            return found;
        }
        let warning = |shown, words| Self { state: State::Warning, shown, words, more: 0 };
        if let Some(event) = others.trend.and_then(|trend| trend.loss(now))
            && let Some(step) = &event.step
        {
            let since = event.at.map(|at| format!(" since {}", at.day_and_minute())).unwrap_or_default();
            return warning(Shown::Loss, format!("{}{since}", step.words));
        }
        if let Some(bad) = others.bad {
            let words = match bad.loss {
                loss if loss > 0.0 => format!("{:.1} % slower than others of its kind", loss * 100.0),
                _ => "lacks parts that others of its kind have".to_owned(),
            };
            return warning(Shown::Fleet, words);
        }
        match machine.last.map(|last| now.since(last) / DAY) {
            Some(days) if days >= STALE_DAYS => Self {
                state: State::Stale,
                shown: Shown::Nothing,
                words: format!("no result for {days} days"),
                more: 0,
            },
            _ => found,
        }
    }
}

fn judged(machine: &ListedMachine, judgements: &FindingsByResult) -> MachineState {
    let Some(latest) = &machine.latest else { return MachineState::open("no usable result") };
    match judgements.get(latest) {
        None => MachineState::open("being judged"),
        Some(Err(reason)) => MachineState::open(reason),
        Some(Ok(findings)) => diagnosed(&findings.diagnosis),
    }
}

fn diagnosed(diagnosis: &Diagnosis) -> MachineState {
    if let Some(worst) = diagnosis.alarms().max_by_key(|finding| finding.severity) {
        let state = if worst.severity == Severity::Fault { State::Fault } else { State::Warning };
        let more = diagnosis.alarms().count() - 1;
        return MachineState { state, shown: Shown::Findings, words: worst.title.clone(), more };
    }
    if diagnosis.cannot_tell() {
        let why = diagnosis.unfit.as_ref().or(diagnosis.unexplained.as_ref());
        return MachineState::open(why.map_or("no rule could be decided", String::as_str));
    }
    MachineState { state: State::Sound, shown: Shown::Nothing, words: String::new(), more: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_reports_no_more_is_stale_and_one_that_never_could_is_not_judged() {
        let now = Now::at("2026-11-22T10:15:00Z".parse::<jiff::Timestamp>().unwrap().as_second());
        let machine = |last: &str, latest: Option<&str>| ListedMachine {
            name: "node-01".to_owned(),
            results: 1,
            usable: 1,
            wrong_clocks: 0,
            first: None,
            last: Some(last.parse().unwrap()),
            latest: latest.map(str::to_owned),
        };
        let judgements =
            FindingsByResult::from([("b".to_owned(), Err("it took longer than 20 s".to_owned()))]);
        for (machine, state, words) in [
            (machine("2026-11-22T03:00:00Z", None), State::NotJudged, "no usable result"),
            (machine("2026-11-22T03:00:00Z", Some("a")), State::NotJudged, "being judged"),
            (machine("2026-11-22T03:00:00Z", Some("b")), State::NotJudged, "it took longer than 20 s"),
            (machine("2026-11-08T03:00:00Z", Some("a")), State::Stale, "no result for 14 days"),
        ] {
            let found = MachineState::of(&machine, &judgements, Others::default(), now);
            assert_eq!((found.state, found.words.as_str()), (state, words));
        }
        assert!(State::ALL.is_sorted() && State::ALL.map(State::name) == STATES);
    }
}

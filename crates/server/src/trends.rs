//! What became of each machine over time, in short: a chart of one value, and what changed last. It is read beside the diagnoses, since a
//! history takes longer than a list.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use zerohop_archive::Scope;
use zerohop_compare::{Change, ChangedTrait, MachineChanges, changes, trait_changes};
use zerohop_report::{SparkChart, history_spark, in_words, percent, place_words};
use zerohop_result::{History, ListedMachine, Timestamp};
use zerohop_workload::StopFlag;

use crate::age::{DAY, Now};
use crate::archives::Archives;

/// The smallest step that is told of, as a share; the command line has the same.
pub(crate) const LEAST: f64 = 0.02;

/// A step to the worse by this share makes a machine one to look at,
const LOSS: f64 = 0.05;

/// for so many days.
const NEWS: i64 = 30;

/// Facts that describe a run, and not its machine.
const OF_RUNS: [&str; 3] = ["seed", "version", "effort"];

/// Trends of all machines.
#[derive(Default)]
pub(crate) struct Trends(RwLock<HashMap<String, Arc<Trend>>>);

/// What became of a machine.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trend {
    /// The machine as it was listed then.
    of: ListedMachine,
    pub(crate) spark: Option<SparkChart>,
    /// What changed, the latest first.
    pub(crate) events: Vec<Event>,
}

/// Something that changed between two results.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    /// When the first result after it began.
    pub(crate) at: Option<Timestamp>,
    /// Ids of the results before it and after it.
    pub(crate) between: [String; 2],
    /// The largest step of a headline value.
    pub(crate) step: Option<Step>,
    /// Steps of other values.
    pub(crate) more: usize,
    /// What changed in the machine.
    pub(crate) traits: Vec<String>,
}

/// A step of a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub(crate) words: String,
    pub(crate) better: bool,
    /// Ratio of the later level to the earlier one.
    pub(crate) ratio: f64,
}

impl Trend {
    /// The latest step, if it is one to the worse by more than a few percent, and not too long ago to be news.
    pub(crate) fn loss(&self, now: Now) -> Option<&Event> {
        let stepped = self.events.iter().find(|event| event.step.is_some())?;
        let is_loss = |step: &Step| !step.better && libm::log(step.ratio).abs() >= libm::log1p(LOSS);
        let is_recent = stepped.at.is_some_and(|at| now.since(at) < NEWS * DAY);
        (is_recent && stepped.step.as_ref().is_some_and(is_loss)).then_some(stepped)
    }
}

impl Trends {
    pub(crate) fn of(&self, machine: &str) -> Option<Arc<Trend>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(machine).cloned()
    }

    /// Reads the histories of machines that have new results, and forgets machines that are gone.
    pub(crate) fn update(&self, archives: &Archives, machines: &[ListedMachine], stop: &StopFlag) {
        for machine in machines {
            if stop.is_raised() {
                return;
            }
            if self.of(&machine.name).is_some_and(|known| known.of == *machine) {
                continue;
            }
            // Another program may have renamed it meanwhile: then the archive has changed again.
            let Ok(history) = archives.with(|archive| Ok(archive.history(&machine.name, Scope::Headlines)?))
            else {
                continue;
            };
            let found = changes(&history, LEAST);
            let trend = Trend {
                of: machine.clone(),
                spark: history_spark(&history, &found),
                events: events(&history, &found),
            };
            self.change(|known| drop(known.insert(machine.name.clone(), Arc::new(trend))));
        }
        self.change(|known| known.retain(|name, _| machines.iter().any(|machine| machine.name == *name)));
    }

    fn change(&self, work: impl FnOnce(&mut HashMap<String, Arc<Trend>>)) {
        work(&mut self.0.write().unwrap_or_else(PoisonError::into_inner));
    }
}

/// What changed, the latest first: steps, and changes of the machine at which nothing stepped.
pub(crate) fn events(history: &History, found: &MachineChanges) -> Vec<Event> {
    let mut events: Vec<Event> = found.changes.iter().map(step).collect();
    let traits = trait_changes(&history.runs);
    for of_run in traits.chunk_by(|one, other| one.run == other.run) {
        let run = of_run[0].run;
        let of_machine = of_run.iter().filter(|one| !OF_RUNS.contains(&one.what.as_str()));
        let words: Vec<String> = of_machine
            .map(|one| {
                let (what, from, to) = (one.what.clone(), one.from.clone(), one.to.clone());
                in_words(&ChangedTrait { what, from, to })
            })
            .collect();
        let is_told = |event: &Event| words.iter().all(|word| event.traits.contains(word));
        let before = history.runs[..run].iter().rev().find(|run| run.listed.unusable.is_none());
        let (Some(before), false) = (before, words.is_empty() || events.iter().any(is_told)) else {
            continue;
        };
        let after = &history.runs[run].listed;
        events.push(Event {
            at: after.began_at,
            between: [before.listed.id.clone(), after.id.clone()],
            step: None,
            more: 0,
            traits: words,
        });
    }
    events.sort_by_key(|event| std::cmp::Reverse(event.at));
    events
}

fn step(change: &Change) -> Event {
    let first = change.values.first();
    let words = first.map(|value| {
        let of = &value.value;
        let of_place = format!("{} {}", of.experiment, place_words(&of.place));
        let words = format!("{} {}, {}", percent(value.ratio), of.measure, of_place.trim_end());
        Step { words, better: value.better, ratio: value.ratio }
    });
    Event {
        at: change.after.began_at,
        between: [change.before.id.clone(), change.after.id.clone()],
        step: words,
        more: change.values.len().saturating_sub(1),
        traits: change
            .traits
            .iter()
            .filter(|one| !OF_RUNS.contains(&one.what.as_str()))
            .map(in_words)
            .collect(),
    }
}

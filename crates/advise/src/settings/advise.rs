//! From what probes give before and after each change to advice.

use std::collections::BTreeMap;

use zerohop_machine::{Machine, Setting, Settings};

use super::advice::{DocumentedAdvice, ProbeReading, SettingsAdvice};
use super::candidate::Candidate;
use super::change::{Change, Recommendation, Standing};
use super::effect::Effect;
use super::kind::Kind;
use super::probe::{Probe, Reading};
use super::remedy::{Facts, remedies};
use super::settings_files::{LINUX, on_file};

/// What the model of a machine gives, as it is and with each change.
#[derive(Debug)]
pub struct Modelled<'a> {
    /// The machine as it is.
    pub machine: &'a Machine,
    /// The present value of settings, by id, where the model shows it.
    pub present: BTreeMap<String, String>,
    /// What probes give on it.
    pub now: Vec<(Probe, Option<Reading>)>,
    /// What they give with each change, and what the model had to leave out.
    pub changed: Vec<Tried>,
}

/// A change that was tried.
#[derive(Debug)]
pub struct Tried {
    pub candidate: Candidate,
    /// What probes give with it; none if the machine refuses it.
    pub readings: Vec<(Probe, Option<Reading>)>,
    /// What the model had to leave out.
    pub notes: Vec<String>,
}

/// The advice of a model and of documents. Fills in what `advice` lacks.
pub fn advise(advice: &mut SettingsAdvice, modelled: &Modelled<'_>, facts: &Facts) {
    advice.now = modelled
        .now
        .iter()
        .map(|(probe, reading)| ProbeReading {
            probe: probe.name.to_owned(),
            words: probe.words.to_owned(),
            command: probe.command.clone(),
            measure: probe.measure(),
            reading: *reading,
        })
        .collect();
    for (probe, reading) in &modelled.now {
        if let Some(reading) = reading.filter(|reading| reading.margin() > WIDEST) {
            let percent = 100.0 * reading.margin();
            advice
                .notes
                .push(format!("{}: ±{percent:.0} % in the model: too uncertain to count", probe.name));
        }
    }
    let changed = modelled.changed.iter();
    let mut changes: Vec<Change> =
        changed.filter_map(|tried| change(advice, modelled, tried, facts)).collect();
    changes.sort_by(|one, other| one.standing.cmp(&other.standing).then(worth(other).total_cmp(&worth(one))));
    prefer_recommended(&mut changes);
    advice.changes = changes;
    documented(advice, modelled, facts);
}

/// The documents' advice on settings that `advice` has no change of.
fn documented(advice: &mut SettingsAdvice, modelled: &Modelled<'_>, facts: &Facts) {
    let is_change = |kind: &Kind| advice.changes.iter().any(|change| change.kind == kind.id);
    let kinds = on_file().kinds.iter().filter(|kind| kind.suits(modelled.machine) && !is_change(kind));
    let processor = &modelled.machine.processor.model;
    let mut found = Vec::new();
    for kind in kinds {
        let Some(recommended) = kind.advice_for(advice.goal, advice.workload, processor).next() else {
            continue;
        };
        // The machine is so already, by its model.
        if modelled.present.get(&kind.id) == Some(&recommended.value) {
            continue;
        }
        let mut remedies = remedies(&kind.id, Some(&recommended.value), advice.vendor.as_deref(), facts);
        remedies.retain(|remedy| remedy.vendor != LINUX && remedy.is_a_setting());
        let defaults = || remedies.iter().filter_map(|remedy| remedy.default.as_ref());
        // It is so unless somebody changed it, which only a dump can show.
        let is_usual = defaults().next().is_some() && defaults().all(|value| *value == recommended.value);
        if remedies.is_empty() || is_usual {
            continue;
        }
        found.push(DocumentedAdvice {
            kind: kind.id.clone(),
            title: kind.title.clone(),
            value: recommended.value.clone(),
            meaning: kind.meaning_of(&recommended.value).unwrap_or_default().to_owned(),
            why: recommended.why.clone(),
            source: recommended.source.clone(),
            caution: kind.caution.clone(),
            remedies,
        });
    }
    advice.documented = found;
}

fn change(advice: &SettingsAdvice, modelled: &Modelled<'_>, tried: &Tried, facts: &Facts) -> Option<Change> {
    let Tried { candidate, readings, notes } = tried;
    let kind = on_file().kind(&candidate.kind)?;
    let pairs = pairs(&modelled.now, readings);
    let probes = pairs.iter().filter_map(|pair| {
        let effect = Effect::of(&[(pair.0.measure(), pair.1, pair.2)])?;
        Some((pair.0.name.to_owned(), effect))
    });
    let effect = effect(modelled, readings);
    let recommending = |value: Option<&String>| -> Vec<Recommendation> {
        let all = kind.advice_for(advice.goal, advice.workload, &modelled.machine.processor.model);
        all.filter(|one| Some(&one.value) == value)
            .map(|one| Recommendation { why: one.why.clone(), source: one.source.clone() })
            .collect()
    };
    // Where the model does not show the present value, it is the default that everybody has.
    let defaults = remedies(&kind.id, None, advice.vendor.as_deref(), facts);
    let usual = defaults.iter().find_map(|remedy| remedy.default.as_ref());
    let present = candidate.from.as_ref().or(usual);
    let standing = match (&candidate.machine, &effect) {
        (Err(_), _) => Standing::Refused,
        (Ok(_), None) => Standing::Unknown,
        (Ok(_), Some(effect)) if effect.is_gain() => Standing::Gain,
        (Ok(_), Some(effect)) if effect.is_loss() => Standing::Loss,
        (Ok(_), Some(_)) => Standing::Same,
    };
    let reason = candidate.machine.as_ref().err().cloned();
    let mut remedies = remedies(&kind.id, Some(&candidate.to), advice.vendor.as_deref(), facts);
    remedies.retain(|remedy| remedy.vendor != LINUX);
    Some(Change {
        kind: kind.id.clone(),
        title: kind.title.clone(),
        from: candidate.from.clone(),
        to: candidate.to.clone(),
        meaning: kind.meaning_of(&candidate.to).unwrap_or_default().to_owned(),
        standing,
        effect,
        probes: probes.collect(),
        why: kind.effect.clone(),
        caution: kind.caution.clone(),
        saves_power: kind.saves_power.contains(&candidate.to),
        recommended_by: recommending(Some(&candidate.to)),
        advised_against_by: recommending(present),
        notes: reason.into_iter().chain(notes.iter().cloned()).collect(),
        remedies,
    })
}

fn worth(change: &Change) -> f64 {
    change.effect.map_or(f64::NEG_INFINITY, |effect| effect.percent)
}

/// Of several values of a setting that the model cannot tell apart, the one that documents recommend comes first.
fn prefer_recommended(changes: &mut Vec<Change>) {
    for rank in 0..changes.len() {
        let first = &changes[rank];
        let ties = |change: &Change| {
            change.kind == first.kind
                && change.standing == first.standing
                && change.effect.zip(first.effect).is_some_and(|(one, other)| one.high >= other.low)
        };
        let is_first = changes[..rank].iter().all(|earlier| earlier.kind != first.kind);
        let preferred = (rank..changes.len())
            .find(|&later| ties(&changes[later]) && !changes[later].recommended_by.is_empty());
        if let Some(preferred) = preferred.filter(|_| is_first) {
            let preferred = changes.remove(preferred);
            changes.insert(rank, preferred);
        }
    }
}

/// Widest interval of a reading that says anything, relative to its value.
const WIDEST: f64 = 0.25;

/// Readings of the same probe before and after, where both are known well enough.
fn pairs<'a>(
    before: &'a [(Probe, Option<Reading>)],
    after: &[(Probe, Option<Reading>)],
) -> Vec<(&'a Probe, Reading, Reading)> {
    let known = |reading: &Option<Reading>| reading.filter(|reading| reading.margin() <= WIDEST);
    let of = |name: &str| {
        let (_, reading) = after.iter().find(|(probe, _)| probe.name == name)?;
        known(reading)
    };
    before.iter().filter_map(|(probe, reading)| Some((probe, known(reading)?, of(probe.name)?))).collect()
}

/// The best change of each setting that is worth making, the best first, and what it sets in the machine file.
pub fn steps<'a>(
    advice: &'a SettingsAdvice,
    modelled: &Modelled<'_>,
    base: &Settings,
) -> Vec<(&'a Change, Vec<Setting>)> {
    let is_worth = |change: &&Change| change.is_advised(advice.goal);
    let mut steps: Vec<(&Change, Vec<Setting>)> = Vec::new();
    for change in advice.changes.iter().filter(is_worth) {
        let of = |candidate: &Candidate| candidate.kind == change.kind && candidate.to == change.to;
        let found = modelled.changed.iter().find(|tried| of(&tried.candidate));
        let is_new = steps.iter().all(|(earlier, _)| earlier.kind != change.kind);
        if let Some(Tried { candidate, .. }) = found.filter(|_| is_new) {
            let own = candidate.settings.iter().filter(|setting| !base.iter().any(|one| one == *setting));
            steps.push((change, own.cloned().collect()));
        }
    }
    steps
}

/// What readings after a change are worth.
pub fn effect(modelled: &Modelled<'_>, after: &[(Probe, Option<Reading>)]) -> Option<Effect> {
    let pairs = pairs(&modelled.now, after).into_iter();
    Effect::of(&pairs.map(|(probe, one, other)| (probe.measure(), one, other)).collect::<Vec<_>>())
}

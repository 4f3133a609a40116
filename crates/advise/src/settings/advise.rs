//! From what probes give before and after each change to advice.

use zerohop_machine::{Machine, Settings};

use super::advice::{
    Change, DocumentedAdvice, ProbeReading, Recommendation, SettingsAdvice, Standing, Together,
};
use super::candidate::Candidate;
use super::effect::Effect;
use super::goal::Goal;
use super::kind::Kind;
use super::on_file::{LINUX, on_file};
use super::probe::{Probe, Reading};
use super::remedy::{Facts, remedies};

/// What the model of a machine gives, as it is and with each change.
#[derive(Debug)]
pub struct Modelled<'a> {
    /// The machine as it is.
    pub machine: &'a Machine,
    /// What probes give on it.
    pub now: Vec<(Probe, Option<Reading>)>,
    /// What they give with each change, and what the model had to leave out.
    pub changed: Vec<(Candidate, Vec<(Probe, Option<Reading>)>, Vec<String>)>,
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
    let changed = modelled.changed.iter();
    let mut changes: Vec<Change> = changed
        .filter_map(|(candidate, readings, notes)| {
            change(advice, modelled, candidate, readings, notes, facts)
        })
        .collect();
    changes.sort_by(|one, other| {
        let worth = |change: &Change| change.effect.map_or(f64::NEG_INFINITY, |effect| effect.percent);
        one.standing.cmp(&other.standing).then(worth(other).total_cmp(&worth(one)))
    });
    advice.changes = changes;
    documented(advice, modelled.machine, facts);
}

/// The documents' advice on settings that `advice` has no change of.
fn documented(advice: &mut SettingsAdvice, machine: &Machine, facts: &Facts) {
    let modelled = |kind: &Kind| advice.changes.iter().any(|change| change.kind == kind.id);
    let kinds = on_file().kinds.iter().filter(|kind| kind.suits(machine) && !modelled(kind));
    let mut found = Vec::new();
    for kind in kinds {
        let Some(recommended) = kind.advice_for(advice.goal, advice.workload).next() else { continue };
        // The machine is so already, by its model.
        if facts.options.iter().any(|(name, value)| kind.is_option(name) && *value == recommended.value) {
            continue;
        }
        let mut remedies = remedies(&kind.id, Some(&recommended.value), advice.vendor.as_deref(), facts);
        remedies.retain(|remedy| remedy.vendor != LINUX && remedy.is_a_setting());
        if remedies.is_empty() {
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

fn change(
    advice: &SettingsAdvice,
    modelled: &Modelled<'_>,
    candidate: &Candidate,
    readings: &[(Probe, Option<Reading>)],
    notes: &[String],
    facts: &Facts,
) -> Option<Change> {
    let kind = on_file().kind(&candidate.kind)?;
    let pairs = pairs(&modelled.now, readings);
    let probes = pairs.iter().filter_map(|pair| {
        let effect = Effect::of(&[(pair.0.measure(), pair.1, pair.2)])?;
        Some((pair.0.name.to_owned(), effect))
    });
    let effect = Effect::of(
        &pairs.iter().map(|(probe, one, other)| (probe.measure(), *one, *other)).collect::<Vec<_>>(),
    );
    let recommended = kind
        .advice_for(advice.goal, advice.workload)
        .filter(|recommended| recommended.value == candidate.to)
        .map(|recommended| Recommendation {
            why: recommended.why.clone(),
            source: recommended.source.clone(),
        });
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
        recommended_by: recommended.collect(),
        notes: reason.into_iter().chain(notes.iter().cloned()).collect(),
        remedies,
    })
}

/// Readings of the same probe before and after, where both are known.
fn pairs<'a>(
    before: &'a [(Probe, Option<Reading>)],
    after: &[(Probe, Option<Reading>)],
) -> Vec<(&'a Probe, Reading, Reading)> {
    let of =
        |name: &str| after.iter().find(|(probe, _)| probe.name == name).and_then(|(_, reading)| *reading);
    before.iter().filter_map(|(probe, reading)| Some((probe, (*reading)?, of(probe.name)?))).collect()
}

/// The best change of each setting that is worth making, as one: what is changed, and all settings of the machine file then.
/// Nothing if there are fewer than two.
pub fn together(
    advice: &SettingsAdvice,
    modelled: &Modelled<'_>,
    base: &Settings,
) -> Option<(Together, Settings)> {
    let worth = |change: &&Change| match advice.goal {
        Goal::Power => matches!(change.standing, Standing::Gain | Standing::Same),
        Goal::Bandwidth | Goal::Latency => change.standing == Standing::Gain,
    };
    let (mut settings, mut changes) = (base.clone(), Vec::new());
    let mut taken: Vec<(String, String)> = Vec::new();
    for change in advice.changes.iter().filter(worth) {
        let of = |candidate: &Candidate| candidate.kind == change.kind && candidate.to == change.to;
        let Some((candidate, ..)) = modelled.changed.iter().find(|(candidate, ..)| of(candidate)) else {
            continue;
        };
        let own = candidate.settings.iter().filter(|setting| !base.iter().any(|one| one == *setting));
        let own: Vec<_> = own.cloned().collect();
        let is_free =
            |name: &str, value: &str| taken.iter().all(|(known, other)| known != name || other == value);
        let is_new = changes.iter().all(|(kind, _)| *kind != change.kind);
        if is_new && own.iter().all(|setting| is_free(&setting.name, &setting.value)) {
            changes.push((change.kind.clone(), change.to.clone()));
            taken.extend(own.iter().map(|setting| (setting.name.clone(), setting.value.clone())));
            settings = own.into_iter().fold(settings, Settings::with);
        }
    }
    (changes.len() > 1).then_some((Together { changes, effect: None }, settings))
}

impl Together {
    /// The same with what it is worth.
    #[must_use]
    pub fn worth(mut self, modelled: &Modelled<'_>, after: &[(Probe, Option<Reading>)]) -> Self {
        let pairs = pairs(&modelled.now, after).into_iter();
        self.effect =
            Effect::of(&pairs.map(|(probe, one, other)| (probe.measure(), one, other)).collect::<Vec<_>>());
        self
    }
}

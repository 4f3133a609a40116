//! Candidates: single changes of settings that a model of the machine can express.

use std::collections::BTreeMap;
use std::sync::Arc;

use zerohop_machine::{Machine, Setting, Settings};
use zerohop_machine_file::{Hardware, MachineFile, MachineFileError};

use super::goal::Goal;
use super::kind::{How, Kind, Model};
use super::settings_files::on_file;

/// A change of one setting, and what it changes in the machine file.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub kind: String,
    /// Its value now, if the model shows it.
    pub from: Option<String>,
    pub to: String,
    /// All settings of the machine file then.
    pub settings: Settings,
    /// The machine then, or why the file refuses it.
    pub machine: Result<Machine, String>,
}

/// What can be changed on a machine, and what is set there.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// Every change of one setting.
    pub changes: Vec<Candidate>,
    /// The present value of each setting that the model expresses, by its id, where it is known.
    pub present: BTreeMap<String, String>,
}

/// The machine as it is.
struct Now<'a> {
    file: &'a MachineFile,
    base: &'a Settings,
    hardware: Hardware,
    template: Option<String>,
}

/// Every change of one setting that makes another machine of this file with these settings. For power, these are the changes that
/// save it; otherwise the others.
///
/// # Errors
/// When the machine file cannot be read with these settings.
pub fn candidates(file: &MachineFile, base: &Settings, goal: Goal) -> Result<Candidates, MachineFileError> {
    let set = file.set(base)?;
    let hardware = set.hardware()?;
    let template = hardware.machine.prediction.as_ref().map(|prediction| prediction.template.clone());
    let now = Now { file, base, hardware, template };
    let kinds = on_file().kinds.iter().filter(|kind| kind.suits(&now.hardware.machine));
    let mut all = Candidates::default();
    for kind in kinds {
        let (changes, present) = now.of_kind(kind, goal);
        all.changes.extend(changes);
        all.present.extend(present.map(|value| (kind.id.clone(), value)));
    }
    Ok(all)
}

impl Now<'_> {
    /// The changes of a setting, and its present value.
    fn of_kind(&self, kind: &Kind, goal: Goal) -> (Vec<Candidate>, Option<String>) {
        let suits = |model: &&Model| match &model.how {
            How::Option(name) => self.hardware.options.iter().any(|option| option.name == *name),
            How::Parameter(_) => self
                .template
                .as_ref()
                .is_some_and(|template| model.templates.is_empty() || model.templates.contains(template)),
            How::Path { .. } => true,
        };
        let Some(model) = kind.models.iter().find(suits) else {
            return (Vec::new(), None);
        };
        let is_wanted = |value: &str| {
            let saves = kind.saves_power.iter().any(|one| one == value);
            saves == (goal == Goal::Power)
        };
        // What each value makes of the file, whether or not it is a candidate: one of them is the present one.
        let values = kind.values.iter().filter_map(|known| {
            let settings = self.settings(model, &known.value)?;
            Some((known.value.as_str(), settings))
        });
        let made: Vec<(&str, Settings, Result<Hardware, MachineFileError>)> = values
            .map(|(value, settings)| {
                let hardware = self.file.set(&settings).and_then(|file| file.hardware());
                (value, settings, hardware)
            })
            .collect();
        let is_now = |hardware: &Result<Hardware, MachineFileError>| {
            hardware.as_ref().is_ok_and(|hardware| is_same(hardware, &self.hardware))
        };
        let present: Vec<&str> =
            made.iter().filter(|(.., hardware)| is_now(hardware)).map(|(value, ..)| *value).collect();
        // An option has its value even if several make the same machine.
        let from = match &model.how {
            How::Option(name) => {
                self.chosen(model, kind, name).filter(|value| present.contains(&value.as_str()))
            }
            _ => present.first().map(|value| (*value).to_owned()),
        };
        let from = from.or_else(|| present.first().map(|value| (*value).to_owned()));
        let mut found = Vec::new();
        for (value, settings, hardware) in made {
            if Some(value) == from.as_deref() || is_now(&hardware) || !is_wanted(value) {
                continue;
            }
            let machine = match hardware {
                Ok(hardware) => Ok(hardware.machine),
                Err(error) if error.is_refusal() => Err(error
                    .problems()
                    .iter()
                    .map(|one| one.message.as_str())
                    .collect::<Vec<_>>()
                    .join("; ")),
                Err(_) => continue,
            };
            let (kind, to) = (kind.id.clone(), value.to_owned());
            found.push(Candidate { kind, from: from.clone(), to, settings, machine });
        }
        (found, from)
    }

    /// The value of an option, in the words of its kind.
    fn chosen(&self, model: &Model, kind: &Kind, name: &str) -> Option<String> {
        let option = self.hardware.options.iter().find(|option| option.name == name)?;
        let value = match model.values.iter().find(|(_, written)| *written == option.chosen) {
            Some((value, _)) => value.clone(),
            None => option.chosen.clone(),
        };
        kind.has(&value).then_some(value)
    }

    /// All settings with this value; nothing if the machine file has no such value.
    fn settings(&self, model: &Model, value: &str) -> Option<Settings> {
        let written = match model.values.iter().find(|(known, _)| known == value) {
            Some((_, written)) => written.clone(),
            None if model.values.is_empty() => value.to_owned(),
            None => return None,
        };
        let option = |name: &str, value: &str| {
            let known = self.hardware.options.iter().find(|option| option.name == name);
            known.is_some_and(|option| option.values.iter().any(|one| one == value))
        };
        let settings = match &model.how {
            How::Option(name) if !option(name, &written) => return None,
            How::Option(name) | How::Parameter(name) => self.base.clone().with(Setting::new(name, &written)),
            How::Path { path, like } => {
                let others = self.like(path, like);
                if others.is_empty() {
                    return None;
                }
                others.into_iter().fold(self.base.clone(), Settings::with)
            }
        };
        let with = model.with.iter().filter(|(name, value)| option(name, value));
        Some(with.fold(settings, |settings, (name, value)| settings.with(Setting::new(name, value))))
    }

    /// The values by `path` as those by `like`, for every name that `*` stands for in both.
    fn like(&self, path: &str, like: &str) -> Vec<Setting> {
        let star = |pattern: &str, path: &str| {
            let (before, after) = pattern.split_once('*')?;
            Some(path.strip_prefix(before)?.strip_suffix(after)?.to_owned())
        };
        let parameters = &self.hardware.parameters;
        let of = |name: &str| {
            let wanted = like.replacen('*', name, 1);
            parameters.iter().find(|one| one.path == wanted).map(|one| one.value.clone())
        };
        let named = parameters.iter().filter_map(|one| Some((&one.path, star(path, &one.path)?)));
        named.filter_map(|(path, name)| Some(Setting::new(path, of(&name)?))).collect()
    }
}

/// Whether two describe the same machine, whatever was chosen to get there.
fn is_same(one: &Hardware, other: &Hardware) -> bool {
    let numbers = |hardware: &Hardware| {
        hardware.parameters.iter().map(|one| (one.path.clone(), one.value.clone())).collect::<Vec<_>>()
    };
    one.machine.nodes.len() == other.machine.nodes.len() && numbers(one) == numbers(other) && {
        // Parts may differ although no number does: a part may be gone, or be another kind.
        let bare = |hardware: &Hardware| {
            let mut bare = hardware.clone();
            bare.options.clear();
            bare.keys = Arc::default();
            bare.parameters = Arc::default();
            bare.machine.settings.clear();
            bare.machine.prediction = None;
            bare
        };
        bare(one) == bare(other)
    }
}

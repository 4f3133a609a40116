//! Advice on settings: every change that the model can express is tried, and compared with recommendations of documents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use zerohop_advise::settings::{
    BiosState, Candidate, Candidates, Dump, DumpError, Effect, Facts, Goal, Measured, Modelled,
    SettingsAdvice, Together, Tried, WorkloadKind, advise, candidates, differences, effect, on_file, steps,
    system_settings,
};
use zerohop_diagnosis::AskedNodes;
use zerohop_machine::{FileTree, Machine, Setting, Settings};
use zerohop_machine_file::MachineFile;
use zerohop_result::{Origin, ResultFile};

use crate::advise_agenda::{Readings, Variant, VariantAgenda};
use crate::built_in;
use crate::campaign_runner::CampaignRunner;
use crate::commands::{CommandError, Commands};
use crate::files::{FileError, Files};
use crate::hint::Hinted;
use crate::library::{self, LibraryError};
use crate::models::Models;
use crate::study_agenda::REPORT;
use crate::templates::{self, Stated};
use crate::wrong_machine::WrongMachine;

/// A machine to advise on.
#[derive(Debug)]
pub struct Scene {
    name: String,
    /// The file of its model, and how it is set; or why there is none.
    model: Result<(MachineFile, Settings), String>,
    /// View of its operating system, if it was seen.
    seen: Option<Machine>,
    /// The bandwidths that were measured on it.
    measured: Measured,
    /// Vendor of the machine, from its firmware.
    maker: String,
}

impl Scene {
    /// A machine that a file describes.
    ///
    /// # Errors
    /// When the file does not allow these settings.
    pub fn described(name: &str, file: MachineFile, set: Settings) -> Result<Self, WrongMachine> {
        let title = library::hardware_of(&file, &set)?.title;
        Ok(Self {
            name: name.to_owned(),
            model: Ok((file, set)),
            seen: None,
            measured: Measured::default(),
            maker: title,
        })
    }

    /// A machine that shows itself in these files: this host, or a captured one.
    pub fn seen(machine: Machine, tree: &dyn FileTree, files: &dyn Files) -> Self {
        let model = Stated::default().machine_file(Some(&machine), files);
        Self {
            name: if machine.name.is_empty() { "this host".to_owned() } else { machine.name.clone() },
            model: model.map(|file| (file, Settings::none())).map_err(|error| error.to_string()),
            measured: Measured::default().with_weights(&machine, tree),
            maker: machine.platform.maker.clone().unwrap_or_default(),
            seen: Some(machine),
        }
    }

    /// The machine of a result, which `path` names: the model's machine again, or one that a template describes.
    ///
    /// # Errors
    /// If the machine of a model is no longer known, or does not allow these settings.
    pub fn of_result(
        path: &Path,
        result: ResultFile,
        set: &[Setting],
        files: &dyn Files,
    ) -> Result<Self, SettingsAdviceError> {
        let machine = &result.machine;
        let is_known = built_in::machine_names().any(|name| name == machine.name)
            || templates::is_generated(&machine.name);
        if matches!(result.origin, Origin::Model(_)) && is_known {
            let set = machine.settings.iter().chain(set).cloned().collect();
            let file = library::machine_file(&machine.name, files)?;
            return Ok(Self::described(&machine.name, file, set)?);
        }
        let stated = Stated { set: set.to_vec(), ..Stated::default() };
        let model = stated.machine_file(Some(machine), files);
        let measured = Measured::of(&result);
        let is_seen = matches!(result.origin, Origin::Host(_));
        Ok(Self {
            name: if machine.name.is_empty() { path.display().to_string() } else { machine.name.clone() },
            model: model.map(|file| (file, Settings::none())).map_err(|error| error.to_string()),
            measured,
            maker: machine.platform.maker.clone().unwrap_or_default(),
            seen: is_seen.then_some(result.machine),
        })
    }
}

#[derive(Debug)]
pub struct SettingsQuestion {
    /// The machine; `None` if only dumps are read.
    pub scene: Option<Scene>,
    /// Dumps of firmware settings, with their contents.
    pub dumps: Vec<(Dump, BiosState)>,
    /// Purpose of the settings.
    pub goal: Goal,
    /// Workload of the machine.
    pub workload: WorkloadKind,
    /// Vendor whose spelling of settings is used; by default, the vendor of the dumps or of the machine.
    pub vendor: Option<String>,
}

/// A dump of firmware settings.
///
/// # Errors
/// When the file cannot be read, or is no dump.
pub fn read_dump(path: &Path, files: &dyn Files) -> Result<(Dump, BiosState), DumpFileError> {
    let bytes = files.read_bytes(path, DumpError::Empty.hint())?;
    // A tool may print names of its machine's language in another encoding.
    let text = String::from_utf8_lossy(&bytes);
    BiosState::read(&path.display().to_string(), &text)
        .map_err(|error| DumpFileError::Wrong { path: path.to_owned(), error })
}

/// Number of NUMA nodes requested in the firmware dump of this name; `None` if it does not state it.
pub fn asked_nodes(shown: &str, state: &BiosState) -> Option<AskedNodes> {
    state.settings.iter().find_map(|setting| {
        let (per_package, or_more) = match (setting.kind.as_str(), setting.value.as_deref()?) {
            ("nps", count) => (count.parse().ok()?, false),
            ("node-interleaving", "on") => (0, false),
            ("snc", "off") => (1, false),
            ("snc", "on") | ("qpi-snoop", "cluster-on-die") => (2, true),
            ("qpi-snoop", _) => (1, false),
            _ => return None,
        };
        let pending = if state.pending { ", after the next boot" } else { "" };
        let by = format!("{} = {} in {shown}{pending}", setting.name, setting.spelled);
        Some(AskedNodes { per_package, or_more, by })
    })
}

/// Reason why a file is not a dump of firmware settings.
#[derive(Debug, thiserror::Error)]
pub enum DumpFileError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is something else.
    #[error("`{}` does not contain BIOS settings: {error}", path.display())]
    Wrong {
        path: PathBuf,
        /// Description of the problem.
        error: DumpError,
    },
}

impl Hinted for DumpFileError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Wrong { error, .. } => Some(error.hint().to_owned()),
        }
    }
}

/// Reason why there is no advice.
#[derive(Debug, thiserror::Error)]
pub enum SettingsAdviceError {
    /// There is no machine of that name any more.
    #[error(transparent)]
    Machine(#[from] LibraryError),
    /// The file does not allow the settings.
    #[error(transparent)]
    Wrong(#[from] WrongMachine),
    /// The command of a probe is no experiment.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A model hit a bug.
    #[error("{0}")]
    Bug(String),
}

impl Hinted for SettingsAdviceError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Machine(error) => error.hint(),
            Self::Wrong(error) => error.hint(),
            Self::Command(error) => error.hint(),
            Self::Bug(_) => Some(REPORT.to_owned()),
        }
    }
}

/// Advice on settings, and whether everything was tried: an interruption omits the rest.
///
/// # Errors
/// If the model of the machine contradicts itself, or hits a bug.
pub fn settings_advice(
    question: SettingsQuestion,
    commands: &dyn Commands,
    crew: &CampaignRunner<'_>,
) -> Result<(SettingsAdvice, bool), SettingsAdviceError> {
    let SettingsQuestion { scene, dumps, goal, workload, vendor } = question;
    let mut advice = SettingsAdvice::new(goal, workload);
    advice.bios = dumps.iter().map(|(_, state)| state.clone()).collect();
    let of_dump = advice.bios.iter().find_map(|state| state.vendor.clone());
    let maker = scene.as_ref().map_or("", |scene| scene.maker.as_str());
    let of_maker = on_file().vendor_of(maker).map(|vendor| vendor.name.clone());
    advice.vendor = vendor.or(of_dump).or(of_maker);
    let mut facts = Facts::default();
    let mut whole = true;
    if let Some(scene) = scene {
        advice.machine = Some(scene.name);
        match scene.model {
            Ok((file, base)) => {
                let model = Model { file: &file, base: &base, commands, crew };
                (facts, whole) = try_changes(&mut advice, &model)?;
            }
            Err(reason) => advice.notes.push(format!("no model of this machine: {reason}")),
        }
        if let Some(seen) = &scene.seen {
            advice.system = system_settings(seen, &scene.measured, goal, workload);
            facts.processor.clone_from(&seen.processor.vendor);
            facts.model.clone_from(&seen.processor.model);
            if let Some(hypervisor) = &seen.system.hypervisor {
                // Its firmware is invented, and that of the host is somebody else's.
                advice.documented.clear();
                advice.notes.push(format!(
                    "a virtual machine ({hypervisor}): firmware settings are those of its host"
                ));
            }
        }
    }
    for state in &mut advice.bios {
        let foreign = state.foreign(&facts);
        if !foreign.is_empty() {
            advice.notes.push(format!(
                "`{}` seems to be from another machine, so it is ignored: {} has no {}",
                state.file,
                facts.model,
                foreign.join(", ")
            ));
        }
        state.recommend(goal, workload, &advice.changes, &facts);
    }
    if let ([(one, _), (other, _)], [first, second]) = (&dumps[..], &advice.bios[..]) {
        advice.differences = differences((one, first), (other, second));
    }
    Ok((advice, whole))
}

/// A model, and what changes are tried with.
struct Model<'a> {
    file: &'a MachineFile,
    base: &'a Settings,
    commands: &'a dyn Commands,
    crew: &'a CampaignRunner<'a>,
}

/// Tries every change on the model, and adds what it says to the advice.
fn try_changes(advice: &mut SettingsAdvice, model: &Model<'_>) -> Result<(Facts, bool), SettingsAdviceError> {
    let (goal, workload) = (advice.goal, advice.workload);
    let Model { file, base, commands, .. } = *model;
    let hardware = library::hardware_of(file, base)?;
    let machine = &hardware.machine;
    let facts = Facts::of(machine, &hardware.options);
    advice.set.clone_from(&machine.settings);
    if let Some(prediction) = &machine.prediction {
        advice.notes.extend(prediction.assumed.iter().map(|assumed| format!("assumed: {assumed}")));
    }
    let Candidates { changes: found, present } =
        candidates(file, base, goal).map_err(|error| WrongMachine(error.of_settings(base)))?;
    let (tried, refused): (Vec<Candidate>, Vec<Candidate>) =
        found.into_iter().partition(|candidate| candidate.machine.is_ok());
    let mut variants = vec![Variant::new(machine, base.clone(), goal, workload, commands)?];
    for candidate in &tried {
        if let Ok(machine) = &candidate.machine {
            variants.push(Variant::new(machine, candidate.settings.clone(), goal, workload, commands)?);
        }
    }
    let engines = Models::default().with(&machine.name, file.clone());
    let mut answers = answers(&VariantAgenda { machine: &machine.name, variants }, model.crew, &engines)?;
    let Some(now) = answers.remove(&0) else { return Ok((facts, false)) };
    let interrupted = answers.len() < tried.len();
    let changed = tried.into_iter().enumerate().filter_map(|(rank, candidate)| {
        let Readings { probes, notes, .. } = answers.remove(&(rank + 1))?;
        Some(Tried { candidate, readings: probes, notes })
    });
    let refused =
        refused.into_iter().map(|candidate| Tried { candidate, readings: Vec::new(), notes: Vec::new() });
    let modelled = Modelled { machine, present, now: now.probes, changed: changed.chain(refused).collect() };
    advice.notes.extend(now.notes);
    advise(advice, &modelled, &facts);
    if !interrupted {
        advice.together = together(advice, &modelled, model, &engines)?;
    }
    Ok((facts, !interrupted))
}

/// Most changes that are combined: each takes a run of the probes.
const MOST_STEPS: usize = 4;

/// How much better a combination has to be than without its last change, in percentage points.
const STEP: f64 = 1.0;

/// The best change, and after it each of the next best ones that makes it better still, or for power costs nothing.
fn together(
    advice: &SettingsAdvice,
    modelled: &Modelled<'_>,
    model: &Model<'_>,
    engines: &Models,
) -> Result<Option<Together>, SettingsAdviceError> {
    let Model { file, base, commands, crew } = *model;
    let mut steps = steps(advice, modelled, base).into_iter().take(MOST_STEPS);
    let Some((first, own)) = steps.next() else { return Ok(None) };
    let mut settings = own.into_iter().fold(base.clone(), Settings::with);
    let mut best = Together { changes: vec![(first.kind.clone(), first.to.clone())], effect: first.effect };
    for (change, own) in steps {
        let tried = own.into_iter().fold(settings.clone(), Settings::with);
        // Two changes that are fine alone may exclude each other.
        let Ok(hardware) = library::hardware_of(file, &tried) else { continue };
        let machine = &hardware.machine;
        let variant = Variant::new(machine, tried.clone(), advice.goal, advice.workload, commands)?;
        let agenda = VariantAgenda { machine: &modelled.machine.name, variants: vec![variant] };
        let Some(readings) = answers(&agenda, crew, engines)?.remove(&0) else { return Ok(None) };
        let found = effect(modelled, &readings.probes);
        let percent = |effect: Option<Effect>| effect.map_or(f64::NEG_INFINITY, |effect| effect.percent);
        let is_better = match advice.goal {
            Goal::Power => found.is_some_and(|effect| !effect.is_loss()),
            Goal::Bandwidth | Goal::Latency => percent(found) > percent(best.effect) + STEP,
        };
        if is_better {
            best.changes.push((change.kind.clone(), change.to.clone()));
            best.effect = found;
            settings = tried;
        }
    }
    Ok((best.changes.len() > 1).then_some(best))
}

/// What the variants' probes give.
fn answers(
    agenda: &VariantAgenda<'_>,
    crew: &CampaignRunner<'_>,
    engines: &Models,
) -> Result<BTreeMap<usize, Readings>, SettingsAdviceError> {
    let answers = crew.answers(agenda, agenda.variants.len(), engines);
    match answers.values().find_map(|readings| readings.bug.as_ref()) {
        Some(bug) => Err(SettingsAdviceError::Bug(bug.clone())),
        None => Ok(answers),
    }
}

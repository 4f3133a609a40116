//! `zerohop advise settings`: what to set on a machine, by the effect that a model gives it and by what documents say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use zerohop_advise::settings::{
    BiosState, Candidate, Candidates, Dump, DumpError, Effect, Facts, Goal, Measured, Modelled,
    SettingsAdvice, Together, Tried, advise, candidates, differences, effect, on_file, steps,
    system_settings,
};
use zerohop_app::{
    FileKind, Models, REPORT, Readings, Variant, VariantAgenda, WrongMachine, built_in, library, read_result,
    templates,
};
use zerohop_machine::{Machine, MachineFile, Settings};
use zerohop_report::Form;
use zerohop_result::ResultFile;
use zerohop_workload::Origin;

use super::super::ending::Ending;
use super::super::measure::watch_signals;
use crate::arguments::SettingsArguments;
use crate::attended::{Attended, User};
use crate::command;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::root::Root;
use crate::signals::Begun;
use crate::stated::Stated;
use crate::subject::HOST;
use crate::text_file::{Disk, read_bytes};

/// A machine to advise on.
struct Scene {
    name: String,
    /// The file of its model, and how it is set; or why there is none.
    model: Result<(MachineFile, Settings), String>,
    /// As its operating system shows it, if it was seen.
    seen: Option<Machine>,
    /// The bandwidths that were measured on it.
    measured: Measured,
    /// What its firmware says of its maker.
    maker: String,
}

pub(super) fn advise_settings(
    arguments: &SettingsArguments,
    root: &Root,
    quiet: bool,
) -> Result<Ending, Failure> {
    let kind = Kind::of::<SettingsAdvice>();
    let output = Output::new(&kind, Form::Page, arguments.format, arguments.output.as_deref())?;
    let machine = arguments.machine.as_deref().map(Path::new);
    arguments.bios.iter().map(PathBuf::as_path).chain(machine).try_for_each(|path| output.spares(path))?;
    output.prepare()?;
    let dumps = dumps(&arguments.bios)?;
    let scene = scene(arguments, root, !dumps.is_empty())?;
    let mut advice = SettingsAdvice::new(arguments.goal, arguments.workload);
    advice.bios = dumps.iter().map(|(_, state)| state.clone()).collect();
    let of_dump = advice.bios.iter().find_map(|state| state.vendor.clone());
    let maker = scene.as_ref().map_or("", |scene| scene.maker.as_str());
    let of_maker = on_file().vendor_of(maker).map(|vendor| vendor.name.clone());
    advice.vendor = arguments.vendor.clone().or(of_dump).or(of_maker);
    let mut facts = Facts::default();
    let mut ending = Ending::Done;
    if let Some(scene) = scene {
        advice.machine = Some(scene.name);
        match scene.model {
            Ok((file, base)) => {
                let tried =
                    try_changes(&mut advice, &file, &base, arguments.threads.map(Threads::new), quiet)?;
                (facts, ending) = tried;
            }
            Err(reason) => advice.notes.push(format!("no model of this machine: {reason}")),
        }
        if let Some(seen) = &scene.seen {
            advice.system = system_settings(seen, &scene.measured, arguments.goal, arguments.workload);
            facts.processor.clone_from(&seen.processor.vendor);
            facts.model.clone_from(&seen.processor.model);
            if let Some(hypervisor) = &seen.system.hypervisor {
                // Its firmware is invented, and that of the host is somebody else's.
                advice.documented.clear();
                advice.notes.push(format!(
                    "a virtual machine ({hypervisor}): settings of firmware are those of its host"
                ));
            }
        }
    }
    for state in &mut advice.bios {
        let foreign = state.foreign(&facts);
        if !foreign.is_empty() {
            advice.notes.push(format!(
                "`{}` seems to be another machine's, and nothing in it is advised on: {} has no {}",
                state.file,
                facts.model,
                foreign.join(", ")
            ));
        }
        state.recommend(arguments.goal, arguments.workload, &advice.changes, &facts);
    }
    if let ([(one, _), (other, _)], [first, second]) = (&dumps[..], &advice.bios[..]) {
        advice.differences = differences((one, first), (other, second));
    }
    output.show(&advice)?;
    Ok(ending)
}

/// The dumps, and what they say.
fn dumps(paths: &[PathBuf]) -> Result<Vec<(Dump, BiosState)>, Failure> {
    if paths.len() > 2 {
        return Err(Failure::new("--bios is given more than twice").hint("compare two dumps at a time"));
    }
    let read = |path: &PathBuf| {
        let shown = path.display().to_string();
        let bytes = read_bytes(path, DumpError::Empty.hint())?;
        // A tool may print names of its machine's language in another encoding.
        let text = String::from_utf8_lossy(&bytes);
        BiosState::read(&shown, &text).map_err(|error| {
            Failure::new(format_args!("`{shown}` is no dump of BIOS settings: {error}")).hint(error.hint())
        })
    };
    paths.iter().map(read).collect()
}

/// The machine that the arguments name; none if they name dumps alone.
fn scene(arguments: &SettingsArguments, root: &Root, has_dumps: bool) -> Result<Option<Scene>, Failure> {
    let name = match arguments.machine.as_deref() {
        Some(name) if name != HOST => name,
        None if has_dumps && *root == Root::Host && arguments.set.set.is_empty() => return Ok(None),
        _ => {
            arguments.set.must_be_none()?;
            return seen_at(root, &Stated::of(None)).map(Some);
        }
    };
    if *root != Root::Host {
        return Err(Failure::new("--sysfs-root names one machine and the first argument another")
            .hint("leave one of them out"));
    }
    let path = Path::new(name);
    match FileKind::of(path, &Disk) {
        Some(FileKind::Capture) => {
            arguments.set.must_be_none()?;
            seen_at(&Root::at(Some(path))?, &Stated::of(Some(path))).map(Some)
        }
        Some(FileKind::Result) => of_result(path, arguments).map(Some),
        None if path.is_dir() => of_result(path, arguments).map(Some),
        _ => {
            let file = library::machine_file(name, &Disk)?;
            Scene::described(name, file, arguments.set.settings()?).map(Some)
        }
    }
}

/// This host, or a captured one.
fn seen_at(root: &Root, stated: &Stated) -> Result<Scene, Failure> {
    let (machine, tree) = (root.machine()?, root.tree()?);
    let model = stated.machine_file(root).map(|file| (file, Settings::none()));
    Ok(Scene {
        name: if machine.name.is_empty() { "this host".to_owned() } else { machine.name.clone() },
        model: model.map_err(|failure| failure.message().to_owned()),
        measured: Measured::default().with_weights(&machine, &*tree),
        maker: machine.platform.maker.clone().unwrap_or_default(),
        seen: Some(machine),
    })
}

/// The machine of a result: that of a model again, or one that a template describes.
fn of_result(path: &Path, arguments: &SettingsArguments) -> Result<Scene, Failure> {
    let result: ResultFile = read_result(path, &Disk)?;
    let machine = &result.machine;
    let is_known =
        built_in::machine_names().any(|name| name == machine.name) || templates::is_generated(&machine.name);
    if matches!(result.origin, Origin::Model(_)) && is_known {
        let set = machine.settings.iter().chain(&arguments.set.set).cloned().collect();
        return Scene::described(&machine.name, library::machine_file(&machine.name, &Disk)?, set);
    }
    let stated = Stated { set: arguments.set.set.clone(), ..Stated::of(Some(path)) };
    let model = stated.machine_file(&Root::Host).map(|file| (file, Settings::none()));
    let measured = Measured::of(&result);
    let is_seen = matches!(result.origin, Origin::Host(_));
    Ok(Scene {
        name: if machine.name.is_empty() { path.display().to_string() } else { machine.name.clone() },
        model: model.map_err(|failure| failure.message().to_owned()),
        measured,
        maker: machine.platform.maker.clone().unwrap_or_default(),
        seen: is_seen.then_some(result.machine),
    })
}

impl Stated {
    /// What this host shows, or a result or a capture.
    fn of(from: Option<&Path>) -> Self {
        let from_host = from.is_none();
        Self { template: None, model: None, from_host, from: from.map(Path::to_owned), set: Vec::new() }
    }
}

impl Scene {
    /// A machine that a file describes.
    fn described(name: &str, file: MachineFile, set: Settings) -> Result<Self, Failure> {
        let title = library::hardware_of(&file, &set)?.title;
        Ok(Self {
            name: name.to_owned(),
            model: Ok((file, set)),
            seen: None,
            measured: Measured::default(),
            maker: title,
        })
    }
}

/// Tries every change on the model, and adds what it says to the advice.
fn try_changes(
    advice: &mut SettingsAdvice,
    file: &MachineFile,
    base: &Settings,
    threads: Option<Threads>,
    quiet: bool,
) -> Result<(Facts, Ending), Failure> {
    let (goal, workload) = (advice.goal, advice.workload);
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
    let mut variants = vec![Variant::new(machine, base.clone(), goal, workload, &command::parse)?];
    for candidate in &tried {
        if let Ok(machine) = &candidate.machine {
            variants.push(Variant::new(
                machine,
                candidate.settings.clone(),
                goal,
                workload,
                &command::parse,
            )?);
        }
    }
    let begun = Begun::not_yet();
    let stop = watch_signals(None, &begun)?;
    let engines = Models::default().with(&machine.name, file.clone());
    let threads = threads.unwrap_or_else(Threads::of_host);
    let attended = Attended::new(threads, stop, User::new(quiet, "machines", begun));
    let mut answers = answers(&VariantAgenda { machine: &machine.name, variants }, &attended, &engines)?;
    let Some(now) = answers.remove(&0) else { return Ok((facts, Ending::Interrupted)) };
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
        advice.together =
            together(advice, &modelled, &Combining { file, base, attended: &attended, engines: &engines })?;
    }
    Ok((facts, if interrupted { Ending::Interrupted } else { Ending::Done }))
}

/// Most changes that are combined: each takes a run of the probes.
const MOST_STEPS: usize = 4;

/// How much better a combination has to be than without its last change, in percentage points.
const STEP: f64 = 1.0;

/// What combinations of changes are tried with.
struct Combining<'a> {
    file: &'a MachineFile,
    base: &'a Settings,
    attended: &'a Attended,
    engines: &'a Models,
}

/// The best change, and after it each of the next best ones that makes it better still, or for power costs nothing.
fn together(
    advice: &SettingsAdvice,
    modelled: &Modelled<'_>,
    combining: &Combining<'_>,
) -> Result<Option<Together>, Failure> {
    let Combining { file, base, attended, engines } = combining;
    let mut steps = steps(advice, modelled, base).into_iter().take(MOST_STEPS);
    let Some((first, own)) = steps.next() else { return Ok(None) };
    let mut settings = own.into_iter().fold((*base).clone(), Settings::with);
    let mut best = Together { changes: vec![(first.kind.clone(), first.to.clone())], effect: first.effect };
    for (change, own) in steps {
        let tried = own.into_iter().fold(settings.clone(), Settings::with);
        // Two changes that are fine alone may exclude each other.
        let Ok(hardware) = library::hardware_of(file, &tried) else { continue };
        let machine = &hardware.machine;
        let variant = Variant::new(machine, tried.clone(), advice.goal, advice.workload, &command::parse)?;
        let agenda = VariantAgenda { machine: &modelled.machine.name, variants: vec![variant] };
        let Some(readings) = answers(&agenda, attended, engines)?.remove(&0) else { return Ok(None) };
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
    attended: &Attended,
    engines: &Models,
) -> Result<BTreeMap<usize, Readings>, Failure> {
    let answers = attended.crew().answers(agenda, agenda.variants.len(), engines);
    match answers.values().find_map(|readings| readings.bug.as_ref()) {
        Some(bug) => Err(Failure::new(bug).hint(REPORT)),
        None => Ok(answers),
    }
}

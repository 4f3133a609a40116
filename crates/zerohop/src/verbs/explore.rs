//! `zerohop explore`: the model in a page.

use std::path::{Path, PathBuf};

use zerohop_app::built_in::is_file;
use zerohop_app::{FileKind, IN_DIRECTORY, NamedResult, library, read_any, templates, with_faults};
use zerohop_explorer::{CarriedResult, ExplorerPage, Module, Start, Tab};
use zerohop_machine::{Machine, Setting, Settings};
use zerohop_machine_file::Fault;
use zerohop_result::{ReadError, ResultFile};

use super::exit_status::VerbOutcome;
use crate::arguments::ExploreArguments;
use crate::atomic_file::WholeFile;
use crate::failure::Failure;
use crate::terminal;
use crate::text_file::Disk;

pub(super) fn explore(arguments: &ExploreArguments, quiet: bool) -> Result<VerbOutcome, Failure> {
    let (start, result) = started(arguments)?;
    let page = ExplorerPage { module: module()?, start: &start }.file(result.as_ref());
    WholeFile::at(&arguments.output)?.replace(page)?;
    if !quiet {
        terminal::say(&format!("explorer: {}", arguments.output.display()));
    }
    Ok(VerbOutcome::Done)
}

/// The explorer as a tab of the report of the first of the results that a path has: it starts with its machine, or the one that is stated.
pub(super) fn tab(path: &Path, results: &[NamedResult], stated: Option<&str>) -> Result<Tab, Failure> {
    let path = path_of_first(path, results.len())?;
    let result = &results.first().ok_or_else(|| Failure::new(&ReadError::Empty))?.result;
    let found = match stated {
        Some(name) => Found { is_compared: true, ..Found::named(name) },
        None => Found::of(&path, result)?,
    };
    let start = found.start(Some((&path, result)), &Settings::none(), &[])?;
    Ok(ExplorerPage { module: module()?, start: &start }.tab())
}

/// The machine to start with, which is checked here: a page with a mistake would be found out later. With it, the result to compare with.
fn started(arguments: &ExploreArguments) -> Result<(Start, Option<ResultFile>), Failure> {
    let ExploreArguments { machine, stated, set, fault, .. } = arguments;
    let Some(named) = machine else {
        set.must_be_none()?;
        fault.must_be_none()?;
        if stated.name.is_some() {
            return Err(Failure::new("--machine needs a result to compare with")
                .hint("give a result: zerohop explore RESULT --machine MACHINE; or only a machine: zerohop explore MACHINE"));
        }
        return Ok((Start::default(), None));
    };
    let path = Path::new(named);
    let (found, result) = match (&stated.name, FileKind::of(path, &Disk)) {
        (Some(name), _) => (Found { is_compared: true, ..Found::named(name) }, Some(first_run(path)?)),
        (None, Some(FileKind::Result)) => {
            let (path, result) = first_run(path)?;
            (Found::of(&path, &result)?, Some((path, result)))
        }
        (None, _) => (Found::named(named), None),
    };
    let carried = result.as_ref().map(|(path, result)| (path.as_path(), result));
    let start = found.start(carried, &set.settings()?, fault.all())?;
    let result = result.filter(|_| start.result.is_some());
    Ok((start, result.map(|(_, result)| result)))
}

/// The result in a file, in a survey's directory, or in another tool's output, and its path.
fn first_run(path: &Path) -> Result<(PathBuf, ResultFile), Failure> {
    let results = read_any(path, ReadError::Empty.hint(), &Disk)?;
    let path = path_of_first(path, results.len())?;
    let first = results.into_iter().next().ok_or_else(|| Failure::new(&ReadError::Empty))?;
    Ok((path, first.result))
}

/// The path by which every verb finds the first of `count` results that this path has, and no other.
fn path_of_first(path: &Path, count: usize) -> Result<PathBuf, Failure> {
    match (count, path.is_dir()) {
        (0 | 1, _) => Ok(path.to_owned()),
        (_, true) => Ok(path.join(IN_DIRECTORY)),
        (_, false) => Err(Failure::new(format_args!("`{}` holds {count} results", path.display()))
            .hint("`zerohop import` writes each to its own file")),
    }
}

/// A machine as a command line names it.
#[derive(Default)]
struct Found {
    name: String,
    set: Vec<Setting>,
    fault: Vec<Fault>,
    /// Whether what a model of it says is compared with the result.
    is_compared: bool,
}

impl Found {
    fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// The machine of a result: the one that was simulated, or what a template makes of the host that was measured.
    fn of(path: &Path, result: &ResultFile) -> Result<Self, Failure> {
        if !result.origin.is_model() {
            let machine =
                library::hardware_of(&templates::shown_by(&result.machine)?, &Settings::none())?.machine;
            let set = machine.settings;
            return Ok(Self { name: machine.name, set, fault: Vec::new(), is_compared: true });
        }
        let Machine { name, settings, faults, .. } = &result.machine;
        if library::machine_file(name, &Disk).is_err() {
            return Err(Failure::new(format_args!(
                "no machine has the name `{name}`, which is the machine of `{}`",
                path.display()
            ))
            .hint("give its machine file too: --machine ./FILE.toml"));
        }
        let fault = faults.iter().filter_map(|fault| fault.parse().ok()).collect();
        Ok(Self { name: name.clone(), set: settings.clone(), fault, is_compared: false })
    }

    /// The start of a page.
    fn start(
        self,
        carried: Option<(&Path, &ResultFile)>,
        set: &Settings,
        fault: &[Fault],
    ) -> Result<Start, Failure> {
        let file = library::machine_file(&self.name, &Disk)?;
        let settings: Settings = self.set.iter().chain(set.iter()).cloned().collect();
        let faults: Vec<Fault> = self.fault.into_iter().chain(fault.iter().cloned()).collect();
        with_faults(library::hardware_of(&file, &settings)?, &faults)?;
        let files = is_file(&self.name).then(|| (self.name.clone(), file.to_toml())).into_iter().collect();
        let carried = carried.filter(|_| self.is_compared);
        Ok(Start {
            machine: self.name,
            set: settings.iter().map(ToString::to_string).collect(),
            fault: faults.iter().map(ToString::to_string).collect(),
            files,
            result: carried.map(|(path, result)| CarriedResult::new(&path.to_string_lossy(), result)),
        })
    }
}

/// The model as WebAssembly. A build of its own makes it, which needs more than cargo: packages have it, and a plain build has not.
#[cfg(feature = "explorer")]
#[expect(clippy::unnecessary_wraps, reason = "a plain build does not include it")]
fn module() -> Result<Module<'static>, Failure> {
    macro_rules! folder {
        () => {
            env!(
                "ZEROHOP_EXPLORER",
                "the feature `explorer` embeds WebAssembly: export ZEROHOP_EXPLORER=$(packaging/explorer)"
            )
        };
    }
    Ok(Module {
        compressed: include_bytes!(concat!(folder!(), "/explorer_bg.wasm.gz")),
        glue: include_str!(concat!(folder!(), "/explorer.js")),
    })
}

#[cfg(not(feature = "explorer"))]
fn module() -> Result<Module<'static>, Failure> {
    Err(Failure::new("this zerohop was built without the explorer").hint(
        "packages have it; in zerohop's sources: rustup target add wasm32-unknown-unknown && export ZEROHOP_EXPLORER=$(packaging/explorer) && cargo build --release --features explorer",
    ))
}

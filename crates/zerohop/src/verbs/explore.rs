//! `zerohop explore`: the model in a page.

use std::path::Path;

use zerohop_app::built_in::is_file;
use zerohop_app::{FileKind, library, read_result, templates, with_faults};
use zerohop_explorer::{ExplorerPage, Module, Start};
use zerohop_machine::{Fault, Machine, Setting, Settings};

use super::ending::Ending;
use crate::arguments::ExploreArguments;
use crate::failure::Failure;
use crate::terminal;
use crate::text_file::Disk;
use crate::whole_file::WholeFile;

pub(super) fn explore(arguments: &ExploreArguments, quiet: bool) -> Result<Ending, Failure> {
    let start = start(arguments)?;
    let page = ExplorerPage { module: module()?, start: &start }.file();
    WholeFile::at(&arguments.output)?.replace(page)?;
    if !quiet {
        terminal::say(&format!("explorer: {}", arguments.output.display()));
    }
    Ok(Ending::Done)
}

/// The machine to start with, which is checked here: a page with a mistake would be found out later.
fn start(ExploreArguments { machine, set, fault, .. }: &ExploreArguments) -> Result<Start, Failure> {
    let Some(named) = machine else {
        set.must_be_none()?;
        fault.must_be_none()?;
        return Ok(Start::default());
    };
    let path = Path::new(named);
    let found = match FileKind::of(path, &Disk) {
        Some(FileKind::Result) => machine_of_result(path)?,
        _ => Found { name: named.clone(), ..Found::default() },
    };
    let file = library::machine_file(&found.name, &Disk)?;
    let settings: Settings = found.set.iter().chain(set.settings()?.iter()).cloned().collect();
    let faults: Vec<Fault> = found.fault.into_iter().chain(fault.all().iter().cloned()).collect();
    with_faults(library::hardware_of(&file, &settings)?, &faults)?;
    let files = is_file(&found.name).then(|| (found.name.clone(), file.to_toml())).into_iter().collect();
    Ok(Start {
        machine: found.name,
        set: settings.iter().map(ToString::to_string).collect(),
        fault: faults.iter().map(ToString::to_string).collect(),
        files,
    })
}

/// A machine as a command line names it.
#[derive(Default)]
struct Found {
    name: String,
    set: Vec<Setting>,
    fault: Vec<Fault>,
}

/// The machine of a result: the one that was simulated, or what a template makes of the host that was measured.
fn machine_of_result(path: &Path) -> Result<Found, Failure> {
    let result = read_result(path, &Disk)?;
    if !result.origin.is_model() {
        let machine =
            library::hardware_of(&templates::shown_by(&result.machine)?, &Settings::none())?.machine;
        return Ok(Found { name: machine.name, set: machine.settings, fault: Vec::new() });
    }
    let Machine { name, settings, faults, .. } = result.machine;
    if library::machine_file(&name, &Disk).is_err() {
        return Err(Failure::new(format_args!(
            "`{}` is of the machine `{name}`, which no machine is called",
            path.display()
        ))
        .hint("name its machine file instead: zerohop explore ./FILE.toml"));
    }
    let fault = faults.iter().filter_map(|fault| fault.parse().ok()).collect();
    Ok(Found { name, set: settings, fault })
}

/// The model as WebAssembly. A build of its own makes it, which needs more than cargo: packages have it, and a plain build has not.
#[cfg(feature = "explorer")]
#[expect(clippy::unnecessary_wraps, reason = "a plain build has none")]
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
        "packages have it; in zerohop's sources: export ZEROHOP_EXPLORER=$(packaging/explorer) && cargo build --release --features explorer",
    ))
}

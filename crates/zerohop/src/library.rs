//! Machines by name or by file, and studies: those that are part of the program, and those that a user wrote.

use std::fs;
use std::path::Path;

use zerohop_machine::{
    Combinations, Hardware, Library, Machine, MachineFile, MachineFileError, Settings, parse_hwloc_xml,
};

use crate::failure::Failure;
use crate::text_file::read_text;

// Name and text of each file in `machines/` and `published/`: `MACHINES` and `STUDIES`.
include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// A machine that is not this host's.
#[derive(Debug)]
pub(crate) enum Described {
    /// With all that it takes to simulate it.
    Hardware(Box<Hardware>),
    /// As an operating system shows it, and no more.
    Topology(Box<Machine>),
}

impl Described {
    /// As an operating system shows it.
    pub(crate) fn machine(&self) -> &Machine {
        match self {
            Self::Hardware(hardware) => &hardware.machine,
            Self::Topology(machine) => machine,
        }
    }
}

/// The machine that `name` names: one that is part of the program, a machine file, or hwloc's XML.
///
/// # Errors
/// When there is none of that name, or its file describes none.
pub(crate) fn machine(name: &str, settings: &Settings) -> Result<Described, Failure> {
    if has_extension(name, "json") {
        return Err(Failure::new(format_args!("`{name}` is no machine file")).hint(format!(
            "what `zerohop machine capture` wrote is shown by `zerohop --sysfs-root {name} machine show`"
        )));
    }
    if !has_extension(name, "xml") {
        return hardware(name, settings).map(|hardware| Described::Hardware(Box::new(hardware)));
    }
    if !settings.is_empty() {
        return Err(Failure::new(format_args!(
            "`{name}` has nothing to set: it only tells what parts a machine has"
        ))
        .hint("leave --set out, or name a machine file"));
    }
    let mut machine = parse_hwloc_xml(&read(name)?)
        .map_err(|error| Failure::new(format_args!("`{name}` describes no machine: {error}")))?;
    if machine.name.is_empty() {
        machine.name = Path::new(name).file_stem().unwrap_or_default().display().to_string();
    }
    Ok(Described::Topology(Box::new(machine)))
}

/// The machine that `name` names, so set, with all that it takes to simulate it.
///
/// # Errors
/// When there is none of that name, its file is wrong, does not say enough, or cannot be set so.
pub(crate) fn hardware(name: &str, settings: &Settings) -> Result<Hardware, Failure> {
    hardware_of(&machine_file(name)?, settings)
}

/// The machine of a file, so set.
///
/// # Errors
/// When the file is wrong, or cannot be set so.
pub(crate) fn hardware_of(file: &MachineFile, settings: &Settings) -> Result<Hardware, Failure> {
    set(file, settings)?.hardware().map_err(|error| wrong(&error.of_settings(settings)))
}

/// A machine file with these settings.
///
/// # Errors
/// When it cannot be set so.
pub(crate) fn set(file: &MachineFile, settings: &Settings) -> Result<MachineFile, Failure> {
    file.set(settings).map_err(|error| wrong(&error.of_settings(settings)))
}

/// The machine file that `name` names: of a machine that is part of the program, unless it has a `/` in it or `.toml`
/// at its end.
///
/// # Errors
/// When there is none of that name, or it is wrong.
pub(crate) fn machine_file(name: &str) -> Result<MachineFile, Failure> {
    if has_extension(name, "xml") || has_extension(name, "json") {
        return Err(Failure::new(format_args!(
            "`{name}` cannot be simulated: it tells what parts a machine has, but not how they are built"
        ))
        .hint("name a machine file: docs/machine-files.md tells how to write one, `zerohop machine list` what there is"));
    }
    if is_file(name) {
        let directory = Path::new(name).parent().unwrap_or(Path::new(""));
        let text = read(name)?;
        return MachineFile::parse(name, &text, &Beside(directory)).map_err(|error| wrong(&error));
    }
    let text = built_in(MACHINES, name).ok_or_else(|| unknown("machine", name, MACHINES))?;
    let file = format!("machines/{name}.toml");
    MachineFile::parse(&file, text, &Beside(Path::new(""))).map_err(|error| wrong(&error))
}

/// The names of the machines that are part of the program.
pub(crate) fn machine_names() -> impl Iterator<Item = &'static str> {
    MACHINES.iter().map(|(name, _)| *name)
}

/// The studies that are part of the program: their names, and their files' texts.
pub(crate) fn studies() -> &'static [(&'static str, &'static str)] {
    STUDIES
}

/// More files beside a machine file are not looked through for a name like the one that is missing.
const MOST_BESIDE: usize = 256;

/// Files that a file in this folder may extend: those of the program by name; those beside it by name, where the program
/// has none of that name, or by path.
struct Beside<'a>(&'a Path);

impl Library for Beside<'_> {
    fn read(&self, name: &str) -> Option<String> {
        if is_file(name) {
            return fs::read_to_string(self.0.join(name)).ok();
        }
        let beside = || fs::read_to_string(self.0.join(format!("{name}.toml"))).ok();
        built_in(MACHINES, name).map(str::to_owned).or_else(beside)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = machine_names().map(str::to_owned).collect();
        let folder = if self.0.as_os_str().is_empty() { Path::new(".") } else { self.0 };
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let files = files.filter(|file| file.extension().is_some_and(|extension| extension == "toml"));
        let mut beside: Vec<String> =
            files.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).take(MOST_BESIDE).collect();
        beside.sort_unstable();
        names.extend(beside);
        names
    }
}

fn built_in(list: &'static [(&str, &str)], name: &str) -> Option<&'static str> {
    list.iter().find_map(|(known, text)| (*known == name).then_some(*text))
}

/// Why there is nothing of that name in a list, and what was perhaps meant.
pub(crate) fn unknown(what: &str, name: &str, list: &[(&str, &str)]) -> Failure {
    // Below, the names have next to nothing in common; clap's own choice for its suggestions.
    const ALIKE: f64 = 0.7;
    let known: Vec<&str> = list.iter().map(|(known, _)| *known).collect();
    let similarity = |known: &str| strsim::jaro_winkler(known, name);
    let nearest = known.iter().copied().max_by(|one, other| similarity(one).total_cmp(&similarity(other)));
    let meant = nearest.filter(|nearest| similarity(nearest) > ALIKE);
    let hint = match meant {
        _ if Path::new(name).is_file() => format!("`./{name}` is the file of that name"),
        Some(meant) => format!("did you mean `{meant}`? There {}", are(&known)),
        None => format!("there {}; a file's name has a `/` in it or `.toml` at its end", are(&known)),
    };
    Failure::new(format_args!("no {what} `{name}`")).hint(hint)
}

/// What there is, in words.
fn are(names: &[&str]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{verb} {}", names.join(", "))
}

/// What can be chosen of a machine, tried: how many choices describe one.
///
/// # Errors
/// When a choice describes none that should.
pub(crate) fn check(file: &MachineFile) -> Result<Combinations, Failure> {
    file.check().map_err(|error| wrong(&error))
}

/// Why a file describes no machine: every mistake with its place and its hint.
fn wrong(error: &MachineFileError) -> Failure {
    let problems: Vec<String> = error.problems().iter().map(ToString::to_string).collect();
    let more = match error.more() {
        0 => String::new(),
        more => format!("\n\nerror: and {more} more problems"),
    };
    Failure::new(problems.join("\n\nerror: ") + &more)
}

fn read(path: &str) -> Result<String, Failure> {
    read_text(Path::new(path), "`zerohop machine list` names the machines that need no file")
}

/// Whether a name is that of a file: it has a `/` in it or `.toml` at its end.
pub(crate) fn is_file(name: &str) -> bool {
    name.contains('/') || has_extension(name, "toml")
}

fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

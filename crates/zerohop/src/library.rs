//! Machines by name or by file: those that come with the program, and those that a user wrote.

use std::fs;
use std::path::Path;

use zerohop_machine::{Combinations, Hardware, Library, Machine, MachineFile, Settings, parse_hwloc_xml};

use crate::built_in::{self, has_extension, is_file, machine_text};
use crate::failure::Failure;
use crate::file_kind::{FileKind, mistaken};
use crate::machine_mistakes::wrong;
use crate::result_file::{read_result, tool_of};
use crate::root::Root;
use crate::templates;
use crate::text_file::read_text;
use crate::unknown_name::{NameKind, unknown};

/// A machine that is not this host's.
#[derive(Debug)]
pub(crate) enum Described {
    /// With everything needed to simulate it.
    Hardware(Box<Hardware>),
    /// As an operating system shows it.
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

/// The machine that `name` names: a built-in one, a machine file, or hwloc XML.
///
/// # Errors
/// When there is no machine of that name, or its file describes none.
pub(crate) fn machine(name: &str, settings: &Settings) -> Result<Described, Failure> {
    let path = Path::new(name);
    let is_listed = is_another_form(name) || is_survey(name);
    let kind = is_listed.then(|| FileKind::of(path)).flatten();
    if !is_listed || kind == Some(FileKind::MachineFile) {
        return hardware(name, settings).map(|hardware| Described::Hardware(Box::new(hardware)));
    }
    if !settings.is_empty() {
        return Err(Failure::new(format_args!(
            "`{name}` has nothing to set: it lists a machine's parts, but not what a model needs to know of them"
        ))
        .hint("leave --set out, or name a machine file"));
    }
    let mut machine = match kind {
        // The machine that was measured or simulated, as the result records it.
        Some(FileKind::Result) => read_result(path)?.machine,
        Some(FileKind::Capture) => Root::at(Some(path))?.machine()?,
        Some(FileKind::HwlocXml) => hwloc_machine(name)?,
        Some(_) => {
            return Err(mistaken(path, A_MACHINE, INSTEAD_OF_MACHINE).unwrap_or_else(|| no_machine(name)));
        }
        None if has_extension(name, "xml") => hwloc_machine(name)?,
        None => {
            read(name)?;
            return Err(no_machine(name));
        }
    };
    if machine.name.is_empty() {
        machine.name = path.file_stem().unwrap_or_default().display().to_string();
    }
    Ok(Described::Topology(Box::new(machine)))
}

/// What [`mistaken`] expected.
const A_MACHINE: &str = "a machine";

const INSTEAD_OF_MACHINE: &str = "name a machine file (docs/machine-files.md shows how to write one), or a machine of \
                                  `zerohop machine list`";

fn hwloc_machine(name: &str) -> Result<Machine, Failure> {
    parse_hwloc_xml(&read(name)?).map_err(|error| {
        Failure::new(format_args!("`{name}` describes no machine: {error}"))
            .hint("`lstopo machine.xml` or `zerohop machine export -o machine.xml` writes hwloc XML")
    })
}

fn no_machine(name: &str) -> Failure {
    Failure::new(format_args!("`{name}` describes no machine")).hint(INSTEAD_OF_MACHINE)
}

fn no_machine_file(name: &str) -> Failure {
    Failure::new(format_args!(
        "`{name}` is no machine file: it has no table of one (`[processor]`, `[node.0]`, …), and extends none"
    ))
    .hint(INSTEAD_OF_MACHINE)
}

/// The machine that `name` names, with these settings and everything needed to simulate it.
///
/// # Errors
/// When there is no machine of that name, or its file is wrong, is incomplete, or does not allow these
/// settings.
pub(crate) fn hardware(name: &str, settings: &Settings) -> Result<Hardware, Failure> {
    hardware_of(&machine_file(name)?, settings)
}

/// The machine of a file, with these settings.
///
/// # Errors
/// When the file is wrong, or does not allow these settings.
pub(crate) fn hardware_of(file: &MachineFile, settings: &Settings) -> Result<Hardware, Failure> {
    set(file, settings)?.hardware().map_err(|error| wrong(&error.of_settings(settings)))
}

/// A machine file with these settings.
///
/// # Errors
/// When the file does not allow these settings.
pub(crate) fn set(file: &MachineFile, settings: &Settings) -> Result<MachineFile, Failure> {
    file.set(settings).map_err(|error| wrong(&error.of_settings(settings)))
}

/// The machine file that `name` names: that of a built-in machine, unless the name contains `/` or ends in `.toml`.
///
/// # Errors
/// When there is no file of that name, or it is wrong.
pub(crate) fn machine_file(name: &str) -> Result<MachineFile, Failure> {
    if let Some(file) = templates::machine_file(name) {
        return file;
    }
    let path = Path::new(name);
    if is_file(name) || is_another_form(name) {
        let directory = path.parent().unwrap_or(Path::new(""));
        let text = read(name)?;
        if text.trim().is_empty() {
            return Err(Failure::new(format_args!("`{name}` describes no machine: it is empty"))
                .hint("`zerohop machine export quartet --format toml` writes a machine file to start from"));
        }
        return MachineFile::parse(name, &text, &Beside(directory)).map_err(|error| {
            not_simulated(path).unwrap_or_else(|| match FileKind::of(path) {
                None if is_another_form(name) => no_machine(name),
                // A sweep, a study and a result name machines, too, and such a path may lead to any file of the reader's: what
                // has nothing of a machine file is not quoted.
                None => tool_of(path, &text, "a machine file").unwrap_or_else(|| no_machine_file(name)),
                Some(_) => wrong(&error),
            })
        });
    }
    let text = machine_text(name).ok_or_else(|| unknown(NameKind::Machine, name))?;
    let file = format!("machines/{name}.toml");
    MachineFile::parse(&file, text, &Beside(Path::new(""))).map_err(|error| wrong(&error))
}

/// The failure for a file that is plainly not a machine file; `None` for a machine file, or if the kind is unclear.
fn not_simulated(path: &Path) -> Option<Failure> {
    let kind = FileKind::of(path).filter(|kind| *kind != FileKind::MachineFile)?;
    let again = (kind == FileKind::Result).then(|| simulated_again(path)).flatten();
    let instead = again.as_deref().unwrap_or(INSTEAD_OF_MACHINE);
    mistaken(path, "a machine file", instead)
}

/// How to name the machine of a result, if it is built in.
fn simulated_again(path: &Path) -> Option<String> {
    let machine = read_result(path).ok()?.machine;
    built_in::machine_names().find(|name| *name == machine.name)?;
    let settings = machine.settings.iter().map(|setting| format!(" --set {setting}"));
    let faults = machine.faults.iter().map(|fault| format!(" --fault {fault}"));
    let on: String =
        std::iter::once(format!("--on {}", machine.name)).chain(settings).chain(faults).collect();
    Some(format!("`{on}` simulates its machine"))
}

/// Most files next to a machine file that are searched for a name like the missing one.
const MOST_BESIDE: usize = 256;

/// Files that a file in this folder may extend: built-in ones by name; others by a path from the folder of the file that extends
/// them, or by name if they lie in that folder and no built-in one has that name.
struct Beside<'a>(&'a Path);

impl Library for Beside<'_> {
    fn read(&self, name: &str, folder: &str) -> Option<String> {
        let folder = self.0.join(folder);
        if is_file(name) {
            return read_text(&folder.join(name), "").ok();
        }
        let beside = || read_text(&folder.join(format!("{name}.toml")), "").ok();
        machine_text(name).map(str::to_owned).or_else(beside)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = built_in::machine_names().map(str::to_owned).collect();
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

/// Tries the options of a machine, and counts the choices that describe one.
///
/// # Errors
/// When a choice that should describe a machine does not.
pub(crate) fn check(file: &MachineFile) -> Result<Combinations, Failure> {
    file.check().map_err(|error| wrong(&error))
}

fn read(path: &str) -> Result<String, Failure> {
    let hint = if Path::new(path).join("sys").is_dir() {
        format!("`zerohop --sysfs-root {path} machine show` reads a copy of /sys and /proc")
    } else {
        "`zerohop machine list` names the machines that need no file".to_owned()
    };
    read_text(Path::new(path), &hint)
}

/// Whether a name that no other machine has is that of a directory with the result of a survey.
fn is_survey(name: &str) -> bool {
    let path = Path::new(name);
    path.is_dir()
        && machine_text(name).is_none()
        && templates::machine_file(name).is_none()
        && FileKind::of(path) == Some(FileKind::Result)
}

/// Whether a file's extension is that of something other than a machine file.
fn is_another_form(name: &str) -> bool {
    ["json", "xml"].into_iter().any(|extension| has_extension(name, extension))
}

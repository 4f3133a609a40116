//! Machines by name or by file: built-in ones, and files of the user.

use std::path::{Path, PathBuf};

use zerohop_machine::{Machine, ParseHwlocError, Settings, parse_hwloc_xml};
use zerohop_machine_file::{Combinations, Hardware, Library, MachineFile};

use crate::built_in::{self, has_extension, is_file, machine_text};
use crate::captured_machines::{CapturedError, captured_machine};
use crate::file_kind::{FileKind, Mistaken};
use crate::files::{Entry, FileError, Files};
use crate::hint::Hinted;
use crate::name::{NameKind, UnknownName, unknown};
use crate::result_file::{ResultError, ToolOutput, read_result};
use crate::templates::{self, TemplateError};
use crate::wrong_machine::WrongMachine;

/// A machine that is not this host's.
#[derive(Debug)]
pub enum Described {
    /// With everything needed to simulate it.
    Hardware(Box<Hardware>),
    /// View of an operating system.
    Topology(Box<Machine>),
}

impl Described {
    /// View of an operating system.
    pub fn machine(&self) -> &Machine {
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
pub fn machine(name: &str, settings: &Settings, files: &dyn Files) -> Result<Described, LibraryError> {
    let path = Path::new(name);
    let is_listed = is_another_form(name) || is_survey(name, files);
    let kind = is_listed.then(|| FileKind::of(path, files)).flatten();
    if !is_listed || kind == Some(FileKind::MachineFile) {
        return hardware(name, settings, files).map(|hardware| Described::Hardware(Box::new(hardware)));
    }
    if !settings.is_empty() {
        return Err(LibraryError::NothingToSet { name: name.to_owned() });
    }
    let mut machine = match kind {
        // The machine that was measured or simulated, as the result records it.
        Some(FileKind::Result) => read_result(path, files)?.machine,
        Some(FileKind::Capture) => captured_machine(path, files)?,
        Some(FileKind::HwlocXml) => hwloc_machine(name, files)?,
        Some(kind) => return Err(Mistaken::new(path, kind, A_MACHINE, INSTEAD_OF_MACHINE).into()),
        None if has_extension(name, "xml") => hwloc_machine(name, files)?,
        None => {
            read(name, files)?;
            return Err(no_machine(name));
        }
    };
    if machine.name.is_empty() {
        machine.name = path.file_stem().unwrap_or_default().display().to_string();
    }
    Ok(Described::Topology(Box::new(machine)))
}

/// What [`Mistaken`] expected.
const A_MACHINE: &str = "a machine";

const INSTEAD_OF_MACHINE: &str = "give a machine file (docs/machine-files.md explains how to write one), or a machine of \
                                  `zerohop machine list`";

fn hwloc_machine(name: &str, files: &dyn Files) -> Result<Machine, LibraryError> {
    let text = read(name, files)?;
    parse_hwloc_xml(&text).map_err(|error| LibraryError::WrongXml { name: name.to_owned(), error })
}

fn no_machine(name: &str) -> LibraryError {
    LibraryError::NoMachine { name: name.to_owned() }
}

/// The machine that `name` names, with these settings and everything needed to simulate it.
///
/// # Errors
/// When there is no machine of that name, or its file is wrong, is incomplete, or does not allow these
/// settings.
pub fn hardware(name: &str, settings: &Settings, files: &dyn Files) -> Result<Hardware, LibraryError> {
    Ok(hardware_of(&machine_file(name, files)?, settings)?)
}

/// The machine of a file, with these settings.
///
/// # Errors
/// When the file is wrong, or does not allow these settings.
pub fn hardware_of(file: &MachineFile, settings: &Settings) -> Result<Hardware, WrongMachine> {
    set(file, settings)?.hardware().map_err(|error| WrongMachine(error.of_settings(settings)))
}

/// A machine file with these settings.
///
/// # Errors
/// When the file does not allow these settings.
pub fn set(file: &MachineFile, settings: &Settings) -> Result<MachineFile, WrongMachine> {
    file.set(settings).map_err(|error| WrongMachine(error.of_settings(settings)))
}

/// The machine file that `name` names: that of a built-in machine, unless the name contains `/` or ends in `.toml`.
///
/// # Errors
/// When there is no file of that name, or it is wrong.
pub fn machine_file(name: &str, files: &dyn Files) -> Result<MachineFile, LibraryError> {
    if let Some(file) = templates::machine_file(name) {
        return Ok(file?);
    }
    let path = Path::new(name);
    if is_file(name) || is_another_form(name) {
        let directory = path.parent().unwrap_or(Path::new(""));
        let text = read(name, files)?;
        if text.trim().is_empty() {
            return Err(LibraryError::Empty { name: name.to_owned() });
        }
        return MachineFile::parse(name, &text, &Beside { directory, files }).map_err(|error| {
            let kind = FileKind::of_text(&text);
            if let Some(mistaken) = kind.and_then(|kind| not_simulated(path, kind, files)) {
                return mistaken.into();
            }
            match kind {
                None if is_another_form(name) => no_machine(name),
                // A sweep, a study and a result name machines, too, and such a path may lead to any file of the reader's: what
                // has nothing of a machine file is not quoted.
                None => match ToolOutput::of(path, &text, "a machine file") {
                    Some(tool) => tool.into(),
                    None => LibraryError::NoMachineFile { name: name.to_owned() },
                },
                Some(_) => WrongMachine(error).into(),
            }
        });
    }
    let text = machine_text(name).ok_or_else(|| unknown(NameKind::Machine, name, files))?;
    let file = format!("machines/{name}.toml");
    let beside = Beside { directory: Path::new(""), files };
    MachineFile::parse(&file, text, &beside).map_err(|error| WrongMachine(error).into())
}

/// The failure for a file of another kind than a machine file.
fn not_simulated(path: &Path, kind: FileKind, files: &dyn Files) -> Option<Mistaken> {
    if kind == FileKind::MachineFile {
        return None;
    }
    let again = (kind == FileKind::Result).then(|| simulated_again(path, files)).flatten();
    let instead = again.as_deref().unwrap_or(INSTEAD_OF_MACHINE);
    Some(Mistaken::new(path, kind, "a machine file", instead))
}

/// How to name the machine of a result, if it is built in.
fn simulated_again(path: &Path, files: &dyn Files) -> Option<String> {
    let machine = read_result(path, files).ok()?.machine;
    built_in::machine_names().find(|name| *name == machine.name)?;
    let settings = machine.settings.iter().map(|setting| format!(" --set {setting}"));
    let faults = machine.faults.iter().map(|fault| format!(" --fault {fault}"));
    let on: String =
        std::iter::once(format!("--on {}", machine.name)).chain(settings).chain(faults).collect();
    Some(format!("use `{on}` to simulate its machine"))
}

/// Most files next to a machine file that are searched for a name like the missing one.
const MOST_BESIDE: usize = 256;

/// Files that a file in this folder may extend: built-in ones by name; others by a path from the folder of the file that extends
/// them, or by name if they lie in that folder and no built-in one has that name.
struct Beside<'a> {
    directory: &'a Path,
    files: &'a dyn Files,
}

impl Library for Beside<'_> {
    fn read(&self, name: &str, folder: &str) -> Option<String> {
        let folder = self.directory.join(folder);
        if is_file(name) {
            return self.files.read_text(&folder.join(name), "").ok();
        }
        let beside = || self.files.read_text(&folder.join(format!("{name}.toml")), "").ok();
        machine_text(name).map(str::to_owned).or_else(beside)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = built_in::machine_names().map(str::to_owned).collect();
        let here = self.directory.as_os_str().is_empty();
        let folder = if here { Path::new(".") } else { self.directory };
        let files: Vec<PathBuf> = self.files.list(folder);
        let files = files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "toml"));
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
pub fn check(file: &MachineFile) -> Result<Combinations, WrongMachine> {
    file.check().map_err(WrongMachine)
}

fn read(path: &str, files: &dyn Files) -> Result<String, FileError> {
    let hint = if files.entry(&Path::new(path).join("sys")) == Some(Entry::Directory) {
        format!("`zerohop --sysfs-root {path} machine show` reads a copy of /sys and /proc")
    } else {
        "`zerohop machine list` lists the built-in machines".to_owned()
    };
    files.read_text(Path::new(path), &hint)
}

/// Whether a name that no other machine has is that of a directory with the result of a survey.
fn is_survey(name: &str, files: &dyn Files) -> bool {
    let path = Path::new(name);
    files.entry(path) == Some(Entry::Directory)
        && machine_text(name).is_none()
        && templates::machine_file(name).is_none()
        && FileKind::of(path, files) == Some(FileKind::Result)
}

/// Whether a file's extension is that of something other than a machine file.
fn is_another_form(name: &str) -> bool {
    ["json", "xml"].into_iter().any(|extension| has_extension(name, extension))
}

/// Reason why there is no machine of a name.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is of another kind.
    #[error(transparent)]
    Mistaken(#[from] Mistaken),
    /// Nothing is called so.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The template does not describe the machine.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The result that should show it is none.
    #[error(transparent)]
    Result(#[from] ResultError),
    /// The capture that should show it is none.
    #[error(transparent)]
    Captured(#[from] CapturedError),
    /// The file is the output of another tool.
    #[error(transparent)]
    Tool(#[from] ToolOutput),
    /// The file is wrong, or does not allow the settings.
    #[error(transparent)]
    Wrong(#[from] WrongMachine),
    /// Only machine files have settings.
    #[error("`{name}` has no settings: it lists a machine's parts but lacks what a model needs")]
    NothingToSet { name: String },
    /// The XML is not a topology.
    #[error("`{name}` does not describe a machine: {error}")]
    WrongXml {
        name: String,
        /// Description of the problem.
        error: ParseHwlocError,
    },
    /// The file describes something else.
    #[error("`{name}` does not describe a machine")]
    NoMachine { name: String },
    /// The file has no content of a machine file.
    #[error(
        "`{name}` is not a machine file: it has no table of one (`[processor]`, `[node.0]`, …), and no `extends`"
    )]
    NoMachineFile { name: String },
    /// The file is empty.
    #[error("`{name}` does not describe a machine: it is empty")]
    Empty { name: String },
}

impl Hinted for LibraryError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::File(error) => return error.hint(),
            Self::Mistaken(error) => return error.hint(),
            Self::Unknown(error) => return error.hint(),
            Self::Template(error) => return error.hint(),
            Self::Result(error) => return error.hint(),
            Self::Captured(error) => return error.hint(),
            Self::Tool(error) => return error.hint(),
            Self::Wrong(error) => return error.hint(),
            Self::NothingToSet { .. } => "omit --set, or give a machine file",
            Self::WrongXml { .. } => {
                "`lstopo machine.xml` or `zerohop machine export -o machine.xml` writes hwloc XML"
            }
            Self::NoMachine { .. } | Self::NoMachineFile { .. } => INSTEAD_OF_MACHINE,
            Self::Empty { .. } => {
                "`zerohop machine export quartet --format toml` writes a machine file to start from"
            }
        };
        Some(hint.to_owned())
    }
}

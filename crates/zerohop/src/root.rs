//! The source that a machine is read from: this host, a directory with a copy of `/sys` and `/proc`, or a capture.

use std::fs;
use std::path::{Path, PathBuf};

use zerohop_host::HostTree;
use zerohop_machine::{Capture, FileTree, LoadError, Machine};

use crate::failure::Failure;
use crate::file_kind::{FileKind, mistaken};
use crate::text_file::{read_text, unreadable};

/// The hint for a wrong --sysfs-root.
const HINT: &str = "name a directory that holds sys and proc, or a file written by `zerohop machine capture`";

/// The source that a machine is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Root {
    /// The host that zerohop runs on.
    Host,
    /// A directory that holds `sys` and `proc`.
    Directory(PathBuf),
    /// A file written by `zerohop machine capture`.
    Capture(PathBuf),
}

impl Root {
    /// The source that `--sysfs-root` names.
    ///
    /// # Errors
    /// When nothing exists at `path`.
    pub(crate) fn at(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self::Host) };
        // A shell's process substitution `<(…)` can be opened, but has no path of its own.
        let found = fs::metadata(path).map_err(|error| unreadable(path, &error, HINT))?;
        let is_root = || fs::canonicalize(path).is_ok_and(|real| real == Path::new("/"));
        Ok(if found.is_dir() && is_root() {
            Self::Host
        } else if found.is_dir() {
            Self::Directory(path.to_owned())
        } else {
            Self::Capture(path.to_owned())
        })
    }

    /// Its files.
    ///
    /// # Errors
    /// When a capture cannot be read.
    pub(crate) fn tree(&self) -> Result<Box<dyn FileTree>, Failure> {
        Ok(match self {
            Self::Host => Box::new(HostTree::live()),
            Self::Directory(path) => Box::new(HostTree::new(path)),
            Self::Capture(path) => {
                let text = read_text(path, HINT)?;
                let capture = Capture::from_json(&text).map_err(|error| {
                    let other = FileKind::of(path) != Some(FileKind::Capture);
                    let other = other.then(|| mistaken(path, FileKind::Capture.name(), HINT)).flatten();
                    other.unwrap_or_else(|| {
                        Failure::new(format_args!("cannot read `{}`: {error}", path.display()))
                            .hint(error.hint())
                    })
                })?;
                Box::new(capture)
            }
        })
    }

    /// The machine that it describes.
    ///
    /// # Errors
    /// When the source describes no machine.
    pub(crate) fn machine(&self) -> Result<Machine, Failure> {
        let mut machine = Machine::load(&*self.tree()?).map_err(|error| self.no_machine(&error))?;
        if machine.name.is_empty() {
            machine.name = self.name();
        }
        if matches!(self, Self::Host) {
            machine.processor.second_level_tlb = zerohop_host::second_level_tlb();
            if zerohop_host::is_virtual_machine() {
                machine.system.hypervisor.get_or_insert_with(|| "unknown".to_owned());
            }
        }
        Ok(machine)
    }

    /// Checks that this is the host, which alone can be measured.
    ///
    /// # Errors
    /// When it is another one.
    pub(crate) fn must_be_host(&self) -> Result<(), Failure> {
        match self {
            Self::Host => Ok(()),
            Self::Directory(path) | Self::Capture(path) => {
                let path = path.display();
                Err(Failure::new(format_args!("the machine in `{path}` cannot be measured: it is not the machine that zerohop runs on"))
                    .hint(format!("leave --sysfs-root out to measure this machine; `zerohop --sysfs-root {path} machine show` shows the other")))
            }
        }
    }

    /// Why no machine could be read here.
    pub(crate) fn no_machine(&self, error: &LoadError) -> Failure {
        match (self, error) {
            (Self::Host, LoadError::NoProcessors) => Failure::new(error).hint("mount /sys and /proc"),
            (Self::Directory(path) | Self::Capture(path), LoadError::NoProcessors) => {
                Failure::new(format_args!("`{}` describes no machine: it names no CPU", path.display()))
                    .hint(HINT)
            }
        }
    }

    /// A name for a machine that has none: the name of the file that it was read from.
    fn name(&self) -> String {
        match self {
            Self::Host => String::new(),
            // The number of a pipe is not a name.
            Self::Capture(path) if !path.is_file() => String::new(),
            Self::Directory(path) | Self::Capture(path) => {
                path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
            }
        }
    }
}

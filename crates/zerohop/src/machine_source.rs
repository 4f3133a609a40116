//! The source that a machine is read from: this host, a directory with a copy of `/sys` and `/proc`, or a capture.

use std::fs;
use std::path::{Path, PathBuf};

use zerohop_app::{ROOT, capture, captured_machine};
use zerohop_host::HostTree;
use zerohop_machine::{FileTree, LoadError, Machine};

use crate::failure::Failure;
use crate::text_file::{Disk, unreadable};

/// The source that a machine is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MachineSource {
    /// The host that zerohop runs on.
    Host,
    /// A directory that holds `sys` and `proc`.
    Directory(PathBuf),
    /// A file written by `zerohop machine capture`.
    Capture(PathBuf),
}

impl MachineSource {
    /// The source that `--sysfs-root` names.
    ///
    /// # Errors
    /// When nothing exists at `path`.
    pub(crate) fn at(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self::Host) };
        // A shell's process substitution `<(…)` can be opened, but has no path of its own.
        let found = fs::metadata(path).map_err(|error| unreadable(path, &error, ROOT))?;
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
            Self::Capture(path) => Box::new(capture(path, &Disk)?),
        })
    }

    /// The machine that it describes.
    ///
    /// # Errors
    /// When the source describes no machine.
    pub(crate) fn machine(&self) -> Result<Machine, Failure> {
        if let Self::Capture(path) = self {
            return Ok(captured_machine(path, &Disk)?);
        }
        let mut machine = Machine::load(&*self.tree()?).map_err(|error| self.no_machine(&error))?;
        if let Self::Directory(path) = self
            && machine.name.is_empty()
        {
            machine.name =
                path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
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
                Err(Failure::new(format_args!("cannot measure the machine in `{path}`: zerohop does not run on it"))
                    .hint(format!("omit --sysfs-root to measure this machine; `zerohop --sysfs-root {path} machine show` shows the other")))
            }
        }
    }

    /// Why no machine could be read here.
    pub(crate) fn no_machine(&self, error: &LoadError) -> Failure {
        match (self, error) {
            (Self::Host, LoadError::NoProcessors) => Failure::new(error).hint("mount /sys and /proc"),
            (Self::Directory(path) | Self::Capture(path), LoadError::NoProcessors) => Failure::new(
                format_args!("`{}` does not describe a machine: it contains no CPU", path.display()),
            )
            .hint(ROOT),
        }
    }
}

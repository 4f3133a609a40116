//! What is stated of a machine that a template describes, and where the machine shows more.

use std::path::{Path, PathBuf};

use zerohop_app::{FileKind, captured_machine, read_one, read_result};
use zerohop_machine::{Machine, Setting};
use zerohop_machine_file::MachineFile;

use crate::failure::Failure;
use crate::machine_source::MachineSource;
use crate::text_file::Disk;

/// What is known of a machine that a template describes.
#[derive(Debug)]
pub(crate) struct Stated {
    pub(crate) template: Option<String>,
    /// The processor's name on the market.
    pub(crate) model: Option<String>,
    /// Whether this host shows more.
    pub(crate) from_host: bool,
    /// A result or a captured machine that shows more.
    pub(crate) from: Option<PathBuf>,
    /// What the user states.
    pub(crate) set: Vec<Setting>,
}

impl Stated {
    /// The machine file of what is stated.
    ///
    /// # Errors
    /// When no template is known for the machine, or it does not allow what is stated.
    pub(crate) fn machine_file(&self, root: &MachineSource) -> Result<MachineFile, Failure> {
        let Self { template, model, from_host, from, set } = self;
        let shown = match (from, from_host) {
            (Some(path), _) => Some(machine_of(path)?),
            (None, true) => Some(root.machine()?),
            (None, false) => None,
        };
        let (template, model, set) = (template.clone(), model.clone(), set.clone());
        let stated = zerohop_app::templates::Stated { template, model, set };
        Ok(stated.machine_file(shown.as_ref(), &Disk)?)
    }
}

/// The machine that a result or a capture shows.
fn machine_of(path: &Path) -> Result<Machine, Failure> {
    match FileKind::of(path, &Disk) {
        Some(FileKind::Result) => Ok(read_result(path, &Disk)?.machine),
        Some(FileKind::Capture) => Ok(captured_machine(path, &Disk)?),
        None if let Ok(result) = read_one(path, &Disk) => Ok(result.machine),
        _ => Err(Failure::new(format_args!(
            "`{}` is neither a result nor a captured machine",
            path.display()
        ))
        .hint("create a capture with `zerohop machine capture -o FILE`, or a result with `zerohop survey`")),
    }
}

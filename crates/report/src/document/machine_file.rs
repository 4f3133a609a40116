//! A machine file, with all files that it extends.

use zerohop_machine_file::MachineFile;

use crate::render::{Document, Views};

impl Document for MachineFile {
    const NAME: &'static str = "a machine file";
    const VIEWS: Views<Self> = Views { toml: Some(Self::to_toml), ..Views::NONE };
}

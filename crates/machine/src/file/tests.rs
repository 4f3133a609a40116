//! A machine file from text to hardware and back.

use crate::{Hardware, MachineFile};

pub(super) const QUARTET: &str = include_str!("../../../../machines/quartet.toml");

pub(super) fn quartet() -> Hardware {
    MachineFile::parse("quartet.toml", QUARTET, &())
        .and_then(|file| file.hardware())
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn quartet_is_a_machine() {
    let quartet = quartet();
    assert_eq!(quartet.machine.name, "quartet");
}

//! Whatever a text is, it is a machine that can be written out and read again, or what is wrong with it is said.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zerohop_machine::{Library, MachineFile, MachineFileError};

/// The built-in machine, to be extended.
struct BuiltIn;

impl Library for BuiltIn {
    fn read(&self, name: &str) -> Option<String> {
        (name == "quartet").then(|| include_str!("../../machines/quartet.toml").to_owned())
    }
}

fn assert_told(error: &MachineFileError) {
    assert!(!error.problems().is_empty());
    assert!(!error.to_string().is_empty());
}

fuzz_target!(|text: &str| {
    let file = match MachineFile::parse("fuzz.toml", text, &BuiltIn) {
        Ok(file) => file,
        Err(error) => return assert_told(&error),
    };
    let hardware = match file.hardware() {
        Ok(hardware) => hardware,
        Err(error) => return assert_told(&error),
    };
    let written = file.to_toml();
    let again = MachineFile::parse("fuzz.toml", &written, &()).and_then(|file| file.hardware());
    assert_eq!(again.as_ref(), Ok(&hardware), "{written}");
});

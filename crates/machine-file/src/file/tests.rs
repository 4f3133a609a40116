//! A machine file from text to hardware and back.

mod machines;
mod messages;
mod opterons;
mod options;
mod random;
mod schema;
mod settings;
mod timings;
mod wrong_machines;
mod xeon_phi;

use crate::{Hardware, Library, MachineFile, MachineFileError};

const QUARTET: &str = include_str!("../../../../machines/quartet.toml");
const SQUARE: &str = include_str!("../../tests/files/square.toml");
const MESH: &str = include_str!("../../tests/files/mesh.toml");
const CHIPLETS: &str = include_str!("../../tests/files/chiplets.toml");
const OPTIONS: &str = include_str!("../../tests/files/options.toml");
const DIAGONAL: &str = include_str!("../../tests/files/diagonal.toml");

struct Files<'t>(&'t [(&'t str, &'t str)]);

impl Library for Files<'_> {
    fn read(&self, name: &str, _: &str) -> Option<String> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned())
    }

    fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| (*name).to_owned()).collect()
    }
}

const LIBRARY: Files<'_> =
    Files(&[("square", SQUARE), ("mesh", MESH), ("chiplets", CHIPLETS), ("options", OPTIONS)]);

fn read(name: &str, text: &str) -> Result<Hardware, MachineFileError> {
    MachineFile::parse(name, text, &LIBRARY)?.hardware()
}

/// The machine of a text that is right.
fn machine(name: &str, text: &str) -> Hardware {
    read(name, text).unwrap_or_else(|error| panic!("{error}"))
}

/// What is said of a file after each of some changes, each replacing a piece of its text that has to be there.
fn complaints(name: &str, text: &str, changes: &[(&str, &str)]) -> String {
    let mut all = String::new();
    for (piece, instead) in changes {
        assert!(text.contains(piece), "{name} has no `{piece}`");
        let changed = text.replacen(piece, instead, 1);
        let Err(error) = read(name, &changed) else { panic!("`{instead}` instead of `{piece}` is accepted") };
        assert!(!error.problems().is_empty());
        all.push_str(&format!("{error}\n\n"));
    }
    all
}

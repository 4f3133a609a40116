//! No two cells of a result are the same: experiment, measure and coordinates identify every cell.

use std::collections::BTreeSet;
use std::path::Path;

use zerohop_experiment::{Effort, Options, catalogue};
use zerohop_machine_file::{Hardware, Library, MachineFile};

use crate::simulated::{Simulated, Watcher};

/// The machine files of the program.
struct BuiltIn;

impl BuiltIn {
    fn folder() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines")
    }

    fn names() -> Vec<String> {
        let files = std::fs::read_dir(Self::folder()).unwrap();
        files.map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect()
    }
}

impl Library for BuiltIn {
    fn read(&self, name: &str, _: &str) -> Option<String> {
        std::fs::read_to_string(Self::folder().join(format!("{name}.toml"))).ok()
    }
}

/// Quartet with a second link between the routers 0 and 1.
const PARALLEL: &str = r#"
extend = "quartet"
title = "Quartet with two links between nodes 0 and 1"
source = "made up: two links between the same routers"
link.0-1b = { ends = ["0", "1"], wire = "ht1000" }
"#;

/// Runs every experiment on a machine, with detail of every part. [`zerohop_result::Cells`] rejects duplicate cells.
fn check(hardware: &Hardware) {
    let engine = Simulated::of_hardware(hardware);
    let options = Options { detail: true, ..Options::new(Effort::Quick) };
    for descriptor in catalogue().all() {
        let name = descriptor.name();
        let result = match engine.run(name.as_str(), &options, &mut Watcher::new()) {
            Ok(result) => result,
            // The machine is too small for it, such as core-to-core on one core.
            Err(zerohop_experiment::ExperimentError::Impossible { .. }) => continue,
            Err(error) => panic!("{name} on {}: {error}", hardware.machine.name),
        };
        let keys: BTreeSet<_> = result.cells.iter().map(|cell| (cell.measure, &cell.at)).collect();
        assert_eq!(keys.len(), result.cells.len(), "{name} on {}", hardware.machine.name);
        assert!(keys.len() > 2 * hardware.links.len(), "{name}: its inside is there");
    }
}

#[test]
#[ignore = "long: runs every experiment on every built-in machine"]
fn every_cell_of_every_experiment_on_every_machine_is_unique() {
    for name in BuiltIn::names() {
        let file = MachineFile::parse(&name, &BuiltIn.read(&name, "").unwrap(), &BuiltIn).unwrap();
        check(&file.hardware().unwrap());
    }
}

/// Both were called `0->1`: 64 cells of `hops --detail` were duplicates.
#[test]
fn links_between_the_same_routers_do_not_share_their_cells() {
    let file = MachineFile::parse("parallel", PARALLEL, &BuiltIn).unwrap();
    check(&file.hardware().unwrap());
}

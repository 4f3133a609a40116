//! Archives in scratch files, with results that nobody measured.

mod clocks;
mod moved;
mod repair;
mod sound;

use tempfile::TempDir;
use uuid::Uuid;
use zerohop_result::{
    IndexedMachine, IndexedResult, IndexedValue, MachineKey, Reading, ResultFile, Role, Series, Timestamp,
};

use crate::{Access, Addition, Archive, ArchiveError, Entry, Filter, Location, Owner, Packed};

const SAMPLE: &str = include_str!("../../result/tests/files/version-2/host.json");

/// An archive in a scratch file.
struct Scratch {
    folder: TempDir,
    archive: Archive,
}

impl Scratch {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::File(folder.path().join("a.sqlite"));
        Self { archive: Archive::open(&location, Access::Write).unwrap(), folder }
    }

    fn location(&self) -> Location {
        Location::File(self.folder.path().join("a.sqlite"))
    }

    /// Adds a result that arrives then.
    fn add(&mut self, entry: &Entry, now: &str) -> Addition {
        self.archive.add(std::slice::from_ref(entry), moment(now)).unwrap().remove(0)
    }

    fn verify(&mut self) -> crate::Verified {
        self.archive.verify(&index).unwrap()
    }

    /// Numbers of results and when they count as begun, the latest first.
    fn list(&mut self) -> Vec<(u8, String)> {
        let listed = self.archive.list(&Filter::default()).unwrap();
        let one = |one: zerohop_result::ListedResult| (number(&one.id), one.began_at.unwrap().to_string());
        listed.into_iter().map(one).collect()
    }

    /// The number of the latest result of the only machine.
    fn latest(&mut self) -> u8 {
        let machines = self.archive.machines().unwrap();
        assert_eq!(machines.len(), 1);
        number(machines[0].latest.as_ref().unwrap())
    }
}

fn moment(text: &str) -> Timestamp {
    let text = if text.contains('T') { text.to_owned() } else { format!("{text}T12:00:00Z") };
    text.parse().unwrap()
}

/// A result of this number, which says that it began then.
fn result(number: u8, started: Option<&str>) -> Entry {
    result_that_is(number, started, "complete")
}

fn result_that_is(number: u8, started: Option<&str>, completion: &str) -> Entry {
    let mut file: serde_json::Value = serde_json::from_str(SAMPLE).unwrap();
    file["run"] = serde_json::json!({ "id": id(number) });
    file["completion"] = completion.into();
    file["started_at"] = started.map_or(serde_json::Value::Null, |text| moment(text).to_string().into());
    let text = file.to_string();
    let index = index(&ResultFile::read(&text).unwrap());
    Entry { packed: Packed::of(&text), machine: Owner::Shown(index.machine.clone().unwrap()), index }
}

fn id(number: u8) -> String {
    format!("01900000-{number:04x}-7000-8000-000000000000")
}

fn number(id: &str) -> u8 {
    u8::from_str_radix(&id[9..13], 16).unwrap()
}

fn index(file: &ResultFile) -> IndexedResult {
    let series = Series {
        role: Role::Headline,
        experiment: file.experiments[0].experiment.clone(),
        measure: file.experiments[0].cells[0].measure,
        place: "local".to_owned(),
    };
    let reading = Reading { value: 100.0, low: 99.0, high: 101.0, doubtful: false };
    IndexedResult {
        id: file.run.as_ref().unwrap().id,
        machine: Some(IndexedMachine { key: MachineKey(Uuid::from_u128(7)), name: "node-07".to_owned() }),
        started_at: file.started_at,
        // What zerohop measured itself is younger than most days of these tests.
        origin: "imported (mlc)".to_owned(),
        completion: file.completion,
        grade: None,
        unusable: None,
        produced_by: file.produced_by.clone(),
        traits: Vec::new(),
        values: vec![IndexedValue { series, reading }],
    }
}

fn words(error: &ArchiveError) -> String {
    format!("{error} / {}", error.hint().unwrap_or_default())
}

//! Results that nobody measured, of machines that do not exist.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// A result of one experiment, of this machine, on this day of the year 2026.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drawn {
    pub(crate) machine: u64,
    pub(crate) day: u64,
    pub(crate) cells: u64,
    /// What its values are, compared with the first ones.
    pub(crate) factor: f64,
    pub(crate) firmware: &'static str,
    pub(crate) completion: &'static str,
}

impl Drawn {
    pub(crate) const fn new(machine: u64, day: u64) -> Self {
        Self { machine, day, cells: 4, factor: 1.0, firmware: "1.2", completion: "complete" }
    }

    pub(crate) fn id(&self) -> String {
        // Of the form of a run's id; its first digits grow with the time.
        format!("019{:05x}-{:04x}-7000-8000-{:012x}", self.day, self.machine, self.machine)
    }

    pub(crate) fn value(&self) -> Value {
        let mut file: Value = serde_json::from_str(SAMPLE).unwrap();
        let date: jiff::civil::Date = jiff::civil::date(2026, 1, 1);
        let date = date.saturating_add(jiff::Span::new().days(i64::try_from(self.day).unwrap()));
        file["started_at"] = json!(format!("{date}T03:00:00Z"));
        file["finished_at"] = json!(format!("{date}T03:01:00Z"));
        file["completion"] = json!(self.completion);
        let host = format!("node-{:02}", self.machine);
        let machine_id = format!("00000000-0000-4000-8000-{:012x}", self.machine);
        file["run"] = json!({ "id": self.id(), "host": { "name": host, "machine_id": machine_id } });
        file["machine"]["name"] = json!(host);
        file["machine"]["platform"] =
            json!({ "maker": "Maker", "product": "Box", "firmware_version": self.firmware });
        file["experiments"][0]["completion"] = json!(self.completion);
        let cell = file["experiments"][0]["cells"][0].clone();
        let cells = (0..self.cells).map(|rank| {
            let mut cell = cell.clone();
            let median = (100.0 + rank as f64) * self.factor;
            cell["at"] = json!({ "cpu": rank, "target": 0 });
            cell["samples"] = json!([median]);
            cell.as_object_mut().unwrap().remove("warnings");
            cell["estimate"] = json!({
                "median": median, "low": median * 0.995, "high": median * 1.005, "min": median, "max": median,
                "mean": median, "standard_deviation": 0.0
            });
            cell["evidence"]["other_load"] = json!(0.0);
            cell
        });
        file["experiments"][0]["cells"] = cells.collect();
        file
    }

    /// Writes it as a file of its own into a folder.
    pub(crate) fn write(&self, folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join(format!("{}.json", self.id())), self.value().to_string()).unwrap();
    }
}

/// A result that was measured, of which the drawn ones are made.
const SAMPLE: &str = include_str!("../../../result/tests/files/version-2/host.json");

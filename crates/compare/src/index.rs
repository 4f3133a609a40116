//! Builds the index entry of a result: its machine, whether it counts, its headlines and its cells.

use sha2::{Digest, Sha256};
use uuid::Uuid;
use zerohop_result::{
    Aspect, Catalogue, Cell, Completion, ExperimentResult, Grade, HostIdentity, IndexedMachine,
    IndexedResult, IndexedValue, LONGEST_NAME, LONGEST_WORDS, MachineKey, Origin, Reading, ResultFile, Role,
    RunId, Series, Trait, Warning, Weight, plain_text,
};

use crate::compare::traits_in_words as traits;
use zerohop_study::headlines;

/// Index entry of a result. `experiments` determines the headlines of each experiment.
pub fn index(file: &ResultFile, experiments: Catalogue) -> IndexedResult {
    let quality = file.quality(&file.experiments);
    IndexedResult {
        id: file.run.as_ref().map_or_else(|| content_id(file), |run| run.id),
        machine: machine_of(file),
        started_at: file.started_at,
        origin: file.origin.short(),
        completion: file.completion,
        grade: quality.as_ref().map(|quality| quality.grade),
        unusable: match file.completion {
            Completion::Complete => {
                quality.filter(|quality| quality.grade == Grade::NotUsable).map(|quality| quality.reason)
            }
            Completion::Interrupted => Some("it was interrupted".to_owned()),
            Completion::Running => Some("its run has not finished".to_owned()),
        },
        produced_by: file.produced_by.clone(),
        traits: traits(file).into_iter().map(short).collect(),
        values: file.experiments.iter().flat_map(|one| values(one, file, experiments)).collect(),
    }
}

/// A fact in words that a line can show: some are lists.
fn short(one: Trait) -> Trait {
    Trait { value: plain_text(&one.value, LONGEST_WORDS).into_owned(), ..one }
}

/// The machine of a result, if the result identifies it.
///
/// A machine id identifies an installation: hosts that start from one image share it, so the name in the scheduler, or else the host name, counts,
/// too. Results of versions that did not record the host are identified by the name of their machine alone.
pub fn machine_of(file: &ResultFile) -> Option<IndexedMachine> {
    let name = &file.machine.name;
    let keyed = |parts: &[&str], name: &str| {
        let parts = parts.iter().flat_map(|part| [part.as_bytes(), b"\0"]).flatten().copied();
        // That of a model ends in all of its settings. An archive puts digits behind a name that another machine has.
        let name = plain_text(name, LONGEST_NAME - 8).into_owned();
        IndexedMachine { key: MachineKey(digest(&parts.collect::<Vec<_>>())), name }
    };
    match &file.origin {
        Origin::Imported(_) => None,
        Origin::Model(_) => {
            let settings: Vec<String> = file.machine.settings.iter().map(ToString::to_string).collect();
            let settings = settings.join(",");
            let comma = if settings.is_empty() { "" } else { "," };
            Some(keyed(&["model", name, &settings], &format!("{name}{comma}{settings} (model)")))
        }
        Origin::Host(_) => match file.run.as_ref().and_then(|run| run.host.as_ref()) {
            None => Some(keyed(&["name", name], name)),
            Some(HostIdentity { name: host, scheduler_node, machine_id }) => {
                let id = machine_id.map(|id| id.to_string()).unwrap_or_default();
                let called = scheduler_node.as_ref().or(host.as_ref()).unwrap_or(name);
                Some(keyed(&["host", &id, called], called))
            }
        },
    }
}

/// What a result without a run is known by: it follows from what it says, whatever the file was called that it was imported from.
fn content_id(file: &ResultFile) -> RunId {
    let mut file = file.clone();
    if let Origin::Imported(origin) = &mut file.origin {
        origin.file.clear();
        file.machine.name.clear();
    }
    // Another version reads the same text.
    file.produced_by.clear();
    RunId(digest(file.text().as_bytes()))
}

/// The first half of a digest, as an id that says that it is none of a time (RFC 9562, version 8).
fn digest(bytes: &[u8]) -> Uuid {
    Uuid::new_v8(Sha256::digest(bytes).first_chunk().copied().unwrap_or_default())
}

fn values(result: &ExperimentResult, file: &ResultFile, experiments: Catalogue) -> Vec<IndexedValue> {
    let series =
        |role, measure, place| Series { role, experiment: result.experiment.clone(), measure, place };
    let headlines = headlines(result, &file.machine, experiments).into_iter();
    let headlines = headlines.filter(|one| one.value.is_finite()).map(|one| IndexedValue {
        series: series(Role::Headline, one.measure, one.what),
        reading: Reading {
            value: one.value.value,
            low: one.value.low,
            high: one.value.high,
            doubtful: Warning::worst_weight(&one.warnings) == Some(Weight::Doubt),
        },
    });
    let is_outcome = |cell: &&Cell| cell.measure.aspect() == Aspect::Outcome && cell.at.is_whole();
    let cells = result.cells.iter().filter(is_outcome).map(|cell| IndexedValue {
        series: series(Role::Cell, cell.measure, cell.at.to_string()),
        reading: Reading {
            value: cell.estimate.median,
            low: cell.estimate.low,
            high: cell.estimate.high,
            doubtful: cell.is_doubtful(),
        },
    });
    headlines.chain(cells).collect()
}

#[cfg(test)]
mod tests {
    use zerohop_experiment::catalogue;
    use zerohop_result::{HashedMachineId, Run};
    use zerohop_workload::ImportedOrigin;

    use super::*;

    fn measured() -> ResultFile {
        ResultFile::read(include_str!("../../result/tests/files/version-2/host.json")).unwrap()
    }

    /// What a host with these names is known by.
    fn machine(machine_id: Option<u128>, host: &str, node: Option<&str>) -> IndexedMachine {
        let host = HostIdentity {
            name: Some(host.to_owned()),
            scheduler_node: node.map(str::to_owned),
            machine_id: machine_id.map(|id| HashedMachineId(Uuid::from_u128(id))),
        };
        let run = Some(Run { id: RunId(Uuid::from_u128(1)), host: Some(host) });
        index(&ResultFile { run, ..measured() }, catalogue()).machine.unwrap()
    }

    #[test]
    fn a_machine_is_its_installation_and_its_name() {
        let node = machine(Some(7), "node-01", None);
        assert_eq!((node.name.as_str(), &node), ("node-01", &machine(Some(7), "node-01", None)));
        // Nodes that start from one image share its id.
        assert_ne!(node.key, machine(Some(7), "node-02", None).key);
        assert_ne!(node.key, machine(Some(8), "node-01", None).key);
        // Hosts are all called `localhost`; the scheduler knows better.
        let scheduled = machine(Some(7), "localhost", Some("cn0007"));
        assert_eq!(scheduled.name, "cn0007");
        assert_eq!(scheduled.key, machine(Some(7), "renamed", Some("cn0007")).key);
        // A version that did not name the host.
        let unnamed = index(&ResultFile { run: None, ..measured() }, catalogue());
        assert_eq!(unnamed.machine.unwrap().name, measured().machine.name);
    }

    #[test]
    fn what_was_not_finished_or_is_not_usable_does_not_count() {
        let unusable = |file: &ResultFile| index(file, catalogue()).unusable;
        let mut file = measured();
        // Every cell of it is doubtful.
        assert!(unusable(&file).unwrap().contains("use it neither to compare settings nor to find faults"));
        file.experiments[0]
            .cells
            .change(|cells| {
                cells.iter_mut().for_each(|cell| {
                    cell.warnings.clear();
                    cell.estimate = zerohop_result::Estimate::exact(100.0);
                });
            })
            .unwrap();
        assert_eq!(unusable(&file), None);
        file.completion = Completion::Interrupted;
        assert_eq!(unusable(&file).unwrap(), "it was interrupted");
    }

    #[test]
    fn a_text_of_a_tool_is_the_same_result_under_any_name() {
        let id = |name: &str, tool: &str| {
            let (tool, file) = (tool.to_owned(), name.to_owned());
            let origin =
                ImportedOrigin { tool, version: None, file, environment: Vec::new(), commands: Vec::new() };
            let mut result = ResultFile { origin: Origin::Imported(origin), ..measured() };
            result.machine.name = name.to_owned();
            index(&result, catalogue()).id
        };
        assert_eq!(id("a.txt", "mlc"), id("b.txt", "mlc"));
        assert_ne!(id("a.txt", "mlc"), id("a.txt", "lmbench"));
    }
}

//! Checks the tables of a machine file against each other, and resolves names to ranks.

mod cores;
mod fabric;
mod inherited;
mod kinds;
mod maps;
mod memory;
mod node;
mod nodes;
mod routes;
mod system;

use std::sync::Arc;

use zerohop_document::Problems;

use super::tables::MachineTable;
use crate::hardware::{CoherenceTable, CoherenceWord};
use crate::{Coherence, Hardware};
use zerohop_machine::{Machine, Prediction, Processor};

/// The machine, without its list of parameters. Problems are reported.
pub(super) fn hardware(name: &str, tables: &MachineTable, problems: &mut Problems) -> Option<Hardware> {
    // All kinds and parts are checked before a failure ends it, so that every problem is reported.
    let core_kinds = kinds::cores(tables, problems);
    let channel_kinds = kinds::channels(tables, problems);
    let home_kinds = kinds::homes(tables, problems);
    let wires = kinds::wires(tables, problems);
    let nodes = nodes::nodes(tables, problems);
    let coherence = coherence(&tables.coherence, problems);
    let nodes = nodes?;
    let routers = fabric::routers(tables, &nodes, problems)?;
    let links = wires.and_then(|wires| fabric::links(tables, &routers, &wires, problems));
    let cores = core_kinds.and_then(|kinds| cores::cores(tables, &nodes, &routers, kinds, problems));
    let memory = home_kinds
        .zip(channel_kinds)
        .and_then(|(homes, channels)| memory::memory(tables, &nodes, &routers, &homes, &channels, problems));
    let system = system::system(tables, problems);
    let links = links?;
    let routes = routes::routes(tables, &routers, &links, problems)?;
    let (cores, memory) = (cores?, memory?);
    let mut hardware = Hardware {
        title: tables.title.text.clone(),
        machine: Machine {
            name: name.to_owned(),
            processor: Processor {
                vendor: tables.processor.vendor.text.clone(),
                model: tables.processor.model.text.clone(),
                ..Processor::default()
            },
            packages: cores.packages,
            nodes: nodes.iter().zip(&cores.node_pus).map(|(node, pus)| node.shown(pus)).collect(),
            cores: cores.shown,
            pus: cores.pus,
            caches: cores.caches,
            memory_devices: memory.devices,
            system: system?,
            prediction: tables.prediction.as_ref().map(|prediction| Prediction {
                template: prediction.template.text.clone(),
                assumed: prediction.assumed.names.iter().map(|words| words.text.clone()).collect(),
                errors: prediction
                    .errors
                    .iter()
                    .flat_map(|errors| &errors.names)
                    .map(|words| words.text.clone())
                    .collect(),
            }),
            ..Machine::default()
        },
        routers: routers.list,
        links,
        routes,
        core_kinds: cores.kinds,
        cores: cores.places,
        homes: memory.homes,
        channels: memory.channels,
        coherence: coherence?,
        memories: memory.memories,
        parameters: Arc::default(),
        keys: Arc::default(),
        options: Vec::new(),
    };
    hardware.machine.distances = Some(system::distances(tables, &hardware, problems)?);
    Some(hardware)
}

fn coherence(table: &CoherenceTable, problems: &mut Problems) -> Option<Coherence> {
    let lookup = table.lookup.value;
    match (table.kind, table.collector) {
        (CoherenceWord::Directory, None) => Some(Coherence::Directory { lookup }),
        (CoherenceWord::Directory, Some(_)) => {
            let message = "a directory sends no probes, so there are no responses to collect";
            problems.add_with_hint(
                table.table_place,
                message,
                "omit `collector`; `remove = [\"coherence.collector\"]` removes that of an extended file",
            );
            None
        }
        (CoherenceWord::Broadcast, Some(collector)) => Some(Coherence::Broadcast { lookup, collector }),
        (CoherenceWord::Broadcast, None) => {
            let message = "`collector` is missing: the part that collects the responses to probes";
            problems.add_with_hint(
                table.table_place,
                message,
                "write, for example, `collector = \"requester\"`",
            );
            None
        }
    }
}

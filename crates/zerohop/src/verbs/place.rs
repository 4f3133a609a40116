//! `zerohop place`: brings a file into the page cache, spread over nodes as asked.

use std::path::Path;

use zerohop_experiment::ExperimentError;
use zerohop_host::{PageCache, PageCacheError};
use zerohop_machine::{Machine, NodeId};
use zerohop_placement::{PlacedFile, Rotation};
use zerohop_report::Form;
use zerohop_units::Bytes;
use zerohop_workload::OptionNames;

use super::exit_status::VerbOutcome;
use crate::arguments::PlaceArguments;
use crate::display::Display;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::machine_source::MachineSource;
use crate::output::Output;
use crate::signals::{self, Begun};

pub(super) fn place_file(
    arguments: &PlaceArguments,
    root: &MachineSource,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    root.must_be_host()?;
    let kind = Kind::of::<PlacedFile>();
    let output = Output::new(&kind, Form::Page, arguments.format, arguments.output.as_deref())?;
    output.prepare()?;
    let machine = root.machine()?;
    let nodes = match &arguments.nodes {
        Some(list) => checked(&list.0, &machine)?,
        None => usable(&machine),
    };
    let rotation = match &arguments.weights {
        Some(weights) => Rotation::weighted(&nodes, weights),
        None => Rotation::even(&nodes),
    };
    let rotation = rotation.map_err(|error| {
        Failure::new(&error)
            .hint("give one weight from 1 to 255 for each node, in ascending order of the nodes")
    })?;
    let stop = signals::watch(None, Begun::already())?;
    let cache = PageCache::open(&arguments.file).map_err(|error| of_cache(&error))?;
    fits(&arguments.file, cache.length(), &rotation, &machine)?;
    let display = Display::new(quiet, cache.length().get());
    let of = cache.length();
    let mut progress = |done: Bytes| display.show(done.get(), &format!("{} of {of}", rounded(done)));
    let placed = cache.place(&rotation, &stop, &mut progress);
    display.clear();
    match placed {
        Err(PageCacheError::Stopped) => Ok(VerbOutcome::Interrupted),
        Err(error) => Err(of_cache(&error)),
        Ok(placed) => {
            output.show(&placed)?;
            Ok(if placed.is_placed() { VerbOutcome::Done } else { VerbOutcome::NotPlaced })
        }
    }
}

/// Checks that there is something to place, and that the nodes can hold it: a sparse file may be larger than any memory.
fn fits(path: &Path, length: Bytes, rotation: &Rotation, machine: &Machine) -> Result<(), Failure> {
    let shown = path.display();
    if length == Bytes(0) {
        return Err(Failure::new(format_args!("`{shown}` is empty"))
            .hint("files in /proc have no pages in the page cache; name a file with contents"));
    }
    for (node, share) in rotation.shares() {
        let wanted = Bytes((length.get() as f64 * share) as u64);
        let memory = machine.node(node).map_or(Bytes(0), |node| node.memory);
        if wanted > memory {
            return Err(Failure::new(format_args!(
                "`{shown}` is too large: {wanted} of its {length} would go to node {node}, which has {memory}"
            ))
            .hint("spread it over more nodes (--nodes, --weights), or split it into smaller files"));
        }
    }
    Ok(())
}

/// An amount in whole MiB, which changes calmly.
fn rounded(bytes: Bytes) -> Bytes {
    Bytes::mib(bytes.get() >> 20)
}

/// The failure to look at or place a file.
pub(super) fn of_cache(error: &PageCacheError) -> Failure {
    let hint = error.hint();
    Failure::new(error).maybe_hint(hint)
}

fn usable(machine: &Machine) -> Vec<NodeId> {
    machine.targets().filter(|node| node.allowed).map(|node| node.id).collect()
}

/// The nodes, all of which have memory that this process may use.
fn checked(nodes: &[NodeId], machine: &Machine) -> Result<Vec<NodeId>, Failure> {
    let known: Vec<NodeId> = machine.nodes.iter().map(|node| node.id).collect();
    let unknown: Vec<NodeId> = nodes.iter().copied().filter(|node| !known.contains(node)).collect();
    let usable = usable(machine);
    let without: Vec<NodeId> = nodes.iter().copied().filter(|node| !usable.contains(node)).collect();
    let error = if !unknown.is_empty() {
        ExperimentError::UnknownNodes { unknown, known }
    } else if !without.is_empty() {
        ExperimentError::NoMemoryThere { nodes: without, usable }
    } else {
        return Ok(nodes.to_vec());
    };
    let hint = error.hint(&OptionNames::default());
    Err(Failure::new(error).maybe_hint(hint))
}

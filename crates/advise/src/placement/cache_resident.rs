//! Data that is so small that caches hold it: then figures about memory say little.

use std::collections::BTreeSet;

use zerohop_machine::{Machine, NumaNode};
use zerohop_units::Bytes;

/// What to say if the caches of some node hold all of these bytes.
pub(super) fn note(machine: &Machine, bytes: Bytes) -> Option<String> {
    let caches = machine.initiators().map(|node| last_level(machine, node)).max()?;
    (bytes <= caches).then(|| {
        format!(
            "{bytes} fit into the caches of one node ({caches}): the values are for memory, which such data hardly uses"
        )
    })
}

/// The size of all last-level caches of a node's PUs.
fn last_level(machine: &Machine, node: &NumaNode) -> Bytes {
    let last = node.pus.iter().filter_map(|pu| machine.data_caches(pu).last().copied());
    let distinct: BTreeSet<_> = last.map(|cache| (cache.level, cache.pus.first(), cache.size)).collect();
    Bytes(distinct.into_iter().map(|(.., size)| size.get()).sum())
}

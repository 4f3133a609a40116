//! Choosing the pages of a buffer from those that the kernel has now.

use zerohop_machine::{FileTree, NodeId};
use zerohop_units::Bytes;
use zerohop_workload::{EngineError, Pages};

use crate::memory::PageKind;
use crate::tree::number;

/// Sizes of reserved pages to look for, largest first.
const RESERVED: [Bytes; 2] = [Bytes::gib(1), Bytes::mib(2)];

/// Chooses the pages of a buffer of `length` over `nodes`.
///
/// Reserved pages are chosen only if every node has enough of them for its share: a page that is missing at first touch
/// would kill the process.
///
/// # Errors
/// Reserved pages were asked for, and there are too few.
pub(crate) fn choose(
    tree: &dyn FileTree,
    pages: Pages,
    nodes: &[NodeId],
    length: Bytes,
) -> Result<PageKind, EngineError> {
    let reserved = |page: Bytes| {
        let enough =
            nodes.iter().all(|&node| free_reserved(tree, node, page) >= pages_per_node(length, page, nodes));
        enough.then_some(PageKind::Reserved(page))
    };
    let demanded = |page: Bytes| {
        reserved(page).ok_or_else(|| EngineError::NoMemory {
            wanted: length,
            place: format!("reserved pages of {page}"),
            reason: scarcity(tree, nodes, page),
        })
    };
    match pages {
        Pages::Base => Ok(PageKind::Base),
        Pages::Transparent => Ok(transparent(tree)),
        Pages::Huge2M => demanded(Bytes::mib(2)),
        Pages::Huge1G => demanded(Bytes::gib(1)),
        Pages::Best => {
            // A page larger than the buffer would mostly be wasted.
            let worthwhile = RESERVED.into_iter().filter(|&page| length >= page);
            Ok(worthwhile.filter_map(reserved).next().unwrap_or_else(|| transparent(tree)))
        }
    }
}

fn pages_per_node(length: Bytes, page: Bytes, nodes: &[NodeId]) -> u64 {
    length.get().div_ceil(page.get()).div_ceil(nodes.len().max(1) as u64)
}

/// Free reserved pages on a node, or those of the whole machine if the kernel shows no nodes.
fn free_reserved(tree: &dyn FileTree, node: NodeId, page: Bytes) -> u64 {
    let pool = format!("hugepages/hugepages-{}kB/free_hugepages", page.get() >> 10);
    number(tree, &format!("/sys/devices/system/node/node{node}/{pool}"))
        .or_else(|| number(tree, &format!("/sys/kernel/mm/{pool}")))
        .unwrap_or(0)
}

fn scarcity(tree: &dyn FileTree, nodes: &[NodeId], page: Bytes) -> String {
    let pools: Vec<String> =
        nodes.iter().map(|&node| format!("{} on node {node}", free_reserved(tree, node, page))).collect();
    format!("too few are free: {}", pools.join(", "))
}

/// Transparent huge pages. They are requested even if the kernel's setting is `never`: the share that is read back later
/// shows the outcome.
fn transparent(tree: &dyn FileTree) -> PageKind {
    let size = number(tree, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
    PageKind::Transparent(size.filter(|size| size.is_power_of_two()).map_or(Bytes::mib(2), Bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::HostTree;
    use std::fs;

    const NODES: [NodeId; 2] = [NodeId(0), NodeId(2)];

    /// A tree with the given numbers of free 2 MiB pages on nodes 0 and 2.
    fn pools(free: [u64; 2]) -> (tempfile::TempDir, HostTree) {
        let root = tempfile::tempdir().unwrap();
        for (node, free) in NODES.into_iter().zip(free) {
            let pool = format!("sys/devices/system/node/node{node}/hugepages/hugepages-2048kB");
            fs::create_dir_all(root.path().join(&pool)).unwrap();
            fs::write(root.path().join(pool).join("free_hugepages"), format!("{free}\n")).unwrap();
        }
        let tree = HostTree::new(root.path());
        (root, tree)
    }

    #[test]
    fn reserved_pages_are_taken_where_every_node_has_its_share() {
        let (_root, tree) = pools([8, 4]);
        let choose = |nodes: &[NodeId], mib| choose(&tree, Pages::Best, nodes, Bytes::mib(mib)).unwrap();
        let (reserved, transparent) =
            (PageKind::Reserved(Bytes::mib(2)), PageKind::Transparent(Bytes::mib(2)));
        assert_eq!(choose(&NODES[..1], 16), reserved);
        assert_eq!(choose(&NODES[..1], 18), transparent);
        assert_eq!(choose(&NODES, 16), reserved);
        assert_eq!(choose(&NODES, 18), transparent);
        assert_eq!(choose(&NODES[..1], 1), transparent);
    }

    #[test]
    fn pages_that_are_asked_for_and_missing_are_an_error() {
        let (_root, tree) = pools([8, 4]);
        let error = choose(&tree, Pages::Huge2M, &NODES, Bytes::mib(64)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot allocate 64 MiB of memory on reserved pages of 2 MiB: too few are free: 8 on node 0, 4 on node 2"
        );
        assert!(choose(&tree, Pages::Huge1G, &NODES, Bytes::gib(1)).is_err());
        assert_eq!(choose(&tree, Pages::Base, &NODES, Bytes::gib(1)), Ok(PageKind::Base));
    }
}

//! Choosing the pages of a buffer from those that the kernel has now.

use zerohop_machine::{FileTree, NodeId};
use zerohop_units::Bytes;
use zerohop_workload::{EngineError, Pages};

use crate::free_memory::ancestors;
use crate::memory::PageKind;
use crate::tree::{number, text};

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

/// Reserved pages that can be taken on a node, or those of the whole machine if the kernel shows no nodes: free ones that are not
/// promised to other programs, which map pages long before they touch them, as far as the cgroup allows. The kernel does not say on which
/// node it will keep its promises.
fn free_reserved(tree: &dyn FileTree, node: NodeId, page: Bytes) -> u64 {
    let pool = format!("hugepages/hugepages-{}kB", page.get() >> 10);
    let of_machine = |file: &str| number(tree, &format!("/sys/kernel/mm/{pool}/{file}"));
    let free = number(tree, &format!("/sys/devices/system/node/node{node}/{pool}/free_hugepages"))
        .or_else(|| of_machine("free_hugepages"))
        .unwrap_or(0);
    let unpromised = free.saturating_sub(of_machine("resv_hugepages").unwrap_or(0));
    cgroup_allows(tree, page).map_or(unpromised, |allowed| unpromised.min(allowed.get() / page.get()))
}

/// What this process's cgroups (version 2 or 1) still allow of reserved pages: a page beyond that would kill the process, or could not
/// be mapped. Kubernetes allows a pod that asks for none of them none.
fn cgroup_allows(tree: &dyn FileTree, page: Bytes) -> Option<Bytes> {
    let membership = text(tree, "/proc/self/cgroup")?;
    let size = match page.get() >> 30 {
        0 => format!("{}MB", page.get() >> 20),
        gib => format!("{gib}GB"),
    };
    let left = |directory: &str, limit: &str, used: &str| {
        let amount = |file: &str| number(tree, &format!("{directory}/hugetlb.{size}.{file}"));
        Some(Bytes(amount(limit)?.saturating_sub(amount(used).unwrap_or(0))))
    };
    let levels = membership.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let version1 = controllers.split(',').any(|name| name == "hugetlb");
        (version1 || controllers.is_empty()).then_some((version1, path))
    });
    let each = levels.flat_map(|(version1, path)| ancestors(path).map(move |path| (version1, path)));
    each.flat_map(|(version1, path)| match version1 {
        true => {
            let directory = format!("/sys/fs/cgroup/hugetlb{path}");
            [
                left(&directory, "limit_in_bytes", "usage_in_bytes"),
                left(&directory, "rsvd.limit_in_bytes", "rsvd.usage_in_bytes"),
            ]
        }
        false => {
            let directory = format!("/sys/fs/cgroup{path}");
            [left(&directory, "max", "current"), left(&directory, "rsvd.max", "rsvd.current")]
        }
    })
    .flatten()
    .min()
}

fn scarcity(tree: &dyn FileTree, nodes: &[NodeId], page: Bytes) -> String {
    let pools: Vec<String> =
        nodes.iter().map(|&node| format!("{} on node {node}", free_reserved(tree, node, page))).collect();
    format!("too few are available: {}", pools.join(", "))
}

/// Transparent huge pages, which any buffer can have. They are requested even if the kernel's setting is `never`: the share that is read back later
/// shows the outcome.
pub(crate) fn transparent(tree: &dyn FileTree) -> PageKind {
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

    /// Pages that a database had mapped and not yet touched counted as free: every buffer was refused, or taking one killed zerohop.
    #[test]
    fn pages_that_are_promised_to_others_are_not_free() {
        let (root, tree) = pools([8, 8]);
        let machine = root.path().join("sys/kernel/mm/hugepages/hugepages-2048kB");
        fs::create_dir_all(&machine).unwrap();
        let chosen = |promised: &str| {
            fs::write(machine.join("resv_hugepages"), promised).unwrap();
            choose(&tree, Pages::Best, &NODES[..1], Bytes::mib(8)).unwrap()
        };
        assert_eq!(chosen("4\n"), PageKind::Reserved(Bytes::mib(2)));
        assert_eq!(chosen("5\n"), PageKind::Transparent(Bytes::mib(2)));
    }

    /// In a pod of Kubernetes that asks for no huge pages, the kernel killed zerohop for the first one that it touched.
    #[test]
    fn the_cgroup_limits_reserved_pages() {
        let (root, tree) = pools([8, 8]);
        let put = |path: &str, content: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        };
        let chosen = || choose(&tree, Pages::Best, &NODES[..1], Bytes::mib(8)).unwrap();
        let (reserved, transparent) =
            (PageKind::Reserved(Bytes::mib(2)), PageKind::Transparent(Bytes::mib(2)));
        put("proc/self/cgroup", "3:hugetlb:/pod\n0::/pod/container\n");
        put("sys/fs/cgroup/pod/hugetlb.2MB.max", "max\n");
        put("sys/fs/cgroup/pod/container/hugetlb.2MB.max", "8388608\n");
        assert_eq!(chosen(), reserved);
        put("sys/fs/cgroup/pod/container/hugetlb.2MB.current", "2097152\n");
        assert_eq!(chosen(), transparent);
        put("sys/fs/cgroup/pod/container/hugetlb.2MB.current", "0\n");
        put("sys/fs/cgroup/pod/hugetlb.2MB.rsvd.max", "0\n");
        assert_eq!(chosen(), transparent);
        put("sys/fs/cgroup/pod/hugetlb.2MB.rsvd.max", "max\n");
        put("sys/fs/cgroup/hugetlb/pod/hugetlb.2MB.limit_in_bytes", "0\n");
        assert_eq!(chosen(), transparent);
    }

    #[test]
    fn pages_that_are_asked_for_and_missing_are_an_error() {
        let (_root, tree) = pools([8, 4]);
        let error = choose(&tree, Pages::Huge2M, &NODES, Bytes::mib(64)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot allocate 64 MiB of memory on reserved pages of 2 MiB: too few are available: 8 on node 0, 4 on node 2"
        );
        assert!(choose(&tree, Pages::Huge1G, &NODES, Bytes::gib(1)).is_err());
        assert_eq!(choose(&tree, Pages::Base, &NODES, Bytes::gib(1)), Ok(PageKind::Base));
    }
}

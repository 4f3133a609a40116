//! How much memory a node still has to give before the kernel would kill a process for it.

use zerohop_machine::{FileTree, Machine, NodeId};
use zerohop_units::Bytes;

use crate::tree::{number, text};

/// The most memory of a node that is left to all other programs.
const MOST_RESERVED: Bytes = Bytes::mib(32);

/// Of less memory, one part in this many is left.
const RESERVED_PART: u64 = 4;

/// What this process itself needs besides buffers: stacks of its threads, and results. It counts against the process's own limit.
const OWN_NEEDS: Bytes = Bytes::mib(32);

/// What the kernel calls reclaimable of its own objects, but keeps: names of the files of `/sys` and of file systems in memory.
const PINNED_SLAB: Bytes = Bytes::mib(32);

/// What a node has to give, and what limits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Headroom {
    /// Free and easily reclaimed pages of the node.
    free: Bytes,
    /// What the cgroup still allows.
    cgroup: Option<Bytes>,
    /// What `ulimit` still allows on each node.
    process: Option<Bytes>,
}

impl Headroom {
    /// The least of all.
    fn least(self) -> Bytes {
        [self.cgroup, self.process].into_iter().flatten().fold(self.free, Bytes::min)
    }

    /// What buffers leave, and to whom.
    fn reserved(self) -> (Bytes, &'static str) {
        let least = self.least();
        let others = MOST_RESERVED.min(least / RESERVED_PART);
        let own = self.process.map_or(Bytes(0), |limit| least - (limit - OWN_NEEDS));
        if own > others { (own, "reserved for zerohop itself") } else { (others, "left to other programs") }
    }
}

/// Memory that this process can take from a node now: free and easily reclaimed pages, within the limits of the cgroup
/// and of the process, less a reserve for other programs.
pub(crate) fn on_node(tree: &dyn FileTree, machine: &Machine, node: NodeId) -> Bytes {
    let Some(headroom) = headroom_of(tree, machine, node) else { return Bytes(0) };
    headroom.least() - headroom.reserved().0
}

/// How that amount comes about: `node 1 has 20 MiB free, of which 5 MiB is left to other programs`.
pub(crate) fn in_words(tree: &dyn FileTree, machine: &Machine, node: NodeId) -> String {
    let Some(headroom) = headroom_of(tree, machine, node) else { return format!("no node {node}") };
    let mut words = format!("node {node} has {} free", headroom.free);
    let limits = [("the cgroup", headroom.cgroup), ("`ulimit`", headroom.process)];
    for (whose, limit) in limits {
        if let Some(limit) = limit.filter(|&limit| limit < headroom.free) {
            words.push_str(&format!(", {whose} allows {limit} more"));
        }
    }
    let (reserved, whom) = headroom.reserved();
    format!("{words}, of which {reserved} is {whom}")
}

fn headroom_of(tree: &dyn FileTree, machine: &Machine, node: NodeId) -> Option<Headroom> {
    let known = machine.node(node)?;
    let file = format!("/sys/devices/system/node/node{node}/meminfo");
    let node_free = text(tree, &file).map(|meminfo| {
        let amount = |name| kibibytes(&meminfo, name);
        let slab = (amount("SReclaimable") / 2).saturating_sub(PINNED_SLAB.get());
        let reclaimable = amount("MemFree") + amount("Inactive(file)") + slab;
        Bytes(reclaimable.saturating_sub(watermarks(tree, machine, node)))
    });
    let machine_free = text(tree, "/proc/meminfo").map(|meminfo| Bytes(kibibytes(&meminfo, "MemAvailable")));
    // A single node is the whole machine, and there the kernel's own estimate is better.
    let free = match (node_free, machine_free) {
        (Some(node), Some(machine_free)) if machine.nodes.len() > 1 => node.min(machine_free),
        (_, Some(machine_free)) => machine_free,
        (Some(node), None) => node,
        (None, None) => known.free,
    };
    Some(Headroom { free, cgroup: cgroup_headroom(tree), process: address_space(tree, machine) })
}

/// The amount of a line such as `Node 0 MemFree:  1234 kB`, in bytes; zero if there is no such line.
fn kibibytes(meminfo: &str, name: &str) -> u64 {
    let amount = |line: &str| {
        let (head, amount) = line.split_once(':')?;
        (head.split_whitespace().last() == Some(name)).then_some(())?;
        amount.split_whitespace().next()?.parse::<u64>().ok()
    };
    meminfo.lines().find_map(amount).unwrap_or(0) << 10
}

/// What the kernel keeps free on a node, in bytes: the high watermarks of its zones, from `/proc/zoneinfo`. A process whose memory is
/// bound to the node is killed for it.
fn watermarks(tree: &dyn FileTree, machine: &Machine, node: NodeId) -> u64 {
    let zones = text(tree, "/proc/zoneinfo").unwrap_or_default();
    let page = machine.system.base_page.unwrap_or(Bytes::kib(4)).get();
    let mut of_node = false;
    let mut pages = 0;
    for line in zones.lines() {
        if let Some(place) = line.strip_prefix("Node ") {
            of_node = place.split(',').next().and_then(|id| id.parse().ok()) == Some(node.0);
        } else if of_node && let Some(high) = line.trim_start().strip_prefix("high ") {
            pages += high.trim().parse::<u64>().unwrap_or(0);
        }
    }
    pages * page
}

/// What this process may still map on each node, if `ulimit` limits it. All nodes share the limit equally.
///
/// The limit on data (`ulimit -d`) does not count what the limit on the address space (`ulimit -v`) counts: the program's own
/// file, shared mappings, reserved addresses.
fn address_space(tree: &dyn FileTree, machine: &Machine) -> Option<Bytes> {
    let status = text(tree, "/proc/self/status").unwrap_or_default();
    let left = |limit: Bytes, used: &str| Bytes(limit.get().saturating_sub(kibibytes(&status, used)));
    let left = match text(tree, "/proc/self/limits") {
        Some(limits) => {
            let limit = |name: &str| {
                let limit = limits.lines().find_map(|line| line.strip_prefix(name))?;
                // The soft limit comes first. The word `unlimited` is no number.
                limit.split_whitespace().next()?.parse().ok().map(Bytes)
            };
            let each = [("Max address space", "VmSize"), ("Max data size", "VmData")];
            each.into_iter().filter_map(|(name, used)| Some(left(limit(name)?, used))).min()
        }
        None => machine.system.process_memory_limit.map(|limit| left(limit, "VmSize")),
    };
    let nodes = machine.targets().count().max(1) as u64;
    left.map(|left| left / nodes)
}

/// What this process's cgroups (version 2 or 1) still allow: the tightest limit on the path to the root.
fn cgroup_headroom(tree: &dyn FileTree) -> Option<Bytes> {
    let membership = text(tree, "/proc/self/cgroup")?;
    let levels = membership.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let version1 = controllers.split(',').any(|name| name == "memory");
        (version1 || controllers.is_empty()).then_some((version1, path))
    });
    levels
        .flat_map(|(version1, path)| ancestors(path).map(move |path| (version1, path)))
        .filter_map(|(version1, path)| headroom(tree, version1, path))
        .min()
}

/// A cgroup's path and those of its parents.
pub(crate) fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let path = path.trim_end_matches('/');
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(parent, _)| parent))
}

fn headroom(tree: &dyn FileTree, version1: bool, path: &str) -> Option<Bytes> {
    // Above `memory.high`, the kernel lets a process sleep for seconds with each page that it takes.
    let (directory, limits, usage, reclaimable) = if version1 {
        let limits = ["memory.limit_in_bytes"].as_slice();
        ("/sys/fs/cgroup/memory", limits, "memory.usage_in_bytes", "total_inactive_file ")
    } else {
        ("/sys/fs/cgroup", ["memory.max", "memory.high"].as_slice(), "memory.current", "inactive_file ")
    };
    let limits = limits.iter().filter_map(|limit| number(tree, &format!("{directory}{path}/{limit}")));
    let limit = limits.min()?;
    let usage = number(tree, &format!("{directory}{path}/{usage}"))?;
    let inactive = text(tree, &format!("{directory}{path}/memory.stat"))
        .and_then(|stat| stat.lines().find_map(|line| line.strip_prefix(reclaimable)?.trim().parse().ok()))
        .unwrap_or(0);
    Some(Bytes(limit.saturating_sub(usage.saturating_sub(inactive))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::HostTree;
    use std::fs;
    use zerohop_machine::{NumaNode, PuSet};

    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, HostTree) {
        let root = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = root.path().join(path.trim_start_matches('/'));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let tree = HostTree::new(root.path());
        (root, tree)
    }

    fn machine(nodes: &[u32]) -> Machine {
        let node = |&id| NumaNode {
            id: NodeId(id),
            pus: PuSet::new(),
            memory: Bytes::gib(8),
            free: Bytes::gib(4),
            huge_pages: Vec::new(),
            memory_side_caches: Vec::new(),
            allowed: true,
        };
        Machine { nodes: nodes.iter().map(node).collect(), ..Machine::default() }
    }

    const NODE_2: (&str, &str) = (
        "/sys/devices/system/node/node2/meminfo",
        "Node 2 MemTotal: 9000000 kB\nNode 2 MemFree: 1048576 kB\nNode 2 Inactive(file): 524288 kB\n",
    );
    const WHOLE: (&str, &str) = ("/proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    3145728 kB\n");

    #[test]
    fn a_node_gives_what_is_free_and_reclaimable() {
        let (_root, tree) = tree(&[NODE_2, WHOLE]);
        assert_eq!(
            on_node(&tree, &machine(&[0, 2]), NodeId(2)),
            Bytes(Bytes::mib(1536).get() - MOST_RESERVED.get())
        );
        assert_eq!(
            on_node(&tree, &machine(&[2]), NodeId(2)),
            Bytes(Bytes::gib(3).get() - MOST_RESERVED.get())
        );
    }

    #[test]
    fn the_tightest_cgroup_counts() {
        let (_root, tree) = tree(&[
            NODE_2,
            WHOLE,
            ("/proc/self/cgroup", "0::/user/job\n"),
            ("/sys/fs/cgroup/user/job/memory.max", "max\n"),
            ("/sys/fs/cgroup/user/job/memory.current", "5\n"),
            ("/sys/fs/cgroup/user/memory.max", "1073741824\n"),
            ("/sys/fs/cgroup/user/memory.current", "805306368\n"),
            ("/sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 268435456\n"),
        ]);
        assert_eq!(
            on_node(&tree, &machine(&[2]), NodeId(2)),
            Bytes(Bytes::mib(512).get() - MOST_RESERVED.get())
        );
    }

    /// In a group with `memory.high` alone, zerohop took what it could, and the kernel let it sleep.
    #[test]
    fn a_group_that_is_throttled_above_an_amount_has_no_more() {
        let group = |max, high| {
            let (_root, tree) = tree(&[
                WHOLE,
                ("/proc/self/cgroup", "0::/job\n"),
                ("/sys/fs/cgroup/job/memory.max", max),
                ("/sys/fs/cgroup/job/memory.high", high),
                ("/sys/fs/cgroup/job/memory.current", "0\n"),
            ]);
            cgroup_headroom(&tree)
        };
        assert_eq!(group("max\n", "1073741824\n"), Some(Bytes::gib(1)));
        assert_eq!(group("536870912\n", "1073741824\n"), Some(Bytes::mib(512)));
        assert_eq!(group("max\n", "max\n"), None);
    }

    #[test]
    fn version_1_is_read_as_well() {
        let (_root, tree) = tree(&[
            ("/proc/self/cgroup", "4:memory:/job\n2:cpu:/other\n"),
            ("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n"),
            ("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "0\n"),
        ]);
        assert_eq!(
            on_node(&tree, &machine(&[2]), NodeId(2)),
            Bytes(Bytes::gib(1).get() - MOST_RESERVED.get())
        );
    }

    #[test]
    fn nodes_share_a_limit_of_the_process_equally() {
        let (_root, tree) =
            tree(&[WHOLE, ("/proc/self/status", "Name:\tx\nVmPeak: 9 kB\nVmSize:\t  204800 kB\n")]);
        let mut machine = machine(&[0, 2]);
        machine.system.process_memory_limit = Some(Bytes::mib(1224));
        assert_eq!(on_node(&tree, &machine, NodeId(2)), Bytes::mib(512 - 32));
        machine.system.process_memory_limit = Some(Bytes::mib(100));
        assert_eq!(on_node(&tree, &machine, NodeId(2)), Bytes(0));
        // Too little for stacks and results: buffers that took three quarters of it ended in an abort.
        machine.system.process_memory_limit = Some(Bytes::mib(200 + 2 * 40));
        assert_eq!(on_node(&tree, &machine, NodeId(2)), Bytes::mib(8));
        assert!(
            in_words(&tree, &machine, NodeId(2))
                .ends_with("`ulimit` allows 40 MiB more, of which 32 MiB is reserved for zerohop itself")
        );
    }

    /// What the program has mapped of its own file counted against a limit on data: 100 MB were called none.
    #[test]
    fn a_limit_on_data_counts_data_alone() {
        let status = ("/proc/self/status", "VmSize:\t  204800 kB\nVmData:\t  10240 kB\n");
        let limits = |space: &str, data: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max data size             {data} unlimited            bytes     \n\
                 Max address space         {space} unlimited            bytes     \n"
            )
        };
        let left = |space: &str, data: &str| {
            let limits = limits(space, data);
            let (_root, tree) = tree(&[WHOLE, status, ("/proc/self/limits", &limits)]);
            address_space(&tree, &machine(&[0]))
        };
        let mib = |count: u64| (count << 20).to_string();
        assert_eq!(left("unlimited", &mib(100)), Some(Bytes::mib(90)));
        assert_eq!(left(&mib(300), "unlimited"), Some(Bytes::mib(100)));
        assert_eq!(left(&mib(300), &mib(50)), Some(Bytes::mib(40)));
        assert_eq!(left(&mib(100), &mib(50)), Some(Bytes(0)));
        assert_eq!(left("unlimited", "unlimited"), None);
    }

    /// A node of 40 MiB was called `0 B of memory`, for an undisclosed reserve of 32 MiB and no more.
    #[test]
    fn a_tiny_node_has_something_to_give_and_says_how_much() {
        let tiny = (NODE_2.0, "Node 2 MemFree: 40960 kB\n");
        let (_root, tree) = tree(&[tiny, WHOLE]);
        let machine = machine(&[0, 2]);
        assert_eq!(on_node(&tree, &machine, NodeId(2)), Bytes::mib(30));
        let words = "node 2 has 40 MiB free, of which 10 MiB is left to other programs";
        assert_eq!(in_words(&tree, &machine, NodeId(2)), words);
    }

    /// On a node that was nearly full, zerohop took what the kernel keeps free, and was killed.
    #[test]
    fn what_the_kernel_keeps_free_is_not_taken() {
        let zones = "Node 0, zone   Normal\n        high     99999\nNode 2, zone      DMA\n  pages free     3840\n        min      66\n        \
                     low      82\n        high     512\n    cpu: 0\n              high:  378\nNode 2, zone   Normal\n        high     512\n";
        let (_root, tree) =
            tree(&[(NODE_2.0, "Node 2 MemFree: 45056 kB\n"), WHOLE, ("/proc/zoneinfo", zones)]);
        assert_eq!(on_node(&tree, &machine(&[0, 2]), NodeId(2)), Bytes::mib(30));
    }

    /// Of a node that had less free than the kernel keeps, half of its slab was still taken, and the kernel killed for it.
    #[test]
    fn what_a_node_lacks_is_made_up_before_anything_is_taken() {
        let zones = "Node 2, zone    DMA32\n        high     4778\n";
        let given = |lines: &str| {
            let (_root, tree) = tree(&[(NODE_2.0, lines), WHOLE, ("/proc/zoneinfo", zones)]);
            headroom_of(&tree, &machine(&[0, 2]), NodeId(2)).unwrap().free
        };
        assert_eq!(given("Node 2 MemFree: 12708 kB\nNode 2 SReclaimable: 8704 kB\n"), Bytes(0));
        assert_eq!(given("Node 2 MemFree: 12708 kB\nNode 2 Inactive(file): 8704 kB\n"), Bytes::kib(2300));
        assert_eq!(given("Node 2 MemFree: 19112 kB\nNode 2 SReclaimable: 67584 kB\n"), Bytes::mib(1));
    }

    #[test]
    fn a_limit_that_is_tighter_than_the_node_is_named() {
        let (_root, tree) = tree(&[
            NODE_2,
            WHOLE,
            ("/proc/self/cgroup", "0::/job\n"),
            ("/sys/fs/cgroup/job/memory.max", "50331648\n"),
            ("/sys/fs/cgroup/job/memory.current", "8388608\n"),
        ]);
        let machine = machine(&[0, 2]);
        assert_eq!(on_node(&tree, &machine, NodeId(2)), Bytes::mib(30));
        let words = "node 2 has 1.5 GiB free, the cgroup allows 40 MiB more, of which 10 MiB is left to other programs";
        assert_eq!(in_words(&tree, &machine, NodeId(2)), words);
    }

    #[test]
    fn without_any_file_the_machine_description_counts() {
        let (_root, tree) = tree(&[]);
        assert_eq!(
            on_node(&tree, &machine(&[0]), NodeId(0)),
            Bytes(Bytes::gib(4).get() - MOST_RESERVED.get())
        );
        assert_eq!(on_node(&tree, &machine(&[0]), NodeId(7)), Bytes(0));
    }
}

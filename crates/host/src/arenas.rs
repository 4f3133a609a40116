//! The cache of arenas, kept from one workload to the next so that a survey need not touch gigabytes again for every cell.
//!
//! The cache is bounded: on each node it holds at most half of the memory that would otherwise be free there, or what the largest
//! single workload so far has asked for. All of it is freed when memory is short.

use std::collections::BTreeMap;
use std::ops::Range;

use zerohop_machine::{FileTree, Machine, NodeId};
use zerohop_units::Bytes;
use zerohop_workload::{EngineError, Pages, Placement};

use crate::arena::{Arena, Request};
use crate::halt::Halt;
use crate::memory::PageKind;
use crate::memory_site::Site;
use crate::numa_calls::NumaCalls;
use crate::{free_memory, pages};

/// The memory of one placement that a workload needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Need {
    /// Where the memory is placed.
    pub(crate) placement: Placement,
    /// Total length for all workers that share the placement.
    pub(crate) length: usize,
    /// The parts that hold cycles, each with the number of pages that its cycle visits at a time.
    pub(crate) cycles: Vec<(Range<usize>, Option<u16>)>,
}

/// An arena serves needs down to this fraction of its length.
const MOST_TIMES: usize = 4;

/// What it takes to make an arena.
#[derive(Clone, Copy)]
pub(crate) struct Resources<'a> {
    /// The live `/sys` and `/proc`.
    pub(crate) tree: &'a dyn FileTree,
    pub(crate) machine: &'a Machine,
    pub(crate) calls: &'a NumaCalls,
    /// What ends filling early.
    pub(crate) halt: Halt<'a>,
}

/// All memory held by the engine.
#[derive(Debug, Default)]
pub(crate) struct Arenas {
    /// The most recently used arena comes last.
    kept: Vec<Arena>,
    /// The most memory that one workload has asked for on each node.
    largest: BTreeMap<NodeId, u64>,
}

impl Arenas {
    /// Provides an arena for each need, all with the same kind of pages. They end up last in the list, in the order of
    /// `needs`, whose placements all differ.
    ///
    /// # Errors
    /// Memory or permission is missing, or the user asked to stop. Arenas kept so far may have been freed.
    pub(crate) fn provide(
        &mut self,
        needs: &[Need],
        pages: Pages,
        resources: Resources<'_>,
    ) -> Result<&mut [Arena], EngineError> {
        let sites: Vec<Site> = needs
            .iter()
            .map(|need| Site::of(&need.placement, resources.machine, Bytes(need.length as u64)))
            .collect::<Result<_, _>>()?;
        let mut asked = BTreeMap::new();
        for (need, site) in needs.iter().zip(&sites) {
            add(&mut asked, site, need.length);
        }
        for (&node, &bytes) in &asked {
            let largest = self.largest.entry(node).or_default();
            *largest = bytes.max(*largest);
        }
        let mut found: Vec<Option<Arena>> = needs.iter().map(|need| self.take_ready(need, pages)).collect();
        for (rank, (need, site)) in needs.iter().zip(sites).enumerate() {
            if found[rank].is_some() {
                continue;
            }
            // One that holds something else serves as well, once it is filled again. While there is room, both are kept.
            let mut wanted = BTreeMap::new();
            add(&mut wanted, &site, need.length);
            let room = has_room(&wanted, || self.kept.iter().chain(found.iter().flatten()), resources);
            let other = if room { None } else { self.take(need, pages) };
            found[rank] = Some(match other {
                Some(arena) => arena,
                None => {
                    let request = Request { placement: need.placement.clone(), pages };
                    self.make(request, site, need.length, &found, resources)?
                }
            });
        }
        let first = self.kept.len();
        self.kept.extend(found.into_iter().flatten());
        Ok(&mut self.kept[first..])
    }

    /// Whether arenas have to be freed before these needs can be served.
    pub(crate) fn must_free(&self, needs: &[Need], pages: Pages, resources: Resources<'_>) -> bool {
        let mut wanted = BTreeMap::new();
        let mut fresh = false;
        for need in needs.iter().filter(|need| self.ready(need, pages).is_none()) {
            let Ok(site) = Site::of(&need.placement, resources.machine, Bytes(need.length as u64)) else {
                continue;
            };
            add(&mut wanted, &site, need.length);
            fresh |= self.fitting(need, pages, |_| true).is_none();
        }
        fresh && !has_room(&wanted, || self.kept.iter(), resources)
    }

    /// Memory kept on a node that could be freed.
    pub(crate) fn held_on(&self, node: NodeId) -> Bytes {
        Bytes(held(self.kept.iter(), node))
    }

    pub(crate) fn clear(&mut self) {
        self.kept.clear();
    }

    /// The rank of the kept arena that fits and holds what is needed.
    fn ready(&self, need: &Need, pages: Pages) -> Option<usize> {
        self.fitting(need, pages, |arena| arena.holds(&need.cycles, need.length))
    }

    /// Takes a kept arena that fits and holds what is needed.
    fn take_ready(&mut self, need: &Need, pages: Pages) -> Option<Arena> {
        let ready = self.ready(need, pages)?;
        Some(self.kept.remove(ready))
    }

    /// Takes a kept arena that fits, whatever it holds.
    fn take(&mut self, need: &Need, pages: Pages) -> Option<Arena> {
        let fitting = self.fitting(need, pages, |_| true)?;
        Some(self.kept.remove(fitting))
    }

    /// The rank of the smallest kept arena that suits and is large enough, but not so large that a small need would destroy
    /// what a large one will want to find there again.
    fn fitting(&self, need: &Need, pages: Pages, suits: impl Fn(&Arena) -> bool) -> Option<usize> {
        let fits = |arena: &Arena| {
            let (request, length) = (arena.request(), arena.length());
            let most = MOST_TIMES * need.length.max(arena.page().alignment());
            request.placement == need.placement
                && request.pages == pages
                && (need.length..=most.max(need.length)).contains(&length)
                && suits(arena)
        };
        let smallest = self.kept.iter().enumerate().filter(|(_, arena)| fits(arena));
        let smallest = smallest.min_by_key(|(_, arena)| arena.length());
        smallest.map(|(rank, _)| rank)
    }

    /// Makes a new arena.
    fn make(
        &mut self,
        request: Request,
        site: Site,
        length: usize,
        used: &[Option<Arena>],
        resources: Resources<'_>,
    ) -> Result<Arena, EngineError> {
        let page = self.choose(&request, &site, length, resources)?;
        let made = self.make_of(page, (request.clone(), site.clone()), length, used, resources);
        match made {
            // Someone else was faster, or something forbids them: only taking reserved pages shows whether they can be had.
            Err(EngineError::NoMemory { .. })
                if request.pages == Pages::Best && matches!(page, PageKind::Reserved(_)) =>
            {
                let others = pages::transparent(resources.tree);
                self.make_of(others, (request, site), length, used, resources)
            }
            made => made,
        }
    }

    /// The kind of a new arena's pages. If there are too few, all other arenas make room.
    fn choose(
        &mut self,
        request: &Request,
        site: &Site,
        length: usize,
        resources: Resources<'_>,
    ) -> Result<PageKind, EngineError> {
        let choose = || pages::choose(resources.tree, request.pages, &site.nodes, Bytes(length as u64));
        let page = choose();
        if page.is_err() && !self.kept.is_empty() {
            self.clear();
            return choose();
        }
        page
    }

    /// Makes a new arena of such pages. The least recently used ones make room for it first.
    fn make_of(
        &mut self,
        page: PageKind,
        (request, site): (Request, Site),
        length: usize,
        used: &[Option<Arena>],
        resources: Resources<'_>,
    ) -> Result<Arena, EngineError> {
        let length = length.next_multiple_of(page.alignment());
        let mut wanted = BTreeMap::new();
        add(&mut wanted, &site, length);
        for (&node, &bytes) in &wanted {
            let all = self.kept.iter().chain(used.iter().flatten());
            let free = free_memory::on_node(resources.tree, resources.machine, node).get() + held(all, node);
            let limit = self.largest.get(&node).copied().unwrap_or(0).max(free / 2);
            while bytes + held(self.kept.iter().chain(used.iter().flatten()), node) > limit {
                let Some(oldest) =
                    self.kept.iter().position(|arena| share(arena.site(), node, arena.length()) > 0)
                else {
                    break;
                };
                self.kept.remove(oldest);
            }
        }
        // Reserved pages are not part of free memory: their pool was checked when they were chosen.
        if !matches!(page, PageKind::Reserved(_)) {
            let shortage = || {
                let short = |(&node, &bytes): (&NodeId, &u64)| {
                    let free = free_memory::on_node(resources.tree, resources.machine, node);
                    (bytes > free.get()).then_some((node, bytes, free))
                };
                wanted.iter().find_map(short)
            };
            if shortage().is_some() {
                self.clear();
            }
            if let Some((node, bytes, free)) = shortage() {
                return Err(EngineError::NoMemory {
                    wanted: Bytes(bytes),
                    place: format!("node {node}"),
                    reason: format!("only {free} can be taken there without evicting other programs"),
                });
            }
        }
        Arena::new(request, site, page, length, resources.calls, resources.halt)
    }
}

/// Whether all of this can be kept besides the arenas that are there.
fn has_room<'a, There: Iterator<Item = &'a Arena>>(
    wanted: &BTreeMap<NodeId, u64>,
    there: impl Fn() -> There,
    resources: Resources<'_>,
) -> bool {
    wanted.iter().all(|(&node, &bytes)| {
        let free = free_memory::on_node(resources.tree, resources.machine, node).get();
        let held = held(there(), node);
        bytes <= free && bytes + held <= (free + held) / 2
    })
}

/// How much of `length` bytes at a site should be on `node`.
fn share(site: &Site, node: NodeId, length: usize) -> u64 {
    if site.nodes.contains(&node) { (length as u64).div_ceil(site.nodes.len() as u64) } else { 0 }
}

fn add(totals: &mut BTreeMap<NodeId, u64>, site: &Site, length: usize) {
    for &node in &site.nodes {
        *totals.entry(node).or_default() += share(site, node, length);
    }
}

fn held<'a>(arenas: impl Iterator<Item = &'a Arena>, node: NodeId) -> u64 {
    arenas.map(|arena| share(arena.site(), node, arena.length())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::CycleShape;
    use crate::tree::HostTree;
    use std::fs;
    use std::sync::atomic::AtomicBool;

    const MIB: usize = 1 << 20;

    /// Pages that were free when they were chosen, and gone when they were taken, cost a measurement.
    #[test]
    fn reserved_pages_that_cannot_be_taken_after_all_are_done_without() {
        let root = tempfile::tempdir().unwrap();
        // More than any machine has.
        let pool = root.path().join("sys/kernel/mm/hugepages/hugepages-2048kB");
        fs::create_dir_all(&pool).unwrap();
        fs::write(pool.join("free_hugepages"), "1000000000\n").unwrap();
        let tree = HostTree::new(root.path());
        let machine = Machine::load(&HostTree::live()).unwrap();
        let node = machine.targets().next().unwrap().id;
        let interrupted = AtomicBool::new(false);
        let resources = Resources {
            tree: &tree,
            machine: &machine,
            calls: &NumaCalls::LIVE,
            halt: Halt::on(&interrupted),
        };
        let needs = [Need { placement: Placement::Node(node), length: 4 * MIB, cycles: Vec::new() }];
        let mut arenas = Arenas::default();
        let taken = arenas.provide(&needs, Pages::Huge2M, resources).map(|arenas| arenas[0].page());
        // A host may have such pages.
        let has_them = taken.is_ok();
        let best = arenas.provide(&needs, Pages::Best, resources).map(|arenas| arenas[0].page());
        let expected = |page: PageKind| matches!(page, PageKind::Reserved(_)) == has_them;
        assert!(best.clone().is_ok_and(expected), "{best:?}");
    }

    /// A survey that went round its experiments filled gigabytes again in each round; with little memory, that is still right.
    #[test]
    fn arenas_with_other_contents_are_kept_while_there_is_room_and_filled_again_where_there_is_none() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("proc")).unwrap();
        // 24 MiB besides the reserve, which is a quarter.
        fs::write(root.path().join("proc/meminfo"), "MemAvailable: 32768 kB\n").unwrap();
        let tree = HostTree::new(root.path());
        let machine = Machine::load(&HostTree::live()).unwrap();
        let Some(node) = machine.targets().next().filter(|_| machine.nodes.len() == 1).map(|node| node.id)
        else {
            return;
        };
        let interrupted = AtomicBool::new(false);
        let resources = Resources {
            tree: &tree,
            machine: &machine,
            calls: &NumaCalls::LIVE,
            halt: Halt::on(&interrupted),
        };
        let mut arenas = Arenas::default();
        let mut visit = |length: usize, pages: Option<u16>| {
            let cycles: Vec<_> = pages.map(|pages| (0..length, Some(pages))).into_iter().collect();
            let needs = [Need { placement: Placement::Node(node), length, cycles: cycles.clone() }];
            let frees = arenas.must_free(&needs, Pages::Base, resources);
            let [arena] = arenas.provide(&needs, Pages::Base, resources).unwrap() else {
                panic!("one arena")
            };
            let ready = arena.holds(&cycles, length);
            for (range, pages) in cycles {
                arena.hold_cycle(&range, CycleShape { spacing: 128, pages }, Halt::on(&interrupted)).unwrap();
            }
            (arenas.held_on(node).get() as usize / MIB, ready, frees)
        };
        // Half of what is free, with what is held, has room for five.
        for (pages, held) in [(None, 4), (Some(1), 8), (Some(2), 12), (Some(3), 16), (Some(4), 20)] {
            let (now, ready, frees) = visit(4 * MIB, pages);
            assert_eq!((now, ready, frees), (held, pages.is_none(), false), "{pages:?}");
        }
        assert_eq!(visit(4 * MIB, Some(2)), (20, true, false));
        assert_eq!(visit(4 * MIB, Some(9)), (20, false, false), "another one is filled again");
        assert_eq!(visit(20 * MIB, None), (20, true, true), "all others make room");
    }
}

//! Reading back the pages that really back a buffer, and the nodes they are on.

use std::ops::Range;

use rand_core::Rng;
use rand_pcg::Pcg32;
use zerohop_machine::{FileTree, NodeId};
use zerohop_units::Bytes;
use zerohop_workload::{Backing, Warning};

use crate::memory::PageKind;
use crate::memory_site::Site;
use crate::numa_calls::{NumaCalls, Policy};
use crate::tree::text;

/// The most pages of one buffer that are checked.
const MOST_CHECKED: usize = 2048;

/// The most pages of all buffers of a workload that are checked: looking all of them up takes a few milliseconds.
const MOST_CHECKED_OF_ALL: usize = 16_384;

/// The fewest pages of a buffer that are checked, however many buffers there are.
const FEWEST_CHECKED: usize = 128;

/// Above this share of huge pages, a buffer is checked by its huge pages.
const ALL_HUGE: f64 = 0.99;

/// The pages to check of one buffer, before and after its samples.
#[derive(Debug, Clone)]
pub(crate) struct Check {
    range: Range<usize>,
    site: Site,
    /// The size of the pages that were asked for.
    asked: Bytes,
    /// The size of the pages that are there.
    size: usize,
    huge_share: Option<f64>,
    most: usize,
}

impl Check {
    /// What to check of the buffer at `range`, one of `buffers` of its workload. Pages that are not huge are `base` bytes long.
    pub(crate) fn new(
        range: &Range<usize>,
        (page, base): (PageKind, Bytes),
        site: &Site,
        smaps: Option<&HugePages>,
        buffers: usize,
    ) -> Self {
        let asked = page.size(base);
        let huge_share = smaps.map(|smaps| smaps.share(range));
        // Transparent huge pages are only hoped for. Reserved pages are there, or the mapping would not be.
        let huge = match page {
            PageKind::Base => false,
            PageKind::Transparent(_) => huge_share.is_some_and(|share| share >= ALL_HUGE),
            PageKind::Reserved(_) => true,
        };
        let most = MOST_CHECKED_OF_ALL / buffers.max(1);
        Self {
            range: range.clone(),
            site: site.clone(),
            asked,
            size: if huge { asked } else { base }.get() as usize,
            huge_share,
            most: most.clamp(FEWEST_CHECKED, MOST_CHECKED),
        }
    }

    /// Asks the kernel where the pages are. The `nth` look, counted from zero, is at other pages than the one before, if not all
    /// of them are checked. The second value is a warning, if there is one to give.
    pub(crate) fn look(&self, nth: u64, calls: &NumaCalls) -> (Backing, Option<Warning>) {
        let checked = sample(&self.range, self.size, self.most, nth);
        let pointers: Vec<*const u8> = checked.iter().map(|&at| std::ptr::without_provenance(at)).collect();
        let mut nodes = vec![i32::MIN; checked.len()];
        let located = (calls.locate)(&pointers, &mut nodes);
        let placed = located.as_ref().ok().map(|()| placed_share(&nodes, &self.site));
        let warning = match (placed, located) {
            (_, Err(error)) => Some(Warning::PlacementUnproven { reason: format!("move_pages: {error}") }),
            (Some(share), Ok(())) if share < 1.0 => Some(Warning::PagesMisplaced { share }),
            _ => None,
        };
        let backing = Backing {
            page: self.asked,
            huge_share: self.huge_share,
            placed_share: placed,
            pages_checked: if placed.is_some() { checked.len() as u64 } else { 0 },
            pages: self.range.len().div_ceil(self.size) as u64,
            confirmed: false,
        };
        (backing, warning)
    }
}

/// Addresses of up to `most` pages spread over a range: every page if there are few, otherwise one page at a random place in
/// each of equal stretches. A regular stride could be in step with an interleave and see only some of its nodes.
fn sample(range: &Range<usize>, page: usize, most: usize, nth: u64) -> Vec<usize> {
    let pages = range.len().div_ceil(page);
    let count = pages.min(most);
    let stretch = pages / count.max(1);
    let mut random = Pcg32::new((range.start as u64).wrapping_add(nth << 48), pages as u64);
    let mut place = |number: usize| number * pages / count + random.next_u32() as usize % stretch;
    (0..count).map(|number| range.start + place(number) * page).collect()
}

/// The share of pages that are on the right node. Interleaved pages are right as long as no node has more than its even
/// share, with a margin for the unevenness that sampling alone causes.
fn placed_share(nodes: &[i32], site: &Site) -> f64 {
    if nodes.is_empty() {
        return 1.0;
    }
    let on = |node: NodeId| nodes.iter().filter(|&&seen| i64::from(seen) == i64::from(node.0)).count();
    let right: usize = match &site.policy {
        Policy::Bind(_) | Policy::Local => site.nodes.iter().map(|&node| on(node)).sum(),
        Policy::Interleave(over) => {
            let even = nodes.len() as f64 / over.len() as f64;
            let most = (even + 4.0 * even.sqrt()).ceil() as usize;
            over.iter().map(|&node| on(node).min(most)).sum()
        }
    };
    right as f64 / nodes.len() as f64
}

/// The parts of this process's memory that huge pages back, from `/proc/self/smaps`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HugePages {
    /// Address ranges, each with its number of bytes on huge pages.
    ranges: Vec<(Range<usize>, u64)>,
}

impl HugePages {
    /// Reads them, if the kernel reports them.
    pub(crate) fn read(tree: &dyn FileTree, base: Bytes) -> Option<Self> {
        Some(Self::parse(&text(tree, "/proc/self/smaps")?, base))
    }

    fn parse(smaps: &str, base: Bytes) -> Self {
        let mut ranges: Vec<(Range<usize>, u64)> = Vec::new();
        let mut large = false;
        for line in smaps.lines() {
            let amount = |name: &str| {
                let rest = line.strip_prefix(name)?.strip_suffix("kB")?;
                rest.trim().parse::<u64>().ok().map(|kib| kib << 10)
            };
            if let Some(range) = address_range(line) {
                ranges.push((range, 0));
            } else if let Some(size) = amount("KernelPageSize:") {
                large = size > base.get();
            } else if let (Some((_, huge)), Some(bytes)) = (
                ranges.last_mut(),
                amount("AnonHugePages:")
                    .or_else(|| amount("Private_Hugetlb:").filter(|_| large))
                    .or_else(|| amount("Shared_Hugetlb:").filter(|_| large)),
            ) {
                *huge += bytes;
            }
        }
        Self { ranges }
    }

    /// The share of `range` on huge pages, 0 to 1. A mapping is assumed to be uniform.
    fn share(&self, range: &Range<usize>) -> f64 {
        let huge: f64 = self
            .ranges
            .iter()
            .map(|(mapped, huge)| {
                let start = mapped.start.max(range.start);
                let end = mapped.end.min(range.end);
                end.saturating_sub(start) as f64 * *huge as f64 / mapped.len() as f64
            })
            .sum();
        (huge / range.len().max(1) as f64).min(1.0)
    }
}

/// The range at the start of a mapping's first line: `7f0000000000-7f0000200000 rw-p …`.
fn address_range(line: &str) -> Option<Range<usize>> {
    let (start, end) = line.split_once(' ')?.0.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    Some(address(start)?..address(end)?).filter(|range| !range.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::io;
    use zerohop_machine::PuId;

    const SMAPS: &str = "\
7f0000000000-7f0000800000 rw-p 00000000 00:00 0 
Size:               8192 kB
KernelPageSize:        4 kB
AnonHugePages:      4096 kB
Private_Hugetlb:       0 kB
7f0010000000-7f0010400000 rw-p 00000000 00:0f 20 /anon_hugepage (deleted)
KernelPageSize:     2048 kB
AnonHugePages:         0 kB
Private_Hugetlb:    4096 kB
garbage
";

    fn site(policy: Policy, nodes: &[u32]) -> Site {
        Site { policy, nodes: nodes.iter().copied().map(NodeId).collect(), touchers: vec![PuId(0)] }
    }

    #[test]
    fn shares_of_huge_pages_are_those_of_the_mapping() {
        let huge = HugePages::parse(SMAPS, Bytes::kib(4));
        assert_eq!(huge.share(&(0x7f00_0000_0000..0x7f00_0080_0000)), 0.5);
        assert_eq!(huge.share(&(0x7f00_0000_0000..0x7f00_0020_0000)), 0.5);
        assert_eq!(huge.share(&(0x7f00_1000_0000..0x7f00_1040_0000)), 1.0);
        assert_eq!(huge.share(&(0x1000..0x2000)), 0.0);
    }

    #[test]
    fn few_pages_are_all_checked_and_many_are_sampled_evenly() {
        assert_eq!(sample(&(0x1000..0x4000), 0x1000, 512, 0), [0x1000, 0x2000, 0x3000]);
        let many = sample(&(0..1 << 30), 1 << 12, 512, 0);
        assert_eq!(many.len(), 512);
        assert_ne!(many, sample(&(0..1 << 30), 1 << 12, 512, 1), "each look is at other pages");
        assert!(many.is_sorted() && many.iter().all(|at| at % 4096 == 0 && *at < 1 << 30));
        for (pages, nodes) in [(1 << 11, 8), (1 << 18, 24), (1 << 12, 3), (5000, 16)] {
            let seen: HashSet<usize> =
                sample(&(0..pages << 12), 1 << 12, 512, 0).iter().map(|at| (at >> 12) % nodes).collect();
            assert_eq!(seen.len(), nodes, "pages interleaved over {nodes} nodes");
        }
        assert!(*many.last().unwrap() >= (1 << 30) - (1 << 22));
    }

    #[test]
    fn pages_elsewhere_or_absent_are_misplaced() {
        let bound = site(Policy::Bind(NodeId(2)), &[2]);
        assert_eq!(placed_share(&[2, 2, 2, 0], &bound), 0.75);
        assert_eq!(placed_share(&[2, -libc::ENOENT], &bound), 0.5);
    }

    #[test]
    fn an_interleave_that_went_to_one_node_is_misplaced() {
        let over = site(Policy::Interleave([0, 1].map(NodeId).to_vec()), &[0, 1]);
        let even: Vec<i32> = (0..512).map(|page| page % 2).collect();
        assert_eq!(placed_share(&even, &over), 1.0);
        assert!(placed_share(&[0; 512], &over) < 0.7);
        assert_eq!(placed_share(&[0, 1, 7, 7], &over), 0.5);
    }

    #[test]
    fn a_kernel_that_does_not_report_pages_leaves_the_placement_unproven() {
        let silent = NumaCalls { locate: |_, _| Err(io::ErrorKind::Unsupported.into()), ..NumaCalls::LIVE };
        let bound = site(Policy::Bind(NodeId(0)), &[0]);
        let check = Check::new(&(0x1000..0x4000), (PageKind::Base, Bytes::kib(4)), &bound, None, 1);
        let (backing, warning) = check.look(0, &silent);
        assert_eq!(backing, Backing { page: Bytes::kib(4), pages: 3, ..Backing::default() });
        assert!(matches!(warning, Some(Warning::PlacementUnproven { .. })), "{warning:?}");
    }

    /// A buffer of 8 MiB without huge pages was checked at 4 of its 2,048 pages: one for each huge page hoped for.
    #[test]
    fn pages_are_checked_by_the_size_that_is_there() {
        let all_right = NumaCalls {
            locate: |_, nodes| {
                nodes.fill(0);
                Ok(())
            },
            ..NumaCalls::LIVE
        };
        let bound = site(Policy::Bind(NodeId(0)), &[0]);
        let range = 0x7f00_0000_0000..0x7f00_0080_0000;
        let of_huge = |kib: u64| SMAPS.replace("4096 kB\nPrivate", &format!("{kib} kB\nPrivate"));
        let transparent = (PageKind::Transparent(Bytes::mib(2)), Bytes::kib(4));
        for (kib, pages) in [(0, 2048), (4096, 2048), (8192, 4)] {
            let smaps = HugePages::parse(&of_huge(kib), Bytes::kib(4));
            let (backing, _) = Check::new(&range, transparent, &bound, Some(&smaps), 1).look(0, &all_right);
            assert_eq!((backing.pages_checked, backing.pages), (pages, pages), "{kib} KiB on huge pages");
        }
        // Of many buffers, a share of the pages is checked, and the share is known.
        let (backing, _) = Check::new(&range, transparent, &bound, None, 64).look(0, &all_right);
        assert_eq!((backing.pages_checked, backing.pages), (256, 2048));
    }
}

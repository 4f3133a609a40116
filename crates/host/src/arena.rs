//! Arenas: memory of one placement, from which buffers are carved. An arena outlives the workload it was made for.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use zerohop_units::Bytes;
use zerohop_workload::{EngineError, Pages, Placement, Warning};

use crate::contents::fill;
use crate::cycle::{Cycle, LONGEST, Landmarks};
use crate::halt::Halt;
use crate::memory::{Mapping, PageKind, UNIT};
use crate::memory_site::Site;
use crate::numa_calls::NumaCalls;
use crate::parallel::for_each;

/// The key by which arenas are looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    /// Where the memory is placed.
    pub(crate) placement: Placement,
    /// The kind of its pages.
    pub(crate) pages: Pages,
}

/// The shape of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CycleShape {
    /// Distance of its nodes in bytes.
    pub(crate) spacing: usize,
    /// If given, it visits all nodes of this number of pages before it goes on.
    pub(crate) pages: Option<u16>,
}

/// A whole cycle that a part of memory holds.
type HeldCycle = (CycleShape, Landmarks);

/// Memory with one placement. Every page has been touched.
#[derive(Debug)]
pub(crate) struct Arena {
    request: Request,
    site: Site,
    mapping: Arc<Mapping>,
    unbound: Option<Warning>,
    /// Parts that hold pointers.
    cycles: Vec<(Range<usize>, Option<HeldCycle>)>,
}

/// A part of an arena. It keeps the memory alive even after the arena itself is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Slice {
    mapping: Arc<Mapping>,
    range: Range<usize>,
}

impl Slice {
    /// A part of a mapping. Slices of crews that work at the same time do not overlap; one that waits may overlap another.
    pub(crate) fn new(mapping: &Arc<Mapping>, range: Range<usize>) -> Self {
        assert!(range.end <= mapping.length(), "a part of the mapping");
        Self { mapping: Arc::clone(mapping), range }
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.mapping.start().wrapping_add(self.range.start)
    }

    /// Length in bytes.
    pub(crate) fn length(&self) -> usize {
        self.range.len()
    }

    pub(crate) fn addresses(&self) -> Range<usize> {
        let start = self.start().addr();
        start..start + self.length()
    }
}

/// The seed of every cycle. It is fixed, so that results differ because of the machine, not because of the cycle.
const SEED: u64 = 0x7a65_726f_686f_7073;

/// Bytes that one thread writes between two checks for an interrupt.
const STRETCH: usize = 8 * UNIT;

/// Nodes that one thread links between two checks for an interrupt.
const LINKS: usize = 1 << 18;

impl Arena {
    /// Maps, places and fills at least `length` bytes.
    ///
    /// # Errors
    /// The memory is not available, or filling it was interrupted or took too long.
    pub(crate) fn new(
        request: Request,
        site: Site,
        page: PageKind,
        length: usize,
        calls: &NumaCalls,
        halt: Halt<'_>,
    ) -> Result<Self, EngineError> {
        let no_memory = |error: io::Error| EngineError::NoMemory {
            wanted: Bytes(length as u64),
            place: request.placement.to_string(),
            reason: error.to_string(),
        };
        let (mapping, unbound) = Mapping::new(length, page, &site.policy, calls).map_err(no_memory)?;
        let unbound = unbound.map(|error| Warning::PlacementNotBound { reason: format!("mbind: {error}") });
        let stretches = mapping.length().div_ceil(STRETCH);
        for_each(&site.touchers, stretches, halt, |number| {
            let part = number * STRETCH..((number + 1) * STRETCH).min(mapping.length());
            mapping.populate(part.start, part.len()).map_err(no_memory)?;
            // SAFETY: no other code has the mapping yet, and each stretch is filled by one thread.
            unsafe { fill_part(&mapping, part) };
            Ok(())
        })?;
        Ok(Self { request, site, mapping: Arc::new(mapping), unbound, cycles: Vec::new() })
    }

    /// The request it was made for.
    pub(crate) fn request(&self) -> &Request {
        &self.request
    }

    /// Where the memory should be.
    pub(crate) fn site(&self) -> &Site {
        &self.site
    }

    /// The kind of its pages.
    pub(crate) fn page(&self) -> PageKind {
        self.mapping.page()
    }

    /// Its length in bytes.
    pub(crate) fn length(&self) -> usize {
        self.mapping.length()
    }

    /// The warning that the kernel refused to bind it, if so.
    pub(crate) fn unbound(&self) -> Option<&Warning> {
        self.unbound.as_ref()
    }

    /// Whether these parts of its first `length` bytes hold cycles of that shape, and nothing else there does.
    pub(crate) fn holds(&self, cycles: &[(Range<usize>, Option<u16>)], length: usize) -> bool {
        let there = self.cycles.iter().filter(|(range, _)| range.start < length);
        let matches = |(range, held): &(Range<usize>, Option<HeldCycle>)| {
            let pages = held.as_ref().map(|(shape, _)| shape.pages);
            cycles.iter().any(|(wanted, shape)| range == wanted && pages == Some(*shape))
        };
        there.clone().count() == cycles.len() && there.clone().all(matches)
    }

    /// A part of it. Slices of crews that work at the same time do not overlap.
    pub(crate) fn slice(&self, range: Range<usize>) -> Slice {
        Slice::new(&self.mapping, range)
    }

    /// Makes sure that a part holds values and no pointers.
    ///
    /// # Errors
    /// Filling it was interrupted or took too long.
    pub(crate) fn hold_values(&mut self, range: &Range<usize>, halt: Halt<'_>) -> Result<(), EngineError> {
        let overlaps = |other: &Range<usize>| other.start < range.end && range.start < other.end;
        while let Some(at) = self.cycles.iter().position(|(cycle, _)| overlaps(cycle)) {
            let cycle = self.cycles[at].0.clone();
            let mapping = &self.mapping;
            for_each(&self.site.touchers, cycle.len().div_ceil(STRETCH), halt, |number| {
                let start = cycle.start + number * STRETCH;
                // SAFETY: no worker runs while buffers are prepared, and each stretch is filled by one thread.
                unsafe { fill_part(mapping, start..(start + STRETCH).min(cycle.end)) };
                Ok(())
            })?;
            self.cycles.swap_remove(at);
        }
        Ok(())
    }

    /// Makes sure that a part holds one cycle of pointers, and returns its landmarks, from which chains may start. Landmarks
    /// of one cycle share their trail.
    ///
    /// # Errors
    /// Building the cycle was interrupted or took too long, or the cycle would be too long.
    pub(crate) fn hold_cycle(
        &mut self,
        range: &Range<usize>,
        shape: CycleShape,
        halt: Halt<'_>,
    ) -> Result<Landmarks, EngineError> {
        let held = self.cycles.iter().find(|(cycle, _)| cycle == range).and_then(|(_, held)| held.as_ref());
        if let Some((_, landmarks)) = held.filter(|(held, _)| *held == shape) {
            return Ok(landmarks.clone());
        }
        let spacing = shape.spacing;
        let block = shape.pages.map(|pages| {
            usize::from(pages) * self.page().size(Bytes(rustix::param::page_size() as u64)).get() as usize
        });
        if range.len() / spacing > LONGEST {
            return Err(EngineError::Unsupported {
                what: format!("a chase over {}", Bytes(range.len() as u64)),
                reason: format!("the longest is over {}", Bytes((LONGEST * spacing) as u64)),
            });
        }
        self.hold_values(range, halt)?;
        let go_on = || halt.check().is_ok();
        let cycle = Cycle::over(range.len(), (spacing, block), SEED, go_on);
        let Some(cycle) = cycle else { return Err(halt.check().err().unwrap_or(EngineError::OutOfTime)) };
        self.cycles.push((range.clone(), None));
        let slice = self.slice(range.clone());
        for_each(&self.site.touchers, cycle.nodes().div_ceil(LINKS), halt, |number| {
            let ranks = number * LINKS..((number + 1) * LINKS).min(cycle.nodes());
            // SAFETY: the slice is as long as the cycle was made for, and no worker runs while buffers are prepared.
            unsafe { cycle.write(slice.start(), ranks) };
            Ok(())
        })?;
        let landmarks = cycle.landmarks();
        self.cycles.pop();
        self.cycles.push((range.clone(), Some((shape, landmarks.clone()))));
        Ok(landmarks)
    }
}

/// Fills a part with values.
///
/// # Safety
/// No other thread may use the part during the call.
unsafe fn fill_part(mapping: &Mapping, part: Range<usize>) {
    const WORD: usize = size_of::<u64>();
    assert!(part.end <= mapping.length() && part.start.is_multiple_of(WORD), "a part of the mapping");
    // SAFETY: the part is inside the mapping, starts on a word boundary, and belongs to this caller alone.
    let words = unsafe {
        std::slice::from_raw_parts_mut(mapping.start().add(part.start).cast::<u64>(), part.len() / WORD)
    };
    fill(words, (part.start / WORD) as u64);
}

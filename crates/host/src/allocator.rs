//! The allocator of static builds: heaps for several threads at a time (docs/decisions/0033-allocator-of-static-builds.md).
//!
//! A thread allocates in one of several heaps of [`dlmalloc`], each with its own lock, so that threads hardly wait for each other. The heap's
//! number stands in front of each block, because any thread may free it.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dlmalloc::Dlmalloc;

/// Heaps. With more threads than these, some share one.
const HEAPS: usize = 32;

/// The least room in front of a block. It has the heap's number, and keeps the alignment that most blocks ask for.
const LEAST_ROOM: usize = 16;

/// A heap in cache lines of its own.
#[repr(align(128))]
struct Heap(Mutex<Dlmalloc>);

/// An allocator of several heaps.
pub struct Heaps([Heap; HEAPS]);

/// The number of threads that have allocated so far.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The heap of this thread; none before it allocates for the first time.
    static OWN: Cell<usize> = const { Cell::new(usize::MAX) };
}

impl Default for Heaps {
    fn default() -> Self {
        Self::new()
    }
}

impl Heaps {
    pub const fn new() -> Self {
        Self([const { Heap(Mutex::new(Dlmalloc::new())) }; HEAPS])
    }

    fn heap(&self, number: usize) -> MutexGuard<'_, Dlmalloc> {
        // What panics here ends the program anyway.
        self.0[number].0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block of this thread's heap; `allocate` is given the heap, size and alignment.
    fn allocate(
        &self,
        layout: Layout,
        allocate: impl FnOnce(&mut Dlmalloc, usize, usize) -> *mut u8,
    ) -> *mut u8 {
        let room = room(layout);
        let Some(size) = layout.size().checked_add(room) else { return null_mut() };
        let number = own();
        let start = allocate(&mut self.heap(number), size, layout.align().max(LEAST_ROOM));
        // SAFETY: `start` is null, or the beginning of a block of `size` bytes, of which `room` are in front.
        unsafe { marked(start, room, number) }
    }
}

/// The number of this thread's heap.
fn own() -> usize {
    OWN.with(|own| {
        if own.get() == usize::MAX {
            own.set(THREADS.fetch_add(1, Ordering::Relaxed) % HEAPS);
        }
        own.get()
    })
}

/// The room in front of a block: a multiple of its alignment.
fn room(layout: Layout) -> usize {
    layout.align().max(LEAST_ROOM)
}

/// Writes the number of its heap in front of a block, and returns the block.
///
/// # Safety
/// `start` is null, or aligned to 16 bytes and the beginning of a block with at least `room` bytes, a multiple of 16.
unsafe fn marked(start: *mut u8, room: usize, number: usize) -> *mut u8 {
    if start.is_null() {
        return start;
    }
    // SAFETY: By this function's condition, `room` bytes belong to the block, and the word before their end is aligned.
    unsafe {
        let block = start.add(room);
        block.cast::<usize>().sub(1).write(number);
        block
    }
}

/// The number of a block's heap.
///
/// # Safety
/// [`marked`] returned the block, and it was not freed.
unsafe fn number_of(block: *mut u8) -> usize {
    // SAFETY: `marked` has written it there.
    unsafe { block.cast::<usize>().sub(1).read() }
}

// SAFETY: A block is part of one that dlmalloc returned, behind `room` bytes, which keep its alignment; it is given back with the size and
// the alignment that were asked for, to the heap that it is from. The heaps need no memory of others, and their locks none either.
unsafe impl GlobalAlloc for Heaps {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The size is not zero, and the alignment is a power of two.
        self.allocate(layout, |heap, size, align| unsafe { heap.malloc(size, align) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: As for `alloc`.
        self.allocate(layout, |heap, size, align| unsafe { heap.calloc(size, align) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let room = room(layout);
        // SAFETY: The caller passes a block of this allocator, with the layout that it has.
        unsafe {
            let mut heap = self.heap(number_of(block));
            heap.free(block.sub(room), layout.size() + room, layout.align().max(LEAST_ROOM));
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let room = room(layout);
        let Some(new) = size.checked_add(room) else { return null_mut() };
        // SAFETY: As for `dealloc`. What is in front of the block moves along with it.
        unsafe {
            let number = number_of(block);
            let (start, align) = (block.sub(room), layout.align().max(LEAST_ROOM));
            let start = self.heap(number).realloc(start, layout.size() + room, align, new);
            marked(start, room, number)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of all sizes and alignments, as threads allocate, grow and free them, those of other threads as well.
    #[test]
    fn blocks_keep_their_content_whoever_frees_them() {
        static ALL: Heaps = Heaps::new();
        static GIVEN: Mutex<Vec<(usize, Layout, u8)>> = Mutex::new(Vec::new());
        let whole = |block: *mut u8, layout: Layout, byte: u8| {
            assert_eq!(block.align_offset(layout.align()), 0);
            // SAFETY: It has that size, and was filled.
            let content = unsafe { std::slice::from_raw_parts(block, layout.size()) };
            assert!(content.iter().all(|one| *one == byte));
        };
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                scope.spawn(move || {
                    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(thread + 1);
                    let mut random = |below: u64| {
                        state = state
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1_442_695_040_888_963_407);
                        (state >> 33) % below
                    };
                    for round in 0..2000 {
                        let most = if round % 50 == 0 { 1 << 20 } else { 2000 };
                        let (size, align) = (1 + random(most) as usize, 1 << random(13));
                        let (mut layout, byte) = (Layout::from_size_align(size, align).unwrap(), round as u8);
                        // SAFETY: No size is zero; blocks are used within their layouts and freed once.
                        unsafe {
                            let zeroed = round % 3 == 0;
                            let mut block = if zeroed { ALL.alloc_zeroed(layout) } else { ALL.alloc(layout) };
                            assert!(!block.is_null());
                            if zeroed {
                                whole(block, layout, 0);
                            }
                            block.write_bytes(byte, size);
                            if round % 4 == 0 {
                                let size = 1 + random(2 * most) as usize;
                                let kept = Layout::from_size_align(size.min(layout.size()), align).unwrap();
                                block = ALL.realloc(block, layout, size);
                                whole(block, kept, byte);
                                layout = Layout::from_size_align(size, align).unwrap();
                                block.write_bytes(byte, size);
                            }
                            let mut given = GIVEN.lock().unwrap();
                            given.push((block as usize, layout, byte));
                            if given.len() > 100 {
                                let at = random(given.len() as u64) as usize;
                                let (block, layout, byte) = given.swap_remove(at);
                                drop(given);
                                whole(block as *mut u8, layout, byte);
                                ALL.dealloc(block as *mut u8, layout);
                            }
                        }
                    }
                });
            }
        });
        for (block, layout, byte) in std::mem::take(&mut *GIVEN.lock().unwrap()) {
            whole(block as *mut u8, layout, byte);
            // SAFETY: It was not freed.
            unsafe { ALL.dealloc(block as *mut u8, layout) };
        }
    }

    #[test]
    fn a_size_that_no_block_can_have_is_refused() {
        let layout = Layout::from_size_align(isize::MAX as usize - 8, 1).unwrap();
        // SAFETY: The size is not zero.
        assert!(unsafe { Heaps::new().alloc(layout) }.is_null());
    }
}

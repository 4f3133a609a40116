//! An allocator that ends the program with words where there is no memory.
//!
//! Rust's standard library aborts then, which looks like a bug, and its hook for that is not stable.

use std::alloc::{GlobalAlloc, Layout};
use std::fmt::{self, Write};

/// An allocator whose refusals end the program: they are almost always those of a limit that the user can raise.
pub struct OutOfMemory<A> {
    inner: A,
    status: i32,
}

impl<A> OutOfMemory<A> {
    /// Allocates from `inner`, and ends the program with that exit status where it refuses.
    pub const fn ends_with(status: i32, inner: A) -> Self {
        Self { inner, status }
    }

    /// `start`, unless it is null.
    fn there(&self, start: *mut u8, size: usize) -> *mut u8 {
        if start.is_null() {
            end(size, self.status);
        }
        start
    }
}

// SAFETY: every block is one of the inner allocator's, which keeps the rules.
unsafe impl<A: GlobalAlloc> GlobalAlloc for OutOfMemory<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the same promises.
        self.there(unsafe { self.inner.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the same promises.
        self.there(unsafe { self.inner.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the same promises.
        self.there(unsafe { self.inner.realloc(block, layout, size) }, size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the same promises.
        unsafe { self.inner.dealloc(block, layout) };
    }
}

/// Text of a fixed length: there is no memory for another.
struct Words {
    bytes: [u8; 512],
    length: usize,
}

impl Write for Words {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

#[cold]
fn end(size: usize, status: i32) -> ! {
    let mut words = Words { bytes: [0; 512], length: 0 };
    // What does not fit is left out.
    let _ = write!(
        words,
        "error: out of memory: cannot allocate {size} bytes\nhint: raise the limit on the address space (`ulimit -v`) or of the cgroup (memory.max), or use less \
                 memory (`--buffer`, `--nodes`)\n"
    );
    // SAFETY: the bytes are there, and a failure to write them changes nothing. Nothing that allocates may run any more.
    unsafe {
        libc::write(libc::STDERR_FILENO, words.bytes.as_ptr().cast(), words.length);
        libc::_exit(status)
    }
}

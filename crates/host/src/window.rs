//! A part of a file mapped into memory, and which of its pages the kernel caches.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::ptr::NonNull;

use libc::c_int;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};

/// A part of a file, mapped for reading.
#[derive(Debug)]
pub(crate) struct Window {
    start: NonNull<u8>,
    length: usize,
    page: usize,
}

impl Window {
    /// Maps `length` bytes of the file from `offset`, a multiple of the page size.
    ///
    /// # Errors
    /// When the file cannot be mapped.
    pub(crate) fn new(file: &File, offset: u64, length: usize) -> io::Result<Self> {
        // SAFETY: a new mapping replaces nothing. Nothing here reads through it but `touch`, which says why it may.
        let start = unsafe {
            mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file.as_fd(), offset)?
        };
        let start = NonNull::new(start.cast()).ok_or_else(|| io::Error::other("mapped at address zero"))?;
        Ok(Self { start, length, page: rustix::param::page_size() })
    }

    /// The size of its pages.
    pub(crate) const fn page(&self) -> usize {
        self.page
    }

    /// The address of a page.
    pub(crate) fn address(&self, page: usize) -> *const u8 {
        assert!(page * self.page < self.length, "the page is in the window");
        // SAFETY: the offset is within the mapping.
        unsafe { self.start.as_ptr().add(page * self.page) }
    }

    /// The ranks of the pages that are cached.
    ///
    /// # Errors
    /// When the kernel does not report them.
    pub(crate) fn cached(&self) -> io::Result<Vec<usize>> {
        let mut states = vec![0; self.length.div_ceil(self.page)];
        // SAFETY: the kernel writes one byte per page of the mapping.
        let result = unsafe { libc::mincore(self.start.as_ptr().cast(), self.length, states.as_mut_ptr()) };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((0..states.len()).filter(|&rank| states[rank] & 1 == 1).collect())
    }

    /// Enters these pages, which are cached, into the page table: the kernel knows the node of such pages only.
    pub(crate) fn enter(&self, pages: &[usize]) {
        for run in pages.chunk_by(|one, next| one + 1 == *next) {
            let length = (run.len() * self.page).min(self.length - run[0] * self.page);
            let start = self.address(run[0]).cast_mut().cast();
            // SAFETY: reading pages of a file changes no memory.
            let entered = unsafe { madvise(start, length, Advice::LinuxPopulateRead) };
            // Kernels before 5.14 do not know this advice. A page that cannot be read stays unknown.
            if entered == Err(rustix::io::Errno::INVAL) {
                run.iter().for_each(|&page| self.touch(page));
            }
        }
    }

    fn touch(&self, page: usize) {
        // SAFETY: the page was cached just now, so the file reaches that far. If another process cuts the file in this
        // moment, the kernel ends this process, as it would end any that maps the file; nothing is changed by that.
        unsafe { std::ptr::read_volatile(self.address(page)) };
    }

    /// The node of each of these pages, or a negative error number, by `ask`.
    ///
    /// # Errors
    /// When the kernel reports nothing.
    pub(crate) fn nodes(
        &self,
        pages: &[usize],
        mut ask: impl FnMut(&[*const u8], &mut [c_int]) -> io::Result<()>,
    ) -> io::Result<Vec<c_int>> {
        let addresses: Vec<*const u8> = pages.iter().map(|&page| self.address(page)).collect();
        let mut nodes = vec![-libc::ENOENT; addresses.len()];
        ask(&addresses, &mut nodes)?;
        Ok(nodes)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: the mapping is this window's own, and nothing refers to it any more.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}

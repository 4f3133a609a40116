//! Mappings that own their pages.

use std::io;
use std::ptr::NonNull;

use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap_anonymous, mprotect, munmap};
use zerohop_units::Bytes;

use crate::numa_calls::{NumaCalls, Policy};

/// The kind of pages in one mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageKind {
    /// Base pages, never huge.
    Base,
    /// Transparent huge pages of this size, as far as the kernel provides them.
    Transparent(Bytes),
    /// Reserved pages of this size.
    Reserved(Bytes),
}

/// The smallest piece of memory that is set up separately. Every mapping's start and length are multiples of it.
pub(crate) const UNIT: usize = 2 << 20;

impl PageKind {
    /// The size of one page, given that of base pages.
    pub(crate) fn size(self, base: Bytes) -> Bytes {
        match self {
            Self::Base => base,
            Self::Transparent(size) | Self::Reserved(size) => size,
        }
    }

    /// The unit of which starts and lengths are multiples.
    pub(crate) fn alignment(self) -> usize {
        match self {
            Self::Base => UNIT,
            Self::Transparent(size) | Self::Reserved(size) => UNIT.max(size.get() as usize),
        }
    }
}

/// Memory of this process, unmapped on drop. Inaccessible addresses surround it, so that the kernel never merges it
/// with another mapping.
#[derive(Debug)]
pub(crate) struct Mapping {
    reserved: NonNull<u8>,
    reserved_length: usize,
    start: NonNull<u8>,
    length: usize,
    page: PageKind,
}

// SAFETY: a mapping is an address range that stays valid on every thread until it is dropped. All access is through raw
// pointers of its slices, whose holders guarantee that it does not conflict.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `length` bytes, rounded up to whole pages and [`UNIT`]s, with the given policy and pages, and touches none of
    /// them. The second value is the error of setting the policy, if there was one.
    ///
    /// Policy and pages are set while the range is still inaccessible. Otherwise, a neighboring huge page could grow
    /// into it.
    ///
    /// # Errors
    /// The kernel has no such range or pages.
    pub(crate) fn new(
        length: usize,
        page: PageKind,
        policy: &Policy,
        calls: &NumaCalls,
    ) -> io::Result<(Self, Option<io::Error>)> {
        let mapping = Self::reserve(length, page)?;
        let unbound = (calls.bind)(mapping.start(), mapping.length, policy).err();
        let advice = match page {
            PageKind::Base => Some(Advice::LinuxNoHugepage),
            PageKind::Transparent(_) => Some(Advice::LinuxHugepage),
            PageKind::Reserved(_) => None,
        };
        if let Some(advice) = advice {
            // SAFETY: the range is ours, and advice on huge pages changes no contents. A kernel without transparent huge pages
            // refuses, which shows later in the share of huge pages that is read back.
            let _ = unsafe { madvise(mapping.start().cast(), mapping.length, advice) };
        }
        // SAFETY: the range is ours and nothing refers into it yet.
        unsafe {
            mprotect(mapping.start().cast(), mapping.length, MprotectFlags::READ | MprotectFlags::WRITE)?;
        }
        Ok((mapping, unbound))
    }

    fn reserve(length: usize, page: PageKind) -> io::Result<Self> {
        let alignment = page.alignment();
        let length = length.max(1).next_multiple_of(alignment);
        let (flags, margin) = match page {
            PageKind::Base | PageKind::Transparent(_) => (MapFlags::empty(), 2 * alignment),
            // The kernel aligns reserved pages itself, and takes them out of the pool in this call.
            PageKind::Reserved(size) => (MapFlags::HUGETLB | huge_page_flag(size), 0),
        };
        let reserved_length = length + margin;
        // SAFETY: the kernel chooses an address that nothing else uses.
        let reserved = unsafe {
            mmap_anonymous(
                std::ptr::null_mut(),
                reserved_length,
                ProtFlags::empty(),
                MapFlags::PRIVATE | flags,
            )
        }?;
        let reserved = NonNull::new(reserved.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let gap = match margin {
            0 => 0,
            // At least one page stays inaccessible before the start, and as much after the end.
            _ => (reserved.addr().get() + 1).next_multiple_of(alignment) - reserved.addr().get(),
        };
        // SAFETY: `gap` is at most `alignment`, half of what was mapped beyond `length`.
        let start = unsafe { reserved.add(gap) };
        Ok(Self { reserved, reserved_length, start, length, page })
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Length in bytes.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// The kind of its pages.
    pub(crate) fn page(&self) -> PageKind {
        self.page
    }

    /// Populates every page in a part of it, from the calling thread.
    ///
    /// # Errors
    /// There is no memory for it. Only Linux 5.14 and later return this error; older kernels kill the process instead.
    pub(crate) fn populate(&self, offset: usize, length: usize) -> io::Result<()> {
        assert!(offset + length <= self.length, "a part of the mapping");
        // SAFETY: the part is inside the mapping, and populating changes no contents.
        let result = unsafe { madvise(self.start().add(offset).cast(), length, Advice::LinuxPopulateWrite) };
        match result {
            // Older kernels do not know this advice. The thread that fills the part then touches it.
            Ok(()) | Err(rustix::io::Errno::INVAL) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `reserve`, and every slice of it keeps the mapping alive.
        let unmapped = unsafe { munmap(self.reserved.as_ptr().cast(), self.reserved_length) };
        debug_assert!(unmapped.is_ok(), "{unmapped:?}");
    }
}

/// `MAP_HUGE_2MB`, `MAP_HUGE_1GB` and their like: the logarithm of the size, shifted.
fn huge_page_flag(size: Bytes) -> MapFlags {
    const MAP_HUGE_SHIFT: u32 = 26;
    MapFlags::from_bits_retain(size.get().ilog2() << MAP_HUGE_SHIFT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerohop_machine::NodeId;

    const THP: PageKind = PageKind::Transparent(Bytes::mib(2));

    #[test]
    fn mappings_are_aligned_rounded_and_writable() {
        for page in [PageKind::Base, THP] {
            let (mapping, _) =
                Mapping::new(3 << 20, page, &Policy::Bind(NodeId(0)), &NumaCalls::LIVE).unwrap();
            assert_eq!(mapping.start().addr() % UNIT, 0);
            assert_eq!(mapping.length(), 4 << 20);
            mapping.populate(0, mapping.length()).unwrap();
            // SAFETY: this is the last byte of a mapping that only this test uses.
            unsafe { mapping.start().add(mapping.length() - 1).write(1) };
        }
    }

    #[test]
    fn a_refused_policy_is_reported_but_no_error() {
        let denied =
            NumaCalls { bind: |_, _, _| Err(io::ErrorKind::PermissionDenied.into()), ..NumaCalls::LIVE };
        let (_, unbound) = Mapping::new(UNIT, THP, &Policy::Bind(NodeId(0)), &denied).unwrap();
        assert_eq!(unbound.unwrap().kind(), io::ErrorKind::PermissionDenied);
    }

    #[test]
    fn no_memory_is_an_error() {
        assert!(Mapping::new(1 << 56, PageKind::Base, &Policy::Local, &NumaCalls::LIVE).is_err());
    }

    #[test]
    fn sizes_of_reserved_pages_are_passed_as_their_logarithm() {
        assert_eq!(huge_page_flag(Bytes::mib(2)), MapFlags::HUGE_2MB);
        assert_eq!(huge_page_flag(Bytes::gib(1)), MapFlags::HUGE_1GB);
    }
}

//! Where a worker's buffer is.

/// The places of a worker's buffer: page by page over one or more memories.
#[derive(Debug, Clone)]
pub(crate) struct Buffer {
    /// Rank of the memory and address of the buffer's first byte there, for each place.
    pub(crate) places: Vec<(u16, u64)>,
    /// Lines of a page.
    pub(crate) page: u64,
    /// Lines of each array.
    pub(crate) lines: u64,
    pub(crate) arrays: u64,
}

impl Buffer {
    /// The end address of the buffer in a memory; `None` if no part of it is there.
    pub(crate) fn end(&self, memory: u16) -> Option<u64> {
        let bytes = (self.lines * self.arrays * 64).div_ceil(self.places.len() as u64);
        let bases = self.places.iter().filter(|(at, _)| *at == memory).map(|(_, base)| base + bytes);
        bases.max()
    }

    /// Memory of a line of an array, and its address there.
    #[inline]
    pub(crate) fn locate(&self, array: u8, line: u64) -> (u16, u64) {
        let line = u64::from(array) * self.lines + line;
        if let [(memory, base)] = self.places[..] {
            return (memory, base + line * 64);
        }
        let (page, within) = (line / self.page, line % self.page);
        let count = self.places.len() as u64;
        let (memory, base) = self.places[(page % count) as usize];
        (memory, base + (page / count * self.page + within) * 64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interleaved_buffer_goes_page_by_page() {
        let buffer = Buffer { places: vec![(0, 0), (3, 1 << 20)], page: 64, lines: 1024, arrays: 1 };
        assert_eq!(buffer.locate(0, 63), (0, 63 * 64));
        assert_eq!(buffer.locate(0, 64), (3, 1 << 20));
        assert_eq!(buffer.locate(0, 130), (0, 66 * 64));
        assert_eq!(
            [0, 1, 3].map(|memory| buffer.end(memory)),
            [Some(512 * 64), None, Some((1 << 20) + 512 * 64)]
        );
    }
}

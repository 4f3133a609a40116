//! How a stream walks through a buffer whose pages are on several nodes.
//!
//! A worker stays in a page of 2 MiB for far longer than a simulation lasts, and what is published or measured lasts for
//! thousands of pages. Only what a worker finds in all of its places, each for as long as it takes there, is therefore worth
//! simulating: streams alternate between places in pieces of pages, so short that they come round several times within a sample.

use crate::buffer::Buffer;

/// Lines of all workers' pieces in all of their places: what one round of all of them costs.
const LINES_OF_A_ROUND: u64 = 16_384;

/// Lines of a piece. A worker's lines in flight are in one place at a time if pieces are much longer than its window; where many
/// workers share the machine, others fill in, and shorter ones show the same.
const LINES: std::ops::RangeInclusive<u64> = 16..=256;

/// The pieces of a buffer that a stream takes in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pieces {
    places: u64,
    /// Lines of a piece.
    piece: u64,
    /// Lines in each place.
    lines: u64,
}

impl Pieces {
    /// Those of a buffer in several places, one of `workers` of its kind: no longer than its pages.
    pub(crate) fn new(buffer: &Buffer, workers: usize) -> Self {
        let places = buffer.places.len().max(1) as u64;
        let fair = LINES_OF_A_ROUND / (workers.max(1) as u64 * places);
        let (shortest, longest) = LINES.into_inner();
        let piece = fair.clamp(shortest, longest).min(buffer.page);
        Self { places, piece, lines: (buffer.lines * buffer.arrays).div_ceil(places) }
    }

    /// Lines in which a stream comes to each place once.
    pub(crate) const fn round(&self) -> u64 {
        self.places * self.piece
    }

    /// The place of the stream's line with that number, and its number there.
    #[inline]
    pub(crate) const fn locate(&self, line: u64) -> (usize, u64) {
        let (rounds, within) = (line / self.round(), line % self.round());
        let (place, line) = (within / self.piece, within % self.piece);
        (place as usize, (rounds * self.piece + line) % self.lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(places: usize, pages: u64) -> Buffer {
        let places = (0..places).map(|place| (place as u16, 0)).collect();
        Buffer { places, page: 32_768, lines: pages * 32_768, arrays: 1 }
    }

    #[test]
    fn a_stream_takes_every_line_once() {
        let pieces = Pieces::new(&buffer(4, 8), 2);
        let mut seen: Vec<(usize, u64)> = (0..8 * 32_768).map(|line| pieces.locate(line)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 8 * 32_768);
        assert!(seen.iter().all(|&(_, line)| line < 2 * 32_768), "two pages in each place");
    }

    #[test]
    fn pieces_are_shorter_the_more_workers_there_are() {
        let round = |pages, workers| Pieces::new(&buffer(2, pages), workers).round();
        assert_eq!([1, 64, 1000].map(|workers| round(64, workers)), [512, 256, 32]);
        let small = Buffer { page: 64, ..buffer(2, 64) };
        assert_eq!(Pieces::new(&small, 1).round(), 128, "no piece is longer than a page");
    }
}

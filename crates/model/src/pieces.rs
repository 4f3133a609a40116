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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pieces {
    /// By place: the line of a round with which its piece ends.
    ends: Vec<u64>,
    /// By place: its lines.
    lines: Vec<u64>,
}

impl Pieces {
    /// Those of a buffer in several places, one of `workers` of its kind: no longer than its pages, and in the proportion of what
    /// is in each place.
    pub(crate) fn new(buffer: &Buffer, workers: usize) -> Self {
        let count = buffer.places.len();
        let fair = LINES_OF_A_ROUND / (workers.max(1) * count.max(1)) as u64;
        let (shortest, longest) = LINES.into_inner();
        let piece = fair.clamp(shortest, longest).min(buffer.page);
        let mut end = 0;
        let ends = (0..count).map(|place| {
            let share = buffer.share(place);
            let lines = (share * (piece * count as u64) as f64).round() as u64;
            end += lines.max(u64::from(share > 0.0));
            end
        });
        let all = (buffer.lines * buffer.arrays) as f64;
        Self {
            ends: ends.collect(),
            lines: (0..count).map(|place| (buffer.share(place) * all).round() as u64).collect(),
        }
    }

    /// Lines in which a stream comes to each place once.
    pub(crate) fn round(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The place of the stream's line with that number, and its number there.
    #[inline]
    pub(crate) fn locate(&self, line: u64) -> (usize, u64) {
        let round = self.round();
        let (rounds, within) = (line / round, line % round);
        let place = self.ends.partition_point(|&end| end <= within);
        let begin = if place == 0 { 0 } else { self.ends[place - 1] };
        let piece = self.ends[place] - begin;
        (place, (rounds * piece + within - begin) % self.lines[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(places: usize, pages: u64) -> Buffer {
        let places = (0..places).map(|place| (place as u16, 0)).collect();
        Buffer { places, page: 32_768, lines: pages * 32_768, arrays: 1 }
    }

    /// Lines of a round in each place.
    fn visits(pieces: &Pieces, places: usize) -> Vec<u64> {
        let mut visits = vec![0; places];
        (0..pieces.round()).for_each(|line| visits[pieces.locate(line).0] += 1);
        visits
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

    /// A buffer of five pages over two nodes has three of them on the first: workers that began in the fifth never left it, and
    /// counted as fast as local memory is.
    #[test]
    fn few_pages_are_visited_by_their_share() {
        let pieces = Pieces::new(&buffer(2, 5), 1);
        assert_eq!(visits(&pieces, 2), [307, 205]);
        assert_eq!(visits(&Pieces::new(&buffer(4, 3), 8), 4), [341, 341, 341, 0]);
    }
}

//! How far a stream runs ahead of its oldest outstanding line.
//!
//! A core consumes the lines of a stream in order, and prefetchers run only a limited distance ahead of the load that
//! waits. A single late line therefore stops a stream, however many others have arrived meanwhile and freed their
//! buffers.

use zerohop_machine_file::InFlight;

/// The position of a worker's stream.
#[derive(Debug)]
pub(crate) struct Ahead {
    limit: u8,
    /// Numbers of the oldest outstanding line and of the next line to issue; they wrap around.
    oldest: u8,
    next: u8,
    /// Which lines have arrived, from the oldest on.
    come: u128,
}

impl Ahead {
    pub(crate) fn new(limit: u32) -> Self {
        Self { limit: limit.clamp(1, InFlight::FARTHEST_AHEAD) as u8, oldest: 0, next: 0, come: 0 }
    }

    /// Whether one more line may be issued.
    #[inline]
    pub(crate) const fn has_room(&self) -> bool {
        self.next.wrapping_sub(self.oldest) < self.limit
    }

    /// Issues a line; returns its number.
    #[inline]
    pub(crate) const fn ask(&mut self) -> u8 {
        let sequence = self.next;
        self.next = sequence.wrapping_add(1);
        sequence
    }

    /// The line with that number has arrived.
    #[inline]
    pub(crate) const fn come(&mut self, sequence: u8) {
        self.come |= 1 << sequence.wrapping_sub(self.oldest);
        let in_order = self.come.trailing_ones();
        self.oldest = self.oldest.wrapping_add(in_order as u8);
        self.come = if in_order < u128::BITS { self.come >> in_order } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_outstanding_line_stops_the_stream() {
        let mut ahead = Ahead::new(4);
        let lines: Vec<u8> = (0..4).map(|_| ahead.ask()).collect();
        assert!(!ahead.has_room());
        for &line in &lines[1..] {
            ahead.come(line);
            assert!(!ahead.has_room(), "the first is missing");
        }
        ahead.come(lines[0]);
        for _ in 0..4 {
            assert!(ahead.has_room());
            ahead.ask();
        }
        assert!(!ahead.has_room());
    }

    #[test]
    fn numbers_wrap_around() {
        let mut ahead = Ahead::new(InFlight::FARTHEST_AHEAD);
        for round in 0..10 {
            let mut lines: Vec<u8> = Vec::new();
            while ahead.has_room() {
                lines.push(ahead.ask());
            }
            assert_eq!(lines.len(), 128, "round {round}");
            lines.iter().rev().for_each(|&line| ahead.come(line));
        }
    }
}

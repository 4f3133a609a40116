//! Dynamic width: a direction of a link that drops lanes while it carries little traffic, and retrains them when it
//! carries more.
//!
//! It measures the traffic of each window. Past traffic decides the width for future traffic, so a burst that follows
//! a quiet period is slow at first, and then waits while the lanes are trained: latency jitter is the price of the
//! power saved.

use zerohop_document::Share;
use zerohop_machine_file::Narrowing;

use crate::time::{Fine, Ticks, fine};
use crate::token::Packet;

/// Times of packets, by the rank of their kind: on the wire, and extra time at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) send: [Fine; Packet::COUNT],
    pub(crate) spread: [Ticks; Packet::COUNT],
}

/// The width of one direction of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Width {
    /// Times of packets with all lanes.
    pub(crate) all: Times,
    window: Fine,
    change: Fine,
    /// Busy time per window that is too little for all lanes, and too much for the reduced width.
    little: Fine,
    much: Fine,
    /// Factor by which packets take longer: a power of two, by its exponent.
    kept: u32,
    is_narrow: bool,
    /// When the window began, and the traffic by then, in the time that all lanes take for it.
    began: Fine,
    carried: Fine,
}

impl Width {
    pub(crate) fn new(narrowing: &Narrowing, all: Times) -> Self {
        let Narrowing { to_one_in, window, below, above, change } = *narrowing;
        let window = fine(window).max(1);
        let share = |share: Share| (window as f64 * share.0) as Fine;
        Self {
            all,
            window,
            change: fine(change),
            little: share(below),
            much: share(above),
            kept: to_one_in.trailing_zeros(),
            is_narrow: false,
            began: 0,
            carried: 0,
        }
    }

    /// When the current window ends.
    pub(crate) const fn next_look(&self) -> Fine {
        self.began + self.window
    }

    /// Ends the window, if it is over. `carried` is the time that all lanes would have taken for the traffic so far.
    /// If the width changes: the time that this takes.
    pub(crate) fn look(&mut self, now: Fine, carried: Fine) -> Option<Fine> {
        let ended = now.saturating_sub(self.began) / self.window;
        if ended == 0 {
            return None;
        }
        // Traffic of several windows without a look in between is spread over them evenly: a quiet period stays
        // quiet.
        let busy = ((carried - self.carried) / ended) << self.slower();
        self.began += ended * self.window;
        self.carried = carried;
        let changes = if self.is_narrow { busy > self.much } else { busy < self.little };
        self.is_narrow ^= changes;
        changes.then_some(self.change)
    }

    /// Exponent of the power of two by which packets take longer than over all lanes.
    pub(crate) const fn slower(&self) -> u32 {
        if self.is_narrow { self.kept } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use zerohop_units::Nanoseconds;

    use super::*;

    fn width() -> Width {
        let narrowing = Narrowing {
            to_one_in: 4,
            window: Nanoseconds(1000.0),
            below: Share(0.1),
            above: Share(0.6),
            change: Nanoseconds(50.0),
        };
        Width::new(&narrowing, Times { send: [0; Packet::COUNT], spread: [0; Packet::COUNT] })
    }

    fn at(time: f64) -> Fine {
        fine(Nanoseconds(time))
    }

    #[test]
    fn a_quiet_window_costs_lanes_and_a_busy_one_brings_them_back() {
        let mut width = width();
        assert_eq!((width.look(at(999.0), at(5.0)), width.slower()), (None, 0), "the window has not ended");
        assert_eq!((width.look(at(1000.0), at(5.0)), width.slower()), (Some(at(50.0)), 2));
        assert_eq!(
            (width.look(at(2100.0), at(130.0)), width.slower()),
            (None, 2),
            "half of the remaining width is in use"
        );
        assert_eq!((width.look(at(3100.0), at(305.0)), width.slower()), (Some(at(50.0)), 0));
        assert_eq!((width.look(at(4100.0), at(505.0)), width.slower()), (None, 0));
    }

    #[test]
    fn a_long_silence_is_several_quiet_windows() {
        let mut width = width();
        assert_eq!(width.look(at(900.0), at(900.0)), None);
        assert_eq!(width.look(at(20_900.0), at(900.0)), Some(at(50.0)), "one busy window in twenty");
    }
}

//! Simulated time.
//!
//! Events happen on ticks of a sixteenth of a nanosecond. What serves many packets one after the other (a wire, a
//! memory bus) counts its own time a thousand times finer, so that rounding errors never accumulate: a saturated
//! server's throughput is exact.

use zerohop_units::{Nanoseconds, Seconds};

/// A point in simulated time, or a length of it, in ticks.
pub(crate) type Ticks = u64;

/// A time in units of a server, 1024 to the tick.
pub(crate) type Fine = u64;

const TICKS_PER_NANOSECOND: f64 = 16.0;
const FINE_BITS: u32 = 10;

/// A delay in whole ticks.
pub(crate) fn ticks(time: Nanoseconds) -> Ticks {
    (time.get() * TICKS_PER_NANOSECOND).round().max(0.0) as Ticks
}

pub(crate) fn fine(time: Nanoseconds) -> Fine {
    (time.get() * TICKS_PER_NANOSECOND * f64::from(1 << FINE_BITS)).round().max(0.0) as Fine
}

/// A tick in a server's units.
pub(crate) const fn of_tick(tick: Ticks) -> Fine {
    tick << FINE_BITS
}

/// The first tick that is not before `time`.
pub(crate) const fn tick_after(time: Fine) -> Ticks {
    (time + (1 << FINE_BITS) - 1) >> FINE_BITS
}

/// Ticks in ns.
pub(crate) fn nanoseconds(ticks: Ticks) -> Nanoseconds {
    Nanoseconds(ticks as f64 / TICKS_PER_NANOSECOND)
}

/// Ticks in seconds.
pub(crate) fn seconds(ticks: Ticks) -> Seconds {
    Seconds(ticks as f64 / (TICKS_PER_NANOSECOND * 1e9))
}

/// A server's time in ticks, for shares of time.
pub(crate) fn fine_in_ticks(time: Fine) -> f64 {
    time as f64 / f64::from(1 << FINE_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_to_ticks_does_not_accumulate() {
        let line = fine(Nanoseconds(1.44));
        assert_eq!(tick_after(line), 24, "1.44 ns are 23.04 ticks");
        let thousand = tick_after(1000 * line);
        assert!((nanoseconds(thousand).get() - 1440.0).abs() < 0.1);
        assert_eq!(tick_after(of_tick(7)), 7);
    }
}

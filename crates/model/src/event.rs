//! Events: a step and the token, wire or home agent that takes it, in one word.

use crate::token::State;

/// Bits of the number of the token, wire or home agent.
const NUMBER_BITS: u32 = 27;

/// A step, and the token, wire or home agent that takes it. The calendar returns the whole word, so that the step is
/// known before anything else is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event(u32);

impl Event {
    pub(crate) const NONE: Self = Self(u32::MAX);

    /// How many numbers there are.
    pub(crate) const NUMBERS: usize = 1 << NUMBER_BITS;

    #[inline(always)]
    pub(crate) const fn new(state: State, number: u32) -> Self {
        Self((state as u32) << NUMBER_BITS | number)
    }

    #[inline(always)]
    pub(crate) const fn state(self) -> State {
        State::ALL[(self.0 >> NUMBER_BITS) as usize]
    }

    #[inline(always)]
    pub(crate) const fn number(self) -> u32 {
        self.0 % (1 << NUMBER_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_survives_the_round_trip() {
        for state in State::ALL {
            let event = Event::new(state, 77);
            assert_eq!((event.state(), event.number()), (state, 77));
            assert_ne!(event, Event::NONE);
        }
    }
}

//! Queues before a wire that take turns.

use super::station::turns;

/// Packets that a wire has taken already when another queue gets its turn, at a backlog.
const COMMITTED: f64 = 2.0;

/// A queue before a wire.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before {
    /// Its virtual channel.
    pub(super) lane: usize,
    /// Whether its packets go into the middle of those with data.
    pub(super) is_control: bool,
    pub(super) rate: f64,
    /// How long its packets wait, and how many do.
    pub(super) wait: f64,
    pub(super) waiting: f64,
    /// Time of a packet, and what is left of the one on the wire.
    pub(super) service: f64,
    pub(super) residual: f64,
}

/// What all queues of a wire have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turns {
    /// What is left of the packet with data that is on the wire.
    on_wire: f64,
    /// What packets with data wait for longer because others go into their middle.
    interrupted: f64,
    /// What they wait for together, as a share of what turns alone would make it.
    together: f64,
}

impl Turns {
    pub(super) fn new(before: &[Before]) -> Self {
        let control: f64 = before.iter().filter(|of| of.is_control).map(|of| of.rate * of.service).sum();
        let mut turns = Self { on_wire: 0.0, interrupted: 1.0 / (1.0 - control.min(0.9)), together: 1.0 };
        // In order of arrival, all with data would wait for all that are there. Turns make it more for the ones and less for
        // the others; what all wait for together stays the same (L. Kleinrock, "A conservation law for a wide class of queueing
        // disciplines", Naval Research Logistics Quarterly 12(2), 1965).
        let (mut there, mut work, mut in_turn) = (0.0, 0.0, 0.0);
        for (place, of) in before.iter().enumerate().filter(|(_, of)| !of.is_control) {
            turns.on_wire += of.residual;
            there += of.waiting * of.service;
            work += of.rate * of.service;
            in_turn += of.rate * of.service * turns.before(before, place);
        }
        if in_turn > 0.0 {
            turns.together = there * work / in_turn;
        }
        turns
    }

    /// Packets with data that one of a queue finds before it, in time: those of its own queue, and those of others that have
    /// their turn until then.
    fn before(&self, before: &[Before], place: usize) -> f64 {
        let own = before[place];
        let first = |(rank, of): (usize, &Before)| {
            if rank == place {
                own.waiting * of.service
            } else {
                // Those that come meanwhile have their turn as well.
                turns(of.waiting + of.rate * own.wait, own.waiting, COMMITTED) * of.service
            }
        };
        before.iter().enumerate().filter(|(_, of)| !of.is_control).map(first).sum()
    }

    /// How long a packet of that queue waits.
    pub(super) fn wait(&self, before: &[Before], place: usize) -> f64 {
        let of = before[place];
        if !of.is_control {
            return (self.before(before, place) * self.together + self.on_wire) * self.interrupted;
        }
        let control = before.iter().filter(|of| of.is_control);
        let wait: f64 = control.map(|of| of.waiting * of.service + of.residual).sum();
        // Packets of one virtual channel leave in order: where others wait, those without data as well.
        let data = before.iter().position(|other| other.lane == of.lane && !other.is_control);
        wait + data.map_or(0.0, |data| self.before(before, data) * self.together * self.interrupted)
    }
}

#[cfg(test)]
mod tests {
    use super::{Before, Turns};

    /// A queue of a lane of its own whose packets take one ns.
    fn queue(lane: usize, rate: f64, wait: f64) -> Before {
        let waiting = rate * wait;
        Before { lane, is_control: false, rate, wait, waiting, service: 1.0, residual: rate / 2.0 }
    }

    #[test]
    fn turns_change_who_waits_but_not_how_long_all_wait() {
        for (one, other) in [(0.4, 0.4), (0.7, 0.1), (0.05, 0.85)] {
            let before = [queue(0, one, 6.0), queue(1, other, 3.0)];
            let turns = Turns::new(&before);
            let all = one * turns.wait(&before, 0) + other * turns.wait(&before, 1);
            let in_order = (one + other) * (one * 6.0 + other * 3.0 + (one + other) / 2.0);
            assert!((all / in_order - 1.0).abs() < 1e-9, "{all} against {in_order}");
        }
    }

    #[test]
    fn packets_without_data_wait_for_others_of_their_lane_only() {
        let data = queue(0, 0.6, 10.0);
        let control =
            |lane| Before { is_control: true, service: 0.1, residual: 0.001, ..queue(lane, 0.1, 0.0) };
        let wait = |lane| {
            let before = [data, control(lane)];
            Turns::new(&before).wait(&before, 1)
        };
        assert!(wait(0) > data.waiting && wait(1) < 0.01);
    }
}

//! Queues before a wire that take turns.

use super::station::turns;

/// Packets that a wire has already committed to when another queue gets its turn, at a backlog.
const COMMITTED: f64 = 2.0;

/// A queue in front of a wire.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before {
    pub(super) lane: usize,
    /// Whether its packets may interrupt those with data.
    pub(super) is_control: bool,
    pub(super) rate: f64,
    /// Mean wait of its packets, and how many wait.
    pub(super) wait: f64,
    pub(super) waiting: f64,
    /// Time of a packet, and the residual of the one on the wire.
    pub(super) service: f64,
    pub(super) residual: f64,
}

/// The state that all queues of a wire share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turns {
    /// Residual of the packet with data that is on the wire.
    on_wire: f64,
    /// Factor by which packets with data wait longer because others interrupt them.
    interrupted: f64,
    /// Their total wait, as a share of what turns alone would make it.
    together: f64,
}

impl Turns {
    pub(super) fn new(before: &[Before]) -> Self {
        let control: f64 = before.iter().filter(|of| of.is_control).map(|of| of.rate * of.service).sum();
        let mut turns = Self { on_wire: 0.0, interrupted: 1.0 / (1.0 - control.min(0.9)), together: 1.0 };
        // In order of arrival, each packet with data would wait for all that are queued. Taking turns lengthens the
        // wait of some and shortens that of others; the total stays the same (L. Kleinrock, "A conservation law for a
        // wide class of queueing disciplines", Naval Research Logistics Quarterly 12(2), 1965).
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

    /// Packets with data ahead of a new one of this queue, in time: those of its own queue, and those of other queues
    /// that get their turn until then.
    fn before(&self, before: &[Before], place: usize) -> f64 {
        let own = before[place];
        let first = |(rank, of): (usize, &Before)| {
            if rank == place {
                own.waiting * of.service
            } else {
                // Those that arrive meanwhile get their turn as well.
                turns(of.waiting + of.rate * own.wait, own.waiting, COMMITTED) * of.service
            }
        };
        before.iter().enumerate().filter(|(_, of)| !of.is_control).map(first).sum()
    }

    /// Wait of a packet of that queue.
    pub(super) fn wait(&self, before: &[Before], place: usize) -> f64 {
        let of = before[place];
        if !of.is_control {
            return (self.before(before, place) * self.together + self.on_wire) * self.interrupted;
        }
        let control = before.iter().filter(|of| of.is_control);
        let wait: f64 = control.map(|of| of.waiting * of.service + of.residual).sum();
        // Packets of one virtual channel leave in order: where others wait, those without data wait as well.
        let data = before.iter().position(|other| other.lane == of.lane && !other.is_control);
        wait + data.map_or(0.0, |data| self.before(before, data) * self.together * self.interrupted)
    }
}

#[cfg(test)]
mod tests {
    use super::{Before, Turns};

    /// A queue in a lane of its own whose packets take 1 ns.
    fn queue(lane: usize, rate: f64, wait: f64) -> Before {
        let waiting = rate * wait;
        Before { lane, is_control: false, rate, wait, waiting, service: 1.0, residual: rate / 2.0 }
    }

    #[test]
    fn taking_turns_conserves_the_total_wait() {
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

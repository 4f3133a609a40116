//! Connections at a time: a table of them, in which the slowest that waits for its client makes room for the next.
//!
//! A connection waits for its client unless an answer is being made for it: it waits for a head, for a body, for the client to take what is sent, for
//! the next request. If the table is full, the one ends whose client has moved the fewest bytes lately, in either direction. A new connection counts
//! as if it had just moved some, so that slow clients, however many, make room at once; fast ones keep their seats.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::AbortHandle;

/// How long bytes count: after this, by a factor of e less.
const RECENT: Duration = Duration::from_secs(5);

/// What a connection counts as having moved when it begins to wait, in bytes. Clients of more than 13 kB/s count as more.
const START: f64 = (64 << 10) as f64;

/// How long a new connection may take for its first request before it may lose its seat.
const NEW: Duration = Duration::from_millis(100);

/// Connections at a time.
pub(crate) struct Seats {
    most: usize,
    of_an_address: usize,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    next: u64,
    taken: HashMap<u64, Taken>,
}

/// A seat that is taken.
struct Taken {
    address: IpAddr,
    /// Since when it is there, until its first request has come.
    new: Option<Instant>,
    moved: Moved,
    /// Whether an answer is being made for it. Otherwise it waits for its client.
    is_answered: bool,
    task: Option<AbortHandle>,
}

/// Bytes that a client has moved lately, as of some time.
#[derive(Clone, Copy)]
struct Moved {
    bytes: f64,
    at: Instant,
}

/// A seat: it is free again once this is dropped.
pub(crate) struct Seat {
    seats: Arc<Seats>,
    number: u64,
}

/// Outcome for a connection that requests a seat.
pub(crate) enum Offered {
    Seat(Arc<Seat>),
    /// None yet: answers are being made for all connections, or the one to end is new.
    Wait,
    /// None: its address has all that it may have, and answers are being made for each.
    Refused,
}

impl Seats {
    pub(crate) fn new(most: usize, of_an_address: usize) -> Arc<Self> {
        Arc::new(Self { most, of_an_address, table: Mutex::default() })
    }

    /// A seat for a connection from there.
    pub(crate) fn offer(self: &Arc<Self>, address: IpAddr, now: Instant) -> Offered {
        let mut table = self.table();
        // Proxies are of this host.
        let is_counted = !address.to_canonical().is_loopback();
        let own = table.taken.values().filter(|taken| taken.address == address).count();
        if is_counted && own >= self.of_an_address {
            let Some(slowest) = table.slowest(Some(address), now) else { return Offered::Refused };
            table.end(slowest);
        }
        if table.taken.len() >= self.most {
            let slowest = table.slowest(None, now);
            let settled = slowest.filter(|number| !table.taken[number].is_new(now));
            let Some(slowest) = settled else { return Offered::Wait };
            table.end(slowest);
        }
        let number = table.next;
        table.next += 1;
        let moved = Moved { bytes: START, at: now };
        table.taken.insert(number, Taken { address, new: Some(now), moved, is_answered: false, task: None });
        Offered::Seat(Arc::new(Seat { seats: Arc::clone(self), number }))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// The slowest connection that waits for its client, of this address or of all.
    fn slowest(&self, address: Option<IpAddr>, now: Instant) -> Option<u64> {
        let all =
            self.taken.iter().filter(|(_, taken)| address.is_none_or(|address| taken.address == address));
        let waiting: Vec<_> = all.filter(|(_, taken)| !taken.is_answered).collect();
        let count = waiting.len();
        let new = waiting.iter().filter(|(_, taken)| taken.is_new(now)).count();
        // What a new client has sent may not be read yet. Where many are new, they are no better than others.
        let are_spared = 4 * new < count;
        let candidates = waiting.into_iter().filter(|(_, taken)| !(are_spared && taken.is_new(now)));
        let slowest = candidates.min_by(|(one, a), (other, b)| {
            a.moved.rank(now).total_cmp(&b.moved.rank(now)).then(one.cmp(other))
        });
        slowest.map(|(number, _)| *number)
    }

    fn end(&mut self, number: u64) {
        if let Some(task) = self.taken.remove(&number).and_then(|taken| taken.task) {
            task.abort();
        }
    }
}

impl Taken {
    fn is_new(&self, now: Instant) -> bool {
        self.new.is_some_and(|since| now.saturating_duration_since(since) < NEW)
    }
}

impl Moved {
    /// The logarithm of what counts now: it tells clients apart that have been silent for long, too.
    fn rank(self, now: Instant) -> f64 {
        libm::log(self.bytes) - now.saturating_duration_since(self.at).as_secs_f64() / RECENT.as_secs_f64()
    }

    fn at(self, now: Instant) -> Self {
        Self { bytes: libm::exp(self.rank(now)), at: now }
    }
}

impl Seat {
    /// Sets the task that serves the connection.
    pub(crate) fn is_of(&self, task: AbortHandle) {
        match self.seats.table().taken.get_mut(&self.number) {
            Some(taken) => taken.task = Some(task),
            // It has ended already, or was to end.
            None => task.abort(),
        }
    }

    /// Records bytes that the client has sent or taken.
    pub(crate) fn moved(&self, bytes: usize) {
        let now = Instant::now();
        self.change(|taken| {
            taken.moved = taken.moved.at(now);
            taken.moved.bytes += bytes as f64;
        });
    }

    /// An answer is made from now on.
    pub(crate) fn begin_answer(&self) {
        self.change(|taken| {
            taken.new = None;
            taken.is_answered = true;
        });
    }

    /// It waits for its client from now on: to send a body, or to take an answer.
    pub(crate) fn wait(&self) {
        let now = Instant::now();
        self.change(|taken| {
            taken.is_answered = false;
            let Moved { bytes, .. } = taken.moved.at(now);
            taken.moved = Moved { bytes: bytes.max(START), at: now };
        });
    }

    fn change(&self, change: impl FnOnce(&mut Taken)) {
        if let Some(taken) = self.seats.table().taken.get_mut(&self.number) {
            change(taken);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.table().taken.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn seat(seats: &Arc<Seats>, address: impl Into<IpAddr>, now: Instant) -> Option<Arc<Seat>> {
        match seats.offer(address.into(), now) {
            Offered::Seat(seat) => Some(seat),
            Offered::Wait | Offered::Refused => None,
        }
    }

    fn is_left(seat: &Arc<Seat>) -> bool {
        seat.seats.table().taken.contains_key(&seat.number)
    }

    #[test]
    fn the_longest_silent_one_makes_room_and_none_that_is_answered() {
        let (seats, now) = (Seats::new(3, 100), Instant::now());
        let held: Vec<_> = (0..3).map(|rank| seat(&seats, HOST, now + rank * RECENT / 10).unwrap()).collect();
        held[0].begin_answer();
        let later = now + 2 * RECENT;
        let fourth = seat(&seats, HOST, later).unwrap();
        assert_eq!(held.iter().map(is_left).collect::<Vec<_>>(), [true, false, true]);
        fourth.begin_answer();
        held[2].begin_answer();
        assert!(matches!(seats.offer(HOST, later), Offered::Wait));
        held[0].wait();
        assert!(seat(&seats, HOST, later).is_some() && !is_left(&held[0]));
        drop(fourth);
        assert!(seat(&seats, HOST, later).is_some());
    }

    /// Clients that send 1 kB/s filled all seats, and none of them made room.
    #[test]
    fn slow_clients_make_room_at_once_and_fast_ones_keep_their_seats() {
        let (seats, now) = (Seats::new(4, 100), Instant::now());
        let rates = [1_400.0, 500_000.0, 9_000.0, 30_000.0];
        let held = rates.map(|_| seat(&seats, HOST, now).unwrap());
        // Each has sent at its rate for a minute, in pieces.
        let mut at = now;
        for _ in 0..600 {
            at += Duration::from_millis(100);
            for (seat, rate) in held.iter().zip(rates) {
                seat.change(|taken| {
                    taken.moved = taken.moved.at(at);
                    taken.moved.bytes += rate / 10.0;
                });
            }
        }
        // Others come, say nothing, and push out the slow ones and then each other.
        let silent: Vec<_> = (1..=6).filter_map(|rank| seat(&seats, HOST, at + rank * NEW)).collect();
        assert_eq!(silent.len(), 6);
        assert_eq!(held.each_ref().map(is_left), [false, true, false, true]);
    }

    #[test]
    fn a_pause_ends_no_transfer_before_connections_that_are_silent() {
        let (seats, now) = (Seats::new(2, 100), Instant::now());
        let held = seat(&seats, HOST, now).unwrap();
        held.change(|taken| taken.moved.bytes += 10e6);
        for second in 0..20 {
            seat(&seats, HOST, now + Duration::from_secs(second + 1)).unwrap();
        }
        assert!(is_left(&held));
    }

    #[test]
    fn new_ones_have_a_moment_and_a_few_of_them_are_spared() {
        let (seats, now) = (Seats::new(12, 100), Instant::now());
        let fast: Vec<_> = (0..8).map(|_| seat(&seats, HOST, now).unwrap()).collect();
        for (rank, seat) in fast.iter().enumerate() {
            seat.change(|taken| taken.moved.bytes += 1e6 * (rank + 1) as f64);
        }
        let later = now + NEW;
        let new: Vec<_> = (0..4).map(|_| seat(&seats, HOST, later).unwrap()).collect();
        // A third is many, and the first of them is the slowest; but it has just come.
        assert!(matches!(seats.offer(HOST, later), Offered::Wait));
        new[2..].iter().for_each(|seat| seat.begin_answer());
        // Two are new, and the slowest of the others makes room.
        fast[0].change(|taken| taken.moved.bytes = 1.0);
        let _another = seat(&seats, HOST, later).unwrap();
        assert!(!is_left(&fast[0]) && new.iter().all(is_left));
        // They are new no longer, and have moved nothing.
        let _another = seat(&seats, HOST, later + NEW).unwrap();
        assert!(!is_left(&new[0]) && fast[1..].iter().all(is_left));
    }

    #[test]
    fn an_address_has_a_part_of_the_seats_and_this_host_all() {
        let (seats, now) = (Seats::new(100, 2), Instant::now());
        let held: Vec<_> = (0..2).map(|_| seat(&seats, [192, 0, 2, 1], now).unwrap()).collect();
        assert!(seat(&seats, [192, 0, 2, 2], now).is_some());
        assert!((0..50).map(|_| seat(&seats, HOST, now)).all(|seat| seat.is_some()));
        held[0].begin_answer();
        // Its own slow one makes room.
        let third = seat(&seats, [192, 0, 2, 1], now).unwrap();
        assert!(!is_left(&held[1]));
        third.begin_answer();
        assert!(matches!(seats.offer([192, 0, 2, 1].into(), now), Offered::Refused));
    }
}

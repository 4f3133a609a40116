//! Connections at a time: a table of them, in which one that waits for nothing makes room for the next.
//!
//! A connection is quiet until the head of a request is whole, and between two requests. If the table is full, the one ends that has been quiet
//! for longest, so that whoever opens connections and says nothing keeps nobody out.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::AbortHandle;

/// How long a connection may be quiet in any case: a head needs its time.
const SETTLED: Duration = Duration::from_millis(500);

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
    /// Since when its connection is quiet; `None` while a request is answered.
    quiet: Option<Instant>,
    task: Option<AbortHandle>,
}

/// A seat: it is free again once this is dropped.
pub(crate) struct Seat {
    seats: Arc<Seats>,
    number: u64,
}

/// What a connection gets that asks for a seat.
pub(crate) enum Offered {
    /// A seat.
    Seat(Arc<Seat>),
    /// None yet: all connections are being answered, or have just begun.
    Wait,
    /// None: its address has all that it may have, and is being answered at each.
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
        if is_counted && own >= self.of_an_address && !table.end_quiet(Some(address), now) {
            return Offered::Refused;
        }
        if table.taken.len() >= self.most && !table.end_quiet(None, now) {
            return Offered::Wait;
        }
        let number = table.next;
        table.next += 1;
        table.taken.insert(number, Taken { address, quiet: Some(now), task: None });
        Offered::Seat(Arc::new(Seat { seats: Arc::clone(self), number }))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Ends the connection that has been quiet for longest, of this address or of all. Whether there was one.
    fn end_quiet(&mut self, address: Option<IpAddr>, now: Instant) -> bool {
        let all =
            self.taken.iter().filter(|(_, taken)| address.is_none_or(|address| taken.address == address));
        let quiet = all.filter_map(|(number, taken)| Some((taken.quiet?, *number)));
        let settled = quiet.filter(|(since, _)| now.duration_since(*since) >= SETTLED);
        let Some((_, number)) = settled.min() else { return false };
        if let Some(task) = self.taken.remove(&number).and_then(|taken| taken.task) {
            task.abort();
        }
        true
    }
}

impl Seat {
    /// What serves its connection.
    pub(crate) fn is_of(&self, task: AbortHandle) {
        match self.seats.table().taken.get_mut(&self.number) {
            Some(taken) => taken.task = Some(task),
            // It has ended already, or was to end.
            None => task.abort(),
        }
    }

    /// A request has come.
    pub(crate) fn begin_answer(&self) {
        self.set(None);
    }

    /// Its answer is on its way.
    pub(crate) fn end_answer(&self) {
        self.set(Some(Instant::now()));
    }

    fn set(&self, quiet: Option<Instant>) {
        if let Some(taken) = self.seats.table().taken.get_mut(&self.number) {
            taken.quiet = quiet;
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

    #[test]
    fn the_longest_quiet_one_makes_room_once_all_seats_are_taken() {
        let (seats, now) = (Seats::new(3, 100), Instant::now());
        let held: Vec<_> =
            (0..3).map(|rank| seat(&seats, HOST, now + rank * SETTLED / 10).unwrap()).collect();
        held[0].begin_answer();
        // All have just begun.
        assert!(matches!(seats.offer(HOST, now + SETTLED / 2), Offered::Wait));
        let later = now + 2 * SETTLED;
        let fourth = seat(&seats, HOST, later).unwrap();
        let left = |seat: &Arc<Seat>| seats.table().taken.contains_key(&seat.number);
        assert_eq!(held.iter().map(left).collect::<Vec<_>>(), [true, false, true]);
        fourth.begin_answer();
        held[2].begin_answer();
        assert!(matches!(seats.offer(HOST, later), Offered::Wait));
        drop(fourth);
        assert!(seat(&seats, HOST, later).is_some());
    }

    #[test]
    fn an_address_has_a_part_of_the_seats_and_this_host_all() {
        let (seats, now) = (Seats::new(100, 2), Instant::now());
        let held: Vec<_> = (0..2).map(|_| seat(&seats, [192, 0, 2, 1], now).unwrap()).collect();
        assert!(matches!(seats.offer([192, 0, 2, 1].into(), now), Offered::Refused));
        assert!(seat(&seats, [192, 0, 2, 2], now).is_some());
        assert!((0..50).map(|_| seat(&seats, HOST, now)).all(|seat| seat.is_some()));
        held[0].begin_answer();
        // Its own quiet one makes room.
        assert!(seat(&seats, [192, 0, 2, 1], now + SETTLED).is_some());
        assert!(!seats.table().taken.contains_key(&held[1].number));
    }
}

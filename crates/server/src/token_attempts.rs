//! Wrong tokens: a client that shows too many of them has to wait, which prevents trying all.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Wrong tokens in a row.
const MOST: f64 = 20.0;

/// How long it takes until one more may be shown.
const PAUSE: Duration = Duration::from_secs(3);

/// Addresses that are told apart.
const ADDRESSES: usize = 4096;

/// Wrong tokens, by the addresses that they came from.
#[derive(Default)]
pub(crate) struct Guesses(Mutex<HashMap<IpAddr, Guessed>>);

/// How many wrong tokens count, and as of when.
#[derive(Clone, Copy)]
struct Guessed {
    count: f64,
    at: Instant,
}

impl Guessed {
    fn at(self, now: Instant) -> Self {
        let past = now.duration_since(self.at).as_secs_f64() / PAUSE.as_secs_f64();
        Self { count: (self.count - past).max(0.0), at: now }
    }
}

impl Guesses {
    /// Whether this address may show another token.
    pub(crate) fn may(&self, address: IpAddr, now: Instant) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of =
            |address| all.get(&address).is_none_or(|guessed: &Guessed| guessed.at(now).count <= MOST - 1.0);
        of(network(address)) && (all.contains_key(&network(address)) || of(OTHERS))
    }

    /// This address has shown a wrong token.
    pub(crate) fn wrong(&self, address: IpAddr, now: Instant) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut address = network(address);
        if all.len() >= ADDRESSES && !all.contains_key(&address) {
            all.retain(|_, guessed| guessed.at(now).count > 0.0);
            if all.len() >= ADDRESSES {
                address = OTHERS;
            }
        }
        let guessed = all.entry(address).or_insert(Guessed { count: 0.0, at: now });
        *guessed = guessed.at(now);
        guessed.count = (guessed.count + 1.0).min(MOST);
    }
}

/// What stands for addresses for which there is no room.
const OTHERS: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// The addresses that one host may have: of IPv6, a network.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_guesses_waits_and_others_do_not() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        let [one, other] = [IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2])];
        let mut shown = 0;
        while guesses.may(one, now) {
            guesses.wrong(one, now);
            shown += 1;
        }
        assert_eq!(shown, 20);
        assert!(guesses.may(other, now));
        assert!(!guesses.may(one, now + PAUSE / 2) && guesses.may(one, now + PAUSE));
        guesses.wrong(one, now + PAUSE);
        assert!(!guesses.may(one, now + PAUSE));
        assert!(guesses.may(one, now + 30 * PAUSE));
        // A network of IPv6 is one host; IPv4 within it is the same address.
        let mapped: IpAddr = "::ffff:192.0.2.1".parse().unwrap();
        assert!(!guesses.may(mapped, now));
        let [first, second]: [IpAddr; 2] = ["2001:db8::1", "2001:db8::2:3"].map(|text| text.parse().unwrap());
        (0..20).for_each(|_| guesses.wrong(first, now));
        assert!(!guesses.may(second, now));
    }

    #[test]
    fn no_more_addresses_are_known_than_fit() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        for rank in 0..2 * ADDRESSES as u32 {
            guesses.wrong(Ipv4Addr::from_bits(0x0a00_0000 + rank).into(), now);
        }
        assert!(guesses.0.lock().unwrap().len() <= ADDRESSES + 1);
        // Those for which there is no room share what they may.
        assert!(!guesses.may([192, 0, 2, 1].into(), now) && guesses.may([10, 0, 0, 1].into(), now));
    }
}

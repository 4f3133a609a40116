//! Home agents and channels that a chase through a node's memory uses, with their shares.

use crate::hardware::node_memory::{NodeMemory, Spread};

/// Bytes from one line of a chase to the next: it visits every other line.
const STEP: u64 = 128;

/// Lines that are looked at where the pattern does not end before. It divides by most numbers of units.
const LOOKED_AT: u64 = 1 << 16;

/// A home agent and a channel of a memory, by rank in the machine, and the share of the lines for which these two are asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    pub(super) home: usize,
    /// The channel that is used first: the one of a memory-side cache, if there is one.
    pub(super) channel: usize,
    pub(super) share: f64,
}

/// The pairs that a chase through all of a memory meets.
pub(super) fn pairs(memory: &NodeMemory) -> Vec<Pair> {
    let (channels, spread, of_home) = match &memory.cache {
        Some(cache) => (&cache.channels, &cache.spread, &cache.channels_of_home),
        None => (&memory.channels, &memory.channel_spread, &memory.channels_of_home),
    };
    let channels_of = |home: usize| of_home.get(home).unwrap_or(channels);
    let mut pairs = Vec::new();
    let mut add = |home: usize, channel: usize, share: f64| {
        if share > 0.0 {
            pairs.push(Pair { home: memory.homes[home], channel, share });
        }
    };
    if let (Spread::Interleaved(_), Spread::Interleaved(_)) = (&memory.home_spread, spread) {
        // Both go by the address, so that not every home agent meets every channel.
        let widest = of_home.iter().map(Vec::len).max().unwrap_or(channels.len());
        let mut counts = vec![vec![0_u64; widest]; memory.homes.len()];
        let period = period(&memory.home_spread, memory.homes.len(), spread, channels.len());
        for address in (0..period).map(|line| line * STEP) {
            let home = rank(&memory.home_spread, memory.homes.len(), address);
            counts[home][rank(spread, channels_of(home).len(), address)] += 1;
        }
        for (home, counts) in counts.iter().enumerate() {
            for (&channel, &count) in channels_of(home).iter().zip(counts) {
                add(home, channel, count as f64 / period as f64);
            }
        }
        return pairs;
    }
    for (home, of_home) in shares(&memory.home_spread, memory.homes.len()).into_iter().enumerate() {
        let channels = channels_of(home);
        for (&channel, of_channel) in channels.iter().zip(shares(spread, channels.len())) {
            add(home, channel, of_home * of_channel);
        }
    }
    pairs
}

/// Lines of a chase after which both patterns begin again, as far as they are looked at.
fn period(home: &Spread, homes: usize, channel: &Spread, channels: usize) -> u64 {
    let bytes = |spread: &Spread, count: usize| match spread {
        Spread::Interleaved(grain) => grain.get() * count as u64,
        Spread::Mixed | Spread::Hashed(_) => STEP,
    };
    let common = [bytes(channel, channels), STEP].into_iter().try_fold(bytes(home, homes), common_multiple);
    common.map_or(LOOKED_AT, |common| (common / STEP).clamp(1, LOOKED_AT))
}

fn common_multiple(one: u64, other: u64) -> Option<u64> {
    let (mut divisor, mut rest) = (one.max(1), other.max(1));
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (one.max(1) / divisor).checked_mul(other.max(1))
}

/// The unit of an address, where units take turns.
fn rank(spread: &Spread, count: usize, address: u64) -> usize {
    match spread {
        Spread::Interleaved(grain) => (address / grain.get().max(1) % count as u64) as usize,
        Spread::Mixed | Spread::Hashed(_) => 0,
    }
}

/// The share of each of so many units.
fn shares(spread: &Spread, count: usize) -> Vec<f64> {
    let mut shares = vec![0.0; count];
    match spread {
        Spread::Mixed => shares.fill(1.0 / count as f64),
        Spread::Interleaved(grain) => {
            let lines =
                common_multiple(grain.get() * count as u64, STEP).map_or(LOOKED_AT, |bytes| bytes / STEP);
            let lines = lines.clamp(1, LOOKED_AT);
            for address in (0..lines).map(|line| line * STEP) {
                shares[rank(spread, count, address)] += 1.0 / lines as f64;
            }
        }
        Spread::Hashed(hash) => {
            for &unit in hash.table() {
                if let Some(share) = shares.get_mut(usize::from(unit)) {
                    *share += 1.0 / hash.table().len() as f64;
                }
            }
        }
    }
    shares
}

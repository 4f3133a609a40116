//! Where the lines of a memory reside: their home agent, their channel, and whether a memory-side cache is in front
//! of them.

use zerohop_machine_file::{AddressHash, NodeMemory, Spread};

use crate::divisor::Divisor;

/// No channel: there is none behind.
pub(crate) const NOWHERE: u16 = u16::MAX;

/// Bytes of a line.
const LINE: u64 = 64;

/// The place of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) home: u16,
    /// The channel that is accessed first: the cache's, if there is one.
    pub(crate) channel: u16,
    /// The channel behind the cache, or [`NOWHERE`].
    pub(crate) behind: u16,
    /// Address within the channel.
    pub(crate) address: u64,
}

/// The places of one memory's lines.
#[derive(Debug)]
pub(crate) struct AddressMap {
    homes: Vec<u16>,
    home_spread: Chooser,
    channels: ChannelMap,
    cache: Option<ChannelMap>,
    /// The divisors, where home agents and channels are both interleaved and nothing else is involved.
    straight: Option<Straight>,
}

/// How addresses are divided in that case.
#[derive(Debug)]
struct Straight {
    home_grain: Divisor,
    home_count: Divisor,
    channel_grain: Divisor,
    channel_count: Divisor,
}

/// How lines are spread over channels.
#[derive(Debug)]
struct ChannelMap {
    channels: Vec<u16>,
    spread: Chooser,
    /// By rank among the home agents, the channels that each uses; empty if all use all.
    of_home: Vec<Vec<u16>>,
    /// Bytes of a stripe of one line per channel: divides an address where lines are hashed.
    stripe: Divisor,
}

/// How one of several units is chosen.
#[derive(Debug)]
enum Chooser {
    Interleaved {
        grain: Divisor,
        count: Divisor,
    },
    /// Evenly and without a pattern; the number makes one such choice independent of another.
    Mixed(u64),
    Hashed(AddressHash),
}

impl Chooser {
    fn new(spread: &Spread, count: usize, salt: u64) -> Self {
        match spread {
            Spread::Interleaved(grain) => {
                Self::Interleaved { grain: Divisor::new(grain.get()), count: Divisor::new(count as u64) }
            }
            Spread::Mixed => Self::Mixed(salt),
            Spread::Hashed(hash) => Self::Hashed(hash.clone()),
        }
    }

    /// The rank of the unit, among `count` units: all of them or a subset.
    #[inline]
    fn choose(&self, address: u64, count: usize) -> usize {
        match self {
            Self::Interleaved { grain, .. } => (grain.divide(address).0 % count as u64) as usize,
            Self::Mixed(salt) => {
                let mixed = mixed((address / LINE) ^ salt);
                ((u128::from(mixed) * count as u128) >> 64) as usize
            }
            Self::Hashed(hash) => usize::from(hash.unit(address)),
        }
    }
}

impl ChannelMap {
    fn new(channels: &[usize], spread: &Spread, of_home: &[Vec<usize>], salt: u64) -> Self {
        let ranks = |ranks: &[usize]| ranks.iter().map(|&rank| rank as u16).collect();
        Self {
            channels: ranks(channels),
            spread: Chooser::new(spread, channels.len(), salt),
            of_home: of_home.iter().map(|channels| ranks(channels)).collect(),
            stripe: Divisor::new(LINE * channels.len() as u64),
        }
    }

    /// The channel of a line, and its address there.
    #[inline(always)]
    fn locate(&self, address: u64, home: usize) -> (u16, u64) {
        if let (true, Chooser::Interleaved { grain, count }) = (self.of_home.is_empty(), &self.spread) {
            let (block, within) = grain.divide(address);
            let (row, rank) = count.divide(block);
            return (self.channels[rank as usize], row * grain.value() + within);
        }
        let channels = self.of_home.get(home).unwrap_or(&self.channels);
        let channel = channels[self.spread.choose(address, channels.len())];
        // Lines of one stripe may share a channel: its rows hold as many bytes, whichever lines these are.
        (channel, self.stripe.divide(address).0 * LINE)
    }
}

impl AddressMap {
    pub(crate) fn new(memory: &NodeMemory) -> Self {
        let salt = |which: u64| (u64::from(memory.node.0) << 2 | which) << 58;
        let NodeMemory { channels, channel_spread, channels_of_home, .. } = memory;
        Self {
            homes: memory.homes.iter().map(|&rank| rank as u16).collect(),
            home_spread: Chooser::new(&memory.home_spread, memory.homes.len(), salt(0)),
            channels: ChannelMap::new(channels, channel_spread, channels_of_home, salt(1)),
            cache: memory.cache.as_ref().map(|cache| {
                ChannelMap::new(&cache.channels, &cache.spread, &cache.channels_of_home, salt(2))
            }),
            straight: straight(memory),
        }
    }

    /// The place of a line.
    #[inline(always)]
    pub(crate) fn locate(&self, address: u64) -> Location {
        // The most common case, without looking at anything else.
        if let Some(Straight { home_grain, home_count, channel_grain, channel_count }) = &self.straight {
            let home = self.homes[home_count.divide(home_grain.divide(address).0).1 as usize];
            let (block, within) = channel_grain.divide(address);
            let (row, rank) = channel_count.divide(block);
            let channel = self.channels.channels[rank as usize];
            return Location {
                home,
                channel,
                behind: NOWHERE,
                address: row * channel_grain.value() + within,
            };
        }
        self.locate_by_all(address)
    }

    /// The place of a line where a hash, a division of routers, or a cache is involved.
    fn locate_by_all(&self, address: u64) -> Location {
        let home = match &self.home_spread {
            Chooser::Interleaved { grain, count } => count.divide(grain.divide(address).0).1 as usize,
            other => other.choose(address, self.homes.len()),
        };
        let (channel, within) = self.channels.locate(address, home);
        let home_rank = self.homes[home];
        let Some(cache) = &self.cache else {
            return Location { home: home_rank, channel, behind: NOWHERE, address: within };
        };
        let (front, within) = cache.locate(address, home);
        Location { home: home_rank, channel: front, behind: channel, address: within }
    }
}

/// How a memory's addresses are divided, if it has nothing but two interleaves.
fn straight(memory: &NodeMemory) -> Option<Straight> {
    let (Spread::Interleaved(home), Spread::Interleaved(channel)) =
        (&memory.home_spread, &memory.channel_spread)
    else {
        return None;
    };
    (memory.cache.is_none() && memory.channels_of_home.is_empty()).then(|| Straight {
        home_grain: Divisor::new(home.get()),
        home_count: Divisor::new(memory.homes.len() as u64),
        channel_grain: Divisor::new(channel.get()),
        channel_count: Divisor::new(memory.channels.len() as u64),
    })
}

/// Bits of a number, mixed; the constants are those of SplitMix64 (S. Vigna,
/// <https://prng.di.unimi.it/splitmix64.c>).
#[inline]
pub(crate) const fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerohop_machine::NodeId;
    use zerohop_machine_file::{PagesInUse, SideCache, SideCacheParameters, TagReadBy};
    use zerohop_units::{Bytes, Nanoseconds};

    fn memory() -> NodeMemory {
        NodeMemory {
            node: NodeId(0),
            homes: vec![3, 4, 5, 6],
            home_spread: Spread::Mixed,
            channels: vec![0, 1],
            channel_spread: Spread::Interleaved(Bytes(128)),
            channels_of_home: Vec::new(),
            cache: None,
        }
    }

    #[test]
    fn interleaved_channels_hold_each_line_once() {
        let map = AddressMap::new(&memory());
        let mut seen: Vec<(u16, u64)> =
            (0..1024).map(|line| map.locate(line * 64)).map(|at| (at.channel, at.address)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 1024);
        assert_eq!(map.locate(64 * 7).channel, 1, "lines 6 and 7 are in the second channel's second block");
    }

    #[test]
    fn a_hash_uses_all_units_evenly_for_any_stride() {
        let map = AddressMap::new(&memory());
        for stride in [1, 2, 4, 8, 64, 1000] {
            let mut lines = [0u32; 7];
            (0..40_000).for_each(|line| lines[usize::from(map.locate(line * 64 * stride).home)] += 1);
            assert!(lines[3..].iter().all(|&of_home| of_home.abs_diff(10_000) < 400), "{lines:?}");
        }
    }

    #[test]
    fn a_home_agent_uses_its_own_channels_behind_a_cache() {
        let own = vec![vec![0], vec![0], vec![1], vec![1]];
        let cache = SideCache {
            channels: vec![7, 8, 9],
            spread: Spread::Interleaved(Bytes(64)),
            channels_of_home: Vec::new(),
            memory: Bytes::gib(4),
            parameters: SideCacheParameters {
                size: Bytes::gib(1),
                lookup: Nanoseconds(3.0),
                tag_read_by: TagReadBy::Write,
                pages: PagesInUse::InOrder,
            },
        };
        let memory = NodeMemory { channels_of_home: own, cache: Some(cache), ..memory() };
        let map = AddressMap::new(&memory);
        for line in 0..1000 {
            let at = map.locate(line * 64);
            assert_eq!(at.behind, u16::from(at.home >= 5));
            assert_eq!(u64::from(at.channel), 7 + line % 3);
        }
    }
}

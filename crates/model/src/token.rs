//! Everything in flight: line fills, writes, probes and their answers.

use std::hint::select_unpredictable;

use crate::address_map::NOWHERE;
use crate::time::Ticks;

pub(crate) const NONE: u32 = u32::MAX;

/// Something in flight. A token that waits for an event is on the calendar; one that waits for a link or a home agent
/// is in its queue; never both.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Token {
    /// When its current stage began.
    pub(crate) since: Ticks,
    /// When the last of a fill's data and known answers is in.
    pub(crate) not_before: Ticks,
    /// Address within its channel.
    pub(crate) address: u64,
    /// The next token in the queue that it waits in.
    pub(crate) next: u32,
    /// The fill that a probe, an answer or a done message belongs to.
    pub(crate) parent: u32,
    /// The lane whose buffer it occupies; [`NONE`] if none.
    pub(crate) lane: u32,
    /// Rank of its worker.
    pub(crate) worker: u16,
    pub(crate) at: u16,
    pub(crate) to: u16,
    /// Rank of its home agent.
    pub(crate) home: u16,
    /// Of a probe: the router of its fill's home agent, where probes start.
    pub(crate) root: u16,
    /// Of a probe: the router at which its answer is collected.
    pub(crate) collector: u16,
    /// Rank of its memory channel.
    pub(crate) channel: u16,
    /// Rank of the next channel after that: a memory-side cache does not hold the line.
    pub(crate) behind: u16,
    /// Answers and data that a fill still waits for.
    pub(crate) pending: u16,
    /// Rank of the memory whose cache its channel belongs to, or [`NOWHERE`] if no cache is in front of its line.
    pub(crate) cached: u16,
    /// Links that it has crossed towards `to`.
    pub(crate) hops: u8,
    /// Its step at its next event.
    pub(crate) state: State,
    /// Its kind of packet on a wire.
    pub(crate) packet: Packet,
    /// Its worker's intent for the line.
    pub(crate) intent: Intent,
    /// Whether its worker is in the home agent's package.
    pub(crate) local: bool,
    /// Its entry in the home agent's table.
    pub(crate) entry: Entry,
    /// Whether the stages of the fill are recorded.
    pub(crate) followed: bool,
    /// Its number among the lines of its worker's stream.
    pub(crate) sequence: u8,
}

impl Token {
    /// Its class at its home agent: 0 if its worker is in the agent's package, otherwise 1.
    #[inline(always)]
    pub(crate) fn class(&self) -> usize {
        usize::from(!self.local)
    }
}

// A token fits one cache line of the host.
const _: () = assert!(size_of::<Token>() == 64);

/// A fill's entry in its home agent's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Entry {
    None,
    Held,
    /// It has one, and gives it up once it is on its next link.
    HeldUntilSent,
}

/// An enumeration and, under `LISTED`, its variants in their order: each is written once.
macro_rules! listed {
    (
        $(#[$meta:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$doc:meta])* $variant:ident,)*
        }
    ) => {
        $(#[$meta])*
        $visibility enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All, by number.
            const LISTED: &'static [Self] = &[$(Self::$variant),*];
        }
    };
}

listed! {
    /// The step at an event: what a token does at its current router, or who wakes up.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[repr(u8)]
    pub(crate) enum State {
        /// Not in use.
        Free,
        /// At a router that is not its destination yet, whatever its step there.
        OnItsWay,
        /// A fill in flight to its home agent.
        FillToHome,
        /// A fill in flight from the home agent to a channel at another router.
        FillToChannel,
        /// A fill whose data memory has read.
        FillFromMemory,
        /// A fill's data in flight to the requester.
        FillToRequester,
        /// A fill whose home agent has, or will then have, its data and all answers.
        FillCollected,
        /// A fill that has, or will then have, its data and all answers.
        FillComplete,
        /// A rejected fill in flight back to its requester.
        FillRejected,
        /// A fill that found no room at its home agent, before the agent looks at it again.
        FillRecirculates,
        /// A probe that is looked up, or forwarded to further routers.
        Probe,
        /// A probe that has been forwarded, and whose own answer is ready now.
        ProbeAnswered,
        /// An answer in flight to the collector.
        Answer,
        /// The message in flight to the home agent that a fill is done.
        Done,
        /// A write in flight to its home agent.
        WriteToHome,
        /// A write in flight from the home agent to a channel at another router.
        WriteToChannel,
        /// A write that memory has taken.
        WriteTaken,
        /// The message in flight to the writer that memory has taken a write.
        WriteAcknowledged,
        /// Not a token's: a wire can take packets again.
        WireReady,
        /// Not a token's: a home agent has a slot for a waiting packet.
        HomeReady,
    }
}

impl State {
    /// By number; anything beyond is unused.
    pub(crate) const ALL: [Self; 32] = {
        let mut all = [Self::Free; 32];
        let mut rank = 0;
        while rank < Self::LISTED.len() {
            all[rank] = Self::LISTED[rank];
            rank += 1;
        }
        all
    };
}

listed! {
    /// The kind of packet that a token is on a wire.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[repr(u8)]
    pub(crate) enum Packet {
        Request,
        Write,
        Probe,
        /// A request that its home agent forwards to a channel elsewhere.
        Onward,
        Response,
        Data,
        /// Data and the home node's own answer to its probe.
        DataAndAnswer,
    }
}

impl Packet {
    pub(crate) const COUNT: usize = Self::LISTED.len();

    pub(crate) const ALL: [Self; Self::COUNT] = {
        let mut all = [Self::Request; Self::COUNT];
        let mut rank = 0;
        while rank < Self::COUNT {
            all[rank] = Self::LISTED[rank];
            rank += 1;
        }
        all
    };

    /// Virtual channels, each with its own buffers: requests, writes, probes, responses. Packets from a home agent
    /// never wait behind requests: those may wait for room that is only made when the agent's packets have come back.
    pub(crate) const VIRTUAL_CHANNELS: usize = 4;

    /// Networks where kinds of packet have wires of their own: requests, data, acknowledgements, probes.
    pub(crate) const NETWORKS: u32 = 4;

    pub(crate) const fn network(self) -> u32 {
        match self {
            Self::Request | Self::Onward => 0,
            Self::Write | Self::Data | Self::DataAndAnswer => 1,
            Self::Response => 2,
            Self::Probe => 3,
        }
    }

    /// Whether it carries no data.
    pub(crate) const fn is_control(self) -> bool {
        matches!(self, Self::Request | Self::Probe | Self::Onward | Self::Response)
    }

    pub(crate) const fn virtual_channel(self) -> usize {
        match self {
            Self::Request => 0,
            Self::Write => 1,
            Self::Probe | Self::Onward => 2,
            Self::Response | Self::Data | Self::DataAndAnswer => 3,
        }
    }
}

/// A worker's intent for a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Intent {
    Load,
    /// To load it and store to it: it is written back later.
    Update,
    /// To store to it: it is fetched only because a store misses, and written back later.
    Store,
    /// To write it without fetching it.
    StorePast,
    /// To get it, dirty, from the core that had it last.
    Transfer,
    /// To bring a dirty line back to memory.
    WriteBack,
}

impl Intent {
    pub(crate) const COUNT: usize = 6;

    /// Whether the fetched line will have to be written back.
    pub(crate) const fn dirties(self) -> bool {
        matches!(self, Self::Update | Self::Store)
    }
}

/// All tokens; the free ones are in a list.
#[derive(Debug)]
pub(crate) struct Tokens {
    slab: Vec<Token>,
    /// By token: when all of it is at the router that forwards it. Kept apart because it is rarely used.
    all_here: Vec<Ticks>,
    free: u32,
}

impl Tokens {
    /// Room for `capacity` tokens, all free.
    pub(crate) fn new(capacity: usize) -> Self {
        let blank = |rank: usize| Token {
            since: 0,
            not_before: 0,
            address: 0,
            next: if rank + 1 < capacity { rank as u32 + 1 } else { NONE },
            parent: NONE,
            lane: NONE,
            worker: 0,
            at: 0,
            to: 0,
            home: 0,
            root: 0,
            collector: 0,
            channel: 0,
            behind: NOWHERE,
            cached: NOWHERE,
            sequence: 0,
            pending: 0,
            hops: 0,
            state: State::Free,
            packet: Packet::Request,
            intent: Intent::Load,
            local: false,
            entry: Entry::None,
            followed: false,
        };
        Self { slab: (0..capacity).map(blank).collect(), all_here: vec![0; capacity], free: 0 }
    }

    /// Number of tokens in use.
    #[cfg(test)]
    pub(crate) fn in_use(&self) -> usize {
        self.iter().count()
    }

    /// Takes a free token.
    ///
    /// # Panics
    /// When there is none: room is made beforehand for all that workers can have in flight.
    #[inline]
    pub(crate) fn take(&mut self) -> u32 {
        let id = self.free;
        self.free = self.slab[id as usize].next;
        id
    }

    #[inline]
    pub(crate) fn release(&mut self, id: u32) {
        let token = &mut self.slab[id as usize];
        debug_assert_ne!(token.state, State::Free, "a token is released twice");
        debug_assert_eq!(token.lane, NONE, "a token is released with a link's buffer");
        token.state = State::Free;
        token.next = self.free;
        self.free = id;
    }

    /// When all of a packet is at the router that forwards it.
    #[inline]
    pub(crate) fn all_here(&self, id: u32) -> Ticks {
        self.all_here[id as usize]
    }

    #[inline]
    pub(crate) fn set_all_here(&mut self, id: u32, at: Ticks) {
        self.all_here[id as usize] = at;
    }

    /// The tokens in use.
    #[cfg(any(test, debug_assertions))]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Token> {
        self.slab.iter().filter(|token| token.state != State::Free)
    }
}

impl std::ops::Index<u32> for Tokens {
    type Output = Token;

    #[inline]
    fn index(&self, id: u32) -> &Token {
        &self.slab[id as usize]
    }
}

impl std::ops::IndexMut<u32> for Tokens {
    #[inline]
    fn index_mut(&mut self, id: u32) -> &mut Token {
        &mut self.slab[id as usize]
    }
}

/// A first-in first-out queue of tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Queue {
    head: u32,
    tail: u32,
    /// Number of waiting tokens.
    length: u32,
}

impl Queue {
    pub(crate) const EMPTY: Self = Self { head: NONE, tail: 0, length: 0 };

    #[inline]
    pub(crate) fn push(&mut self, tokens: &mut Tokens, id: u32) {
        tokens[id].next = NONE;
        // A select, not a branch: half of the time nothing waits.
        let end = &mut tokens[self.tail].next;
        *select_unpredictable(self.head == NONE, &mut self.head, end) = id;
        self.tail = id;
        self.length += 1;
    }

    #[inline]
    pub(crate) fn pop(&mut self, tokens: &Tokens) -> Option<u32> {
        let id = self.head;
        if id == NONE {
            return None;
        }
        self.head = tokens[id].next;
        self.length -= 1;
        Some(id)
    }

    /// Number of waiting tokens.
    pub(crate) const fn length(&self) -> u32 {
        self.length
    }

    pub(crate) fn first(&self) -> Option<u32> {
        (self.head != NONE).then_some(self.head)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.head == NONE
    }
}

//! How much one client can take from the others.

use std::time::Duration;

/// How much one client can take from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time. Beyond that, the one with the slowest client makes room for the next.
    pub connections: usize,
    /// Connections of one address at a time. Those of this host itself, where proxies run, are not counted.
    pub of_an_address: usize,
    /// How long the head of a request may take, and a connection may be silent between two requests.
    pub head: Duration,
    /// How long an answer may take: models of large machines take some seconds.
    pub answer: Duration,
    /// How long a connection lasts: nobody holds one for ever by reading slowly.
    pub connection: Duration,
    /// How many bytes of a body come in a second, at least.
    pub pace: usize,
    /// How far a body may be behind that pace.
    pub grace: Duration,
    /// How long the form of a login may take, which anybody can send.
    pub login: Duration,
    /// Bytes of bodies that are held at a time, those of all requests together.
    pub bodies: usize,
    /// How long the judgement of a result may take.
    pub judgement: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 256,
            of_an_address: 64,
            head: Duration::from_secs(15),
            answer: Duration::from_secs(60),
            connection: Duration::from_secs(300),
            pace: 4 << 10,
            grace: Duration::from_secs(10),
            login: Duration::from_secs(5),
            bodies: 128 << 20,
            judgement: Duration::from_secs(20),
        }
    }
}

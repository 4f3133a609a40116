//! Limits on the resources of one client.

use std::time::Duration;

/// Limits on the resources of one client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time. Beyond that, the one with the slowest client makes room for the next.
    pub connections: usize,
    /// Connections of one address at a time. Connections from this host itself, where proxies run, are not counted.
    pub of_an_address: usize,
    /// Time limit for the head of a request, and for silence between two requests.
    pub head: Duration,
    /// Time limit for a response: models of large machines take some seconds.
    pub answer: Duration,
    /// Maximum duration of a connection: no client can hold one forever by reading slowly.
    pub connection: Duration,
    /// Minimum rate of a body, in bytes per second.
    pub pace: usize,
    /// Time that a body may lag behind that rate.
    pub grace: Duration,
    /// Time limit for the form of a login, which any client can send.
    pub login: Duration,
    /// Bytes of bodies that are held at a time, over all requests.
    pub bodies: usize,
    /// Time limit for the diagnosis of a result.
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

//! A server of PostgreSQL, and a database of it.

use std::fmt;
use std::time::Duration;

use tokio_postgres::Config;

use crate::tls::Security;

/// A database on a server of PostgreSQL, and how it is reached. It is shown without its user and passwords.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    pub(crate) database: String,
    /// Servers that are tried one after the other, as messages name them.
    pub(crate) hosts: Vec<(String, Config)>,
    pub(crate) security: Security,
    /// Time limit to connect.
    pub(crate) connect: Option<Duration>,
    /// Parts of the environment that were ignored, and the reasons.
    pub(crate) warnings: Vec<String>,
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<&str> = self.hosts.iter().map(|(shown, _)| shown.as_str()).collect();
        // A name may have signs that terminals obey.
        write!(
            f,
            "PostgreSQL database {} on {}",
            self.database.escape_debug(),
            hosts.join(" or ").escape_debug()
        )
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

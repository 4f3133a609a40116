//! Environment of a process.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Folders of server sockets, of which the first existing one is used: Debian and others, and PostgreSQL's default.
pub(super) const SOCKET_FOLDERS: [&str; 3] = ["/run/postgresql", "/var/run/postgresql", "/tmp"];

/// Environment of a process, as far as names of databases depend on it.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// Variables whose names begin with `PG`.
    variables: BTreeMap<String, String>,
    pub(super) home: Option<PathBuf>,
    /// The name of the user.
    pub(super) user: Option<String>,
}

impl Environment {
    pub fn of_process() -> Self {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            let name = name.into_string().ok().filter(|name| name.starts_with("PG"))?;
            Some((name, value.into_string().ok()?))
        });
        Self { variables: variables.collect(), home: std::env::home_dir(), user: whoami::username().ok() }
    }

    /// Value of a variable; an empty one is ignored.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A variable as it is set, be it empty.
    pub(super) fn as_set(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    #[cfg(test)]
    pub(super) fn of(variables: &[(&str, &str)], home: Option<PathBuf>) -> Self {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self { variables: variables.collect(), home, user: Some("me".to_owned()) }
    }
}

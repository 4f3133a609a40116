//! Where an archive is, as people write it, and what it is opened for.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Where an archive is.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file of SQLite.
    File(PathBuf),
    /// A database of PostgreSQL, by its URL, which may hold a password.
    Server(String),
}

/// What an archive is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read it: there must be one, and nothing is written.
    Read,
    /// To change what it has: there must be one.
    Change,
    /// To write it: it is made if there is none.
    Write,
}

/// Why a text names no archive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{scheme}://…` is no archive: a file of SQLite or a database of PostgreSQL is expected")]
pub struct ParseLocationError {
    scheme: String,
}

impl Location {
    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Server(_) => None,
        }
    }
}

impl FromStr for Location {
    type Err = ParseLocationError;

    fn from_str(text: &str) -> Result<Self, ParseLocationError> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            return Ok(Self::File(path.strip_prefix("//").unwrap_or(path).into()));
        }
        match text.split_once("://") {
            Some(("postgresql" | "postgres", _)) => Ok(Self::Server(text.to_owned())),
            Some((scheme, _)) if scheme.chars().all(|c| c.is_ascii_alphanumeric()) => {
                Err(ParseLocationError { scheme: scheme.to_owned() })
            }
            _ => Ok(Self::File(text.into())),
        }
    }
}

/// Without a password.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Server(url) => f.write_str(&without_password(url)),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A URL without what may be secret: its password, be it before the host or among the parameters.
fn without_password(url: &str) -> String {
    let (url, parameters) = url.split_once('?').unwrap_or((url, ""));
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    // An `@` may be part of a password; a host has none.
    let rest = match rest.rsplit_once('@') {
        Some((user, host)) => format!("{}@{host}", user.split(':').next().unwrap_or_default()),
        None => rest.to_owned(),
    };
    let kept = parameters.split('&').filter(|one| !one.is_empty() && !one.starts_with("password="));
    let kept: Vec<&str> = kept.collect();
    let parameters = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    format!("{scheme}://{rest}{parameters}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_a_file_or_a_server() {
        let file = |path: &str| Location::File(path.into());
        for (text, expected) in [
            ("a.sqlite", file("a.sqlite")),
            ("sqlite:a.sqlite", file("a.sqlite")),
            ("sqlite:///var/a.sqlite", file("/var/a.sqlite")),
            ("postgresql://db/zerohop", Location::Server("postgresql://db/zerohop".to_owned())),
        ] {
            assert_eq!(text.parse::<Location>().unwrap(), expected, "{text}");
        }
        let message = "mysql://db".parse::<Location>().unwrap_err().to_string();
        assert!(message.starts_with("`mysql://…` is no archive"), "{message}");
    }

    #[test]
    fn no_password_is_shown() {
        for (url, shown) in [
            ("postgresql://me:s3c@ret@db:5432/zerohop", "postgresql://me@db:5432/zerohop"),
            ("postgresql://db/zerohop?user=me&password=s3cret", "postgresql://db/zerohop?user=me"),
            ("postgresql:///zerohop?host=/run/postgresql", "postgresql:///zerohop?host=/run/postgresql"),
        ] {
            let location: Location = url.parse().unwrap();
            assert_eq!(location.to_string(), shown);
            assert_eq!(format!("{location:?}"), shown);
        }
    }
}

//! Location of an archive, as people write it, and the purpose of opening it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zerohop_result::{may_hold_secret, shown_name};

use crate::libpq::{self, Environment};
use crate::server::Server;

/// How a name of a file may begin, so that it is not mistaken for anything else.
const FILE: &str = "sqlite:";

/// Location of an archive.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file of SQLite.
    File(PathBuf),
    /// A database of PostgreSQL.
    Server(Arc<Server>),
}

/// Purpose of opening an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read it: there must be one, and nothing is written.
    Read,
    /// To change its content: it must exist.
    Change,
    /// To write it: it is made if there is none.
    Write,
}

/// Reason why a text does not name an archive. It repeats nothing that may be a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocationError {
    /// There is no text.
    #[error("the name of the archive is empty")]
    Empty,
    /// SQLite would keep it in memory.
    #[error("`:memory:` cannot be an archive: it would be lost at exit")]
    Memory,
    /// SQLite would take it for a URI, which may say that it is kept in memory.
    #[error("the name of an archive cannot start with `file:`")]
    Uri,
    /// It is a folder.
    #[error("`{}` is a directory, not an archive file", shown_name(&.0.to_string_lossy()))]
    Folder(PathBuf),
    /// It is a URL of something else.
    #[error("`{0}://…` is not an archive (expected an SQLite file or a PostgreSQL database)")]
    Scheme(String),
    /// It may hold a password, and is no URL of a database.
    #[error("invalid archive name; not printed, because it may contain a password")]
    Secret,
    /// It is meant as a database of PostgreSQL, and cannot be read.
    #[error("invalid archive name: {0}")]
    Server(String),
}

impl LocationError {
    /// Hint for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::Empty => "a variable may be unset; without --archive, the archive is $ZEROHOP_ARCHIVE, or \
                            ~/.local/share/zerohop/archive.sqlite"
                .to_owned(),
            Self::Memory => "for a file of this name, use ./:memory:".to_owned(),
            Self::Uri => "give the file without `file:` and without parameters; for a file of this name, use ./file:…".to_owned(),
            Self::Folder(folder) => {
                format!("give a file in it: {}", shown_name(&folder.join("archive.sqlite").to_string_lossy()))
            },
            Self::Scheme(_) => "use a file: --archive FILE; or a database: --archive postgresql://USER@HOST/DATABASE".to_owned(),
            Self::Secret | Self::Server(_) => "give a database as `postgresql://USER@HOST:PORT/DATABASE` or `host=HOST user=USER dbname=DATABASE`, as for psql; \
                                if it is a file, start its name with ./"
                .to_owned(),
        }
    }
}

impl Location {
    /// The archive that a text names. Parts of a database name that it omits are taken from the environment.
    ///
    /// # Errors
    /// If the text names none.
    pub fn named(text: &str, environment: &Environment) -> Result<Self, LocationError> {
        if text.trim().is_empty() {
            return Err(LocationError::Empty);
        }
        if let Some(path) = text.strip_prefix(FILE) {
            return file(path.strip_prefix("//").unwrap_or(path));
        }
        if text.starts_with(['/', '.']) {
            return file(text);
        }
        if libpq::is_name(text) {
            let server = libpq::server(text, environment).map_err(LocationError::Server)?;
            return Ok(Self::Server(Arc::new(server)));
        }
        match text.split_once(':') {
            Some((scheme, _)) if means_database(scheme) => {
                Err(LocationError::Server("expected `postgresql://` at the start".to_owned()))
            }
            // No file has such a name, and what else it says may be secret.
            _ if text.contains("://") => {
                let scheme = text.split(':').next().unwrap_or_default();
                let is_plain = !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric());
                Err(LocationError::Scheme(if is_plain { scheme.to_owned() } else { "…".to_owned() }))
            }
            _ if may_hold_secret(text) => Err(LocationError::Secret),
            _ => file(text),
        }
    }

    /// Whether a text is a URL of a database, be it right or not: no file is meant.
    pub fn is_url(text: &str) -> bool {
        text.split_once(':').is_some_and(|(scheme, _)| means_database(scheme))
    }

    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Server(_) => None,
        }
    }

    /// Parts of the environment that were ignored, and the reasons.
    pub fn warnings(&self) -> &[String] {
        match self {
            Self::File(_) => &[],
            Self::Server(server) => &server.warnings,
        }
    }
}

/// Whether the scheme of a URL means PostgreSQL, also if it is misspelt.
fn means_database(scheme: &str) -> bool {
    // Some name the driver behind a `+`.
    let scheme = scheme.split('+').next().unwrap_or_default().to_ascii_lowercase();
    let is_word = scheme.chars().all(|c| c.is_ascii_alphanumeric());
    is_word && (scheme.starts_with("postg") || ["pg", "pgsql", "psql"].contains(&scheme.as_str()))
}

/// A file of that name, if SQLite does not take it for something else.
fn file(name: &str) -> Result<Location, LocationError> {
    if name.trim().is_empty() {
        return Err(LocationError::Empty);
    }
    if name == ":memory:" {
        return Err(LocationError::Memory);
    }
    if name.starts_with("file:") {
        return Err(LocationError::Uri);
    }
    let path = PathBuf::from(name);
    if name.ends_with('/') || path.is_dir() {
        return Err(LocationError::Folder(path));
    }
    Ok(Location::File(path))
}

/// Without anything that may be secret.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => shown_name(&path.to_string_lossy()).fmt(f),
            Self::Server(server) => server.fmt(f),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Result<Location, LocationError> {
        Location::named(text, &Environment::default())
    }

    #[test]
    fn a_location_is_a_file_or_a_server() {
        for (text, path) in [
            ("a.sqlite", "a.sqlite"),
            ("sqlite:a.sqlite", "a.sqlite"),
            ("sqlite:///var/a.sqlite", "/var/a.sqlite"),
            ("./:memory:", "./:memory:"),
            ("./file:a", "./file:a"),
            ("/nowhere/host=a b", "/nowhere/host=a b"),
            ("run=3.sqlite", "run=3.sqlite"),
        ] {
            assert_eq!(named(text).unwrap(), Location::File(path.into()), "{text}");
        }
        for text in
            ["postgresql://me@db/zerohop", "postgres://me@db/zerohop", "host=db user=me dbname = zerohop"]
        {
            assert_eq!(named(text).unwrap().to_string(), "PostgreSQL database zerohop on db:5432", "{text}");
        }
    }

    /// An unset variable in a script took the default archive; what SQLite keeps in memory was reported as added.
    #[test]
    fn what_keeps_nothing_is_no_archive() {
        for (text, error) in [
            ("", LocationError::Empty),
            (" \t", LocationError::Empty),
            ("sqlite:", LocationError::Empty),
            (":memory:", LocationError::Memory),
            ("sqlite::memory:", LocationError::Memory),
            ("file:a?mode=memory", LocationError::Uri),
            ("sqlite:file:a?mode=memory", LocationError::Uri),
            ("nowhere/", LocationError::Folder("nowhere/".into())),
            ("/", LocationError::Folder("/".into())),
            ("src", LocationError::Folder("src".into())),
            ("mysql://db", LocationError::Scheme("mysql".to_owned())),
        ] {
            assert_eq!(named(text).unwrap_err(), error, "{text}");
            assert!(!error.hint().is_empty());
        }
    }

    #[test]
    fn no_secret_is_shown() {
        for text in [
            "postgresql://me:s3cret@db/zerohop",
            "postgresql://me:s3cret?x@/zerohop?host=db",
            "postgresql://me:x@s3cret@db/zerohop",
            "postgresql://me:12/s3cret@db/zerohop",
            "postgresql://me:s3cret/x@db/zerohop",
            "postgresql://me@db/zerohop?password=s3cret",
            "postgresql://me@db/zerohop?pasword=s3cret",
            "postgresql://me@db/zerohop?s3cret",
            "postgresql://me:%zzs3cret@db/zerohop",
            "postgresql://me@db:s3cret/zerohop",
            "postgres:me:s3cret@db/zerohop",
            "POSTGRESQL://me:s3cret@db/zerohop",
            "jdbc:postgresql://db/zerohop?user=me&password=s3cret",
            "me:s3cret://db",
            "host=db password=s3cret user=me dbname=zerohop",
            "host = db password = 's3cret user=me",
            "hots=db password=s3cret",
            "password=s3cret\\",
            "host=db password=x s3cret",
            // These were taken for names of files.
            "pgsql://me:s3cret@db/z",
            "pgsql:me:s3cret@db/z",
            "postgres:/me:s3cret@db/z",
            "postgressql:me:s3cret@db/z",
            "Host=h;Password=s3cret",
            "server=h;PWD=s3cret",
            "me:s3cret@db/z",
            "PGPASSWORD=s3cret",
            "sqlite:PGPASSWORD=s3cret",
            "./me:s3cret@db",
            // These were shown as hosts, databases and users.
            "postgresql://h/db&password=s3cret",
            "postgresql://h/db;password=s3cret",
            "postgresql://h;password=s3cret/db",
            "postgresql:///db?host=/x;password=s3cret",
            "host=h;user=u;password=s3cret",
            "host=h,user=u,password=s3cret",
            "host=h&password=s3cret",
            "dbname=x;password=s3cret",
            "user=u:s3cret host=h",
            "user=u/s3cret host=h",
            "host=u:s3cret@h",
            "host=h:s3cret",
            "{\"password\":\"s3cret\"}",
            "host=h dbname=postgresql://u:s3cret@h/db",
            "host=h sslrootcert=/x;password=s3cret",
        ] {
            let shown = match named(text) {
                Ok(location) => format!("{location} {location:?}"),
                Err(error) => format!("{error} {error:?} {}", error.hint()),
            };
            assert!(!shown.contains("s3cret"), "{text}: {shown}");
        }
    }

    proptest::proptest! {
        /// Whatever a password has, and wherever it was not escaped.
        #[test]
        fn no_password_in_a_url_is_shown(before in "[ -~é\u{3000}]{0,6}", after in "[ -~é\u{3000}]{0,6}") {
            for rest in ["db/zerohop", "/zerohop?host=db", "db:5432/zerohop?sslmode=require"] {
                let text = format!("postgresql://me:{before}s3cret{after}@{rest}");
                let shown = match named(&text) {
                    Ok(location) => format!("{location} {location:?}"),
                    Err(error) => format!("{error} {error:?} {}", error.hint()),
                };
                proptest::prop_assert!(!shown.contains("s3cret"), "{}: {}", text, shown);
            }
        }

        #[test]
        fn no_text_is_too_strange(text in "(postgresql://)?([a-z=@:/?&%\\['\\\\ \u{3000}]|host=|%4|é){0,24}") {
            drop(named(&text).map(|location| location.to_string()));
        }
    }
}

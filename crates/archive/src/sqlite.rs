//! Archives in a file of SQLite.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, ffi, params_from_iter};

use zerohop_result::shown_name;

use crate::database::{Database, Dialect, Field, Row};
use crate::error::ArchiveError;
use crate::file::{self, PathContent};
use crate::identity::Place;
use crate::location::{Access, Location};
use crate::wait;

/// What marks a file as an archive: [`file::APPLICATION`].
const OWNED: &str = "PRAGMA application_id = 2053468783;";

/// How SQLite says that a table has not the form that it was made in.
const LOST: [&str; 3] = ["no such table", "no such column", "has no column named"];

/// Different statements that are kept prepared.
const STATEMENTS: usize = 64;

/// An archive in a file.
pub(crate) struct Sqlite {
    connection: Connection,
    location: Location,
    /// The file's path, from the root. SQLite takes `:memory:` and what begins with `file:` for other things than paths.
    path: PathBuf,
    /// The file that was opened.
    place: Option<Place>,
}

impl Sqlite {
    /// Opens the file, and creates it if it is to be written.
    pub(crate) fn open(path: &Path, access: Access) -> Result<Self, ArchiveError> {
        let location = Location::File(path.to_owned());
        let closed = |error: std::io::Error| closed(&location, &error.to_string());
        let foreign = |what| Err(ArchiveError::Foreign { location: location.clone(), what });
        let path = std::path::absolute(path).map_err(closed)?;
        match file::there(&path).map_err(closed)? {
            PathContent::Archive => {}
            PathContent::Empty if access == Access::Write => {}
            PathContent::Empty => return Err(ArchiveError::Empty { location }),
            PathContent::Nothing if access == Access::Write => {
                // A slip in a path makes no folders.
                if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
                    let reason = format!("no such directory: `{}`", shown_name(&folder.to_string_lossy()));
                    return Err(ArchiveError::Closed { location, reason });
                }
            }
            PathContent::Nothing => return Err(ArchiveError::Absent { location }),
            PathContent::Database => {
                return foreign(format!("a database of another program{}", tables(&path)));
            }
            PathContent::Other(what) => return foreign(what),
        }
        let open = |flags| Self::connect(&path, &location, flags);
        if access != Access::Read {
            let create =
                if access == Access::Write { OpenFlags::SQLITE_OPEN_CREATE } else { OpenFlags::empty() };
            return open(OpenFlags::SQLITE_OPEN_READ_WRITE | create);
        }
        let only_read = |flags| {
            let mut sqlite = open(flags)?;
            sqlite.script("PRAGMA query_only = ON")?;
            sqlite.touch()?;
            Ok(sqlite)
        };
        let reader = || {
            // Who reads a log with the rights of a writer takes it away with the last connection; a mere reader leaves its files behind.
            if file::has_log(&path)
                && let Ok(sqlite) = only_read(OpenFlags::SQLITE_OPEN_READ_WRITE)
            {
                return Ok(sqlite);
            }
            only_read(OpenFlags::SQLITE_OPEN_READ_ONLY)
        };
        match reader() {
            // A writer was killed in the middle of a change. What it did not finish is undone, as SQLite's own readers do: no reader has seen it.
            Err(ArchiveError::Unfinished { .. }) => {
                match open(OpenFlags::SQLITE_OPEN_READ_WRITE).and_then(|mut sqlite| sqlite.touch()) {
                    Ok(()) => reader(),
                    Err(ArchiveError::Closed { .. }) => {
                        Err(ArchiveError::Unfinished { location: location.clone() })
                    }
                    Err(error) => Err(error),
                }
            }
            opened => opened,
        }
    }

    fn connect(path: &Path, location: &Location, flags: OpenFlags) -> Result<Self, ArchiveError> {
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
        let connection = connection.map_err(|error| wrong(location, &error))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        let (location, path) = (location.clone(), path.to_owned());
        let place = Place::of(&path);
        let mut sqlite = Self { connection, location, path, place };
        sqlite.connection.busy_handler(Some(wait::goes_on)).map_err(|error| sqlite.wrong(&error))?;
        // A commit is on the disk before it counts. A write-ahead log would spare readers some waiting, but they could not read the file of
        // another user then: they have to write to a log.
        let settings = "PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;";
        sqlite.connection.execute_batch(settings).map_err(|error| sqlite.wrong(&error))?;
        Ok(sqlite)
    }

    fn touch(&mut self) -> Result<(), ArchiveError> {
        self.query("SELECT COUNT(*) FROM sqlite_master", &[], &mut |_| Ok(()))
    }

    fn wrong(&self, error: &rusqlite::Error) -> ArchiveError {
        wrong(&self.location, error)
    }

    fn number(&mut self, pragma: &str) -> Result<u64, ArchiveError> {
        let mut found = 0;
        self.query(pragma, &[], &mut |row| {
            if let [Field::Integer(number)] = row.as_slice() {
                found = number.unsigned_abs();
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// The tables of a database that another program made, in words. It is read without its locks and its log, so that nothing is left beside it.
fn tables(path: &Path) -> String {
    /// Tables that are named, at most.
    const NAMED: usize = 8;
    let encode = |byte: &u8| match byte {
        b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    let path: String = path.as_os_str().as_bytes().iter().map(encode).collect();
    let names = || {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)?;
        let select = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
        let mut select = connection.prepare(select)?;
        select.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()
    };
    match names().unwrap_or_default().as_slice() {
        [] => String::new(),
        names if names.len() > NAMED => {
            format!(", with the tables {} and {} more", names[..NAMED].join(", "), names.len() - NAMED)
        }
        [name] => format!(", with the table {name}"),
        names => format!(", with the tables {}", names.join(", ")),
    }
}

impl Database for Sqlite {
    fn dialect(&self) -> Dialect {
        Dialect {
            key: "INTEGER PRIMARY KEY",
            in_order: "WITHOUT ROWID",
            names: "SELECT name FROM sqlite_master",
            columns: "SELECT name FROM pragma_table_info('archive')",
            random: "lower(hex(randomblob(16)))",
            owned: OWNED,
            seconds: "SELECT CAST(strftime('%s', 'now') AS INTEGER)",
            by_name: "",
        }
    }

    fn script(&mut self, statements: &str) -> Result<(), ArchiveError> {
        self.connection.execute_batch(statements).map_err(|error| self.wrong(&error))
    }

    fn execute(&mut self, statement: &str, fields: &[Field]) -> Result<u64, ArchiveError> {
        let mut prepared = self.connection.prepare_cached(statement).map_err(|error| self.wrong(&error))?;
        let changed = prepared.execute(params_from_iter(fields)).map_err(|error| self.wrong(&error))?;
        Ok(changed as u64)
    }

    fn query(
        &mut self,
        statement: &str,
        fields: &[Field],
        each: &mut dyn FnMut(Row) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let mut prepared = self.connection.prepare_cached(statement).map_err(|error| self.wrong(&error))?;
        let columns = prepared.column_count();
        let mut rows = prepared.query(params_from_iter(fields)).map_err(|error| self.wrong(&error))?;
        while let Some(row) = rows.next().map_err(|error| self.wrong(&error))? {
            let fields =
                (0..columns).map(|column| row.get_ref(column).map(field)).collect::<Result<Row, _>>();
            each(fields.map_err(|error| self.wrong(&error))?)?;
        }
        Ok(())
    }

    fn is_in_place(&self) -> bool {
        self.place.is_some() && self.place == Place::of(&self.path)
    }

    fn begin(&mut self) -> Result<(), ArchiveError> {
        if !self.is_in_place() {
            let reason = "its file was replaced".to_owned();
            return Err(ArchiveError::Moved { location: self.location.clone(), reason });
        }
        self.script("BEGIN IMMEDIATE")
    }

    fn commit(&mut self) -> Result<(), ArchiveError> {
        self.script("COMMIT")
    }

    fn roll_back(&mut self) {
        if !self.connection.is_autocommit() {
            // If even that fails, the file is as it was once the connection is closed.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }

    fn damage(&mut self) -> Result<Vec<String>, ArchiveError> {
        let mut found = Vec::new();
        self.query("PRAGMA integrity_check(20)", &[], &mut |row| {
            found.extend(row.into_iter().filter_map(|field| match field {
                Field::Text(text) if text != "ok" => Some(text),
                _ => None,
            }));
            Ok(())
        })?;
        Ok(found)
    }

    fn shrink(&mut self) -> Result<(), ArchiveError> {
        if self.number("PRAGMA freelist_count")? == 0 { Ok(()) } else { self.script("VACUUM") }
    }

    fn size(&mut self) -> Result<u64, ArchiveError> {
        Ok(self.number("PRAGMA page_count")? * self.number("PRAGMA page_size")?)
    }
}

impl ToSql for Field {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Integer(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Self::Real(number) => ToSqlOutput::Owned(Value::Real(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

fn field(value: ValueRef<'_>) -> Field {
    match value {
        ValueRef::Null => Field::Null,
        ValueRef::Integer(number) => Field::Integer(number),
        ValueRef::Real(number) => Field::Real(number),
        ValueRef::Text(text) => Field::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Field::Bytes(bytes.to_vec()),
    }
}

fn closed(location: &Location, reason: &str) -> ArchiveError {
    ArchiveError::Closed { location: location.clone(), reason: reason.to_owned() }
}

fn wrong(location: &Location, error: &rusqlite::Error) -> ArchiveError {
    let location = location.clone();
    let reason = match error {
        rusqlite::Error::SqliteFailure(_, Some(words)) => words.clone(),
        // Its own words have the whole statement.
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        _ => error.to_string(),
    };
    match error.sqlite_error().map(|error| error.extended_code) {
        Some(ffi::SQLITE_READONLY_ROLLBACK | ffi::SQLITE_READONLY_RECOVERY) => {
            return ArchiveError::Unfinished { location };
        }
        Some(ffi::SQLITE_READONLY_DBMOVED) => {
            let reason = "its file was replaced".to_owned();
            return ArchiveError::Moved { location, reason };
        }
        _ => {}
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            ArchiveError::Damaged { location, reason }
        }
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => ArchiveError::Full { location, reason },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) if wait::was_ended() => {
            ArchiveError::Stopped { location }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ArchiveError::Busy { location, reason },
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            ArchiveError::Closed { location, reason }
        }
        _ if LOST.iter().any(|words| reason.contains(words)) => ArchiveError::Unindexed { location, reason },
        _ => ArchiveError::Failed { location, reason },
    }
}

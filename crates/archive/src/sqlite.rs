//! Archives in a file of SQLite.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, params_from_iter};

use crate::database::{Database, Dialect, Field, Row};
use crate::error::ArchiveError;
use crate::location::{Access, Location};

/// How long a writer waits for another one: a batch of a large add takes a second or so.
const PATIENCE: Duration = Duration::from_secs(60);

/// Different statements that are kept prepared.
const STATEMENTS: usize = 64;

/// An archive in a file.
pub(crate) struct Sqlite {
    connection: Connection,
    location: Location,
}

impl Sqlite {
    /// Opens the file, and creates it if it is to be written.
    pub(crate) fn open(path: &Path, access: Access) -> Result<Self, ArchiveError> {
        let location = Location::File(path.to_owned());
        let exists = path.exists();
        if !exists && access == Access::Read {
            return Err(ArchiveError::Absent { location });
        }
        if let Some(folder) = path.parent().filter(|_| !exists) {
            let created = std::fs::create_dir_all(folder);
            created.map_err(|error| closed(&location, &error.to_string()))?;
        }
        // Readers, too, may have to undo what a killed writer left. Where they may not write, SQLite opens the file for reading.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let flags = if exists { flags } else { flags | OpenFlags::SQLITE_OPEN_CREATE };
        let connection =
            Connection::open_with_flags(path, flags).map_err(|error| wrong(&location, &error))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        let sqlite = Self { connection, location };
        sqlite.connection.busy_timeout(PATIENCE).map_err(|error| wrong(&sqlite.location, &error))?;
        // A commit is on the disk before it counts. A write-ahead log would spare readers some waiting, but they could not read the file of
        // another user then: they have to write to a log.
        let settings = "PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;";
        sqlite.connection.execute_batch(settings).map_err(|error| wrong(&sqlite.location, &error))?;
        Ok(sqlite)
    }

    fn wrong(&self, error: &rusqlite::Error) -> ArchiveError {
        wrong(&self.location, error)
    }
}

impl Database for Sqlite {
    fn dialect(&self) -> Dialect {
        Dialect {
            key: "INTEGER PRIMARY KEY",
            in_order: "WITHOUT ROWID",
            by_name: "",
            tables: "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'archive'",
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

    fn begin(&mut self) -> Result<(), ArchiveError> {
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
        self.script("VACUUM")
    }

    fn size(&mut self) -> Result<u64, ArchiveError> {
        let mut pages = 1;
        for pragma in ["PRAGMA page_count", "PRAGMA page_size"] {
            self.query(pragma, &[], &mut |row| {
                if let [Field::Integer(number)] = row.as_slice() {
                    pages *= number.unsigned_abs();
                }
                Ok(())
            })?;
        }
        Ok(pages)
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
        _ => error.to_string(),
    };
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            ArchiveError::Damaged { location, reason }
        }
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => ArchiveError::Full { location, reason },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ArchiveError::Busy { location, reason },
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            ArchiveError::Closed { location, reason }
        }
        _ => ArchiveError::Failed { location, reason },
    }
}

//! Archives in a database of PostgreSQL.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use tokio_postgres::error::SqlState;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::database::{Database, Dialect, Field, Row};
use crate::error::ArchiveError;
use crate::location::{Access, Location};
use crate::server::Server;
use crate::session::{ANSWER, CHANGE, Fault, Session, words};

/// What writers lock: one of them writes at a time, so that numbers of results follow each other.
const LOCK: i64 = 0x7a65_726f_686f_7000;

/// How long a writer waits for another one, as in a file of SQLite.
const PATIENCE: Duration = Duration::from_secs(60);

/// An archive on a server.
pub(crate) struct Postgres {
    server: Arc<Server>,
    access: Access,
    /// The connection; `None` once it is lost.
    session: Option<Session>,
    is_writing: bool,
}

impl Postgres {
    /// Connects to the database.
    pub(crate) fn open(server: &Arc<Server>, access: Access) -> Result<Self, ArchiveError> {
        let mut postgres = Self { server: Arc::clone(server), access, session: None, is_writing: false };
        postgres.repeatedly(|_| Ok(()))?;
        Ok(postgres)
    }

    /// Does something with the connection. If that turns out to be lost, for the server was started again, it is done once more with another one;
    /// not within a transaction, which is lost with its connection.
    fn repeatedly<T>(
        &mut self,
        mut work: impl FnMut(&mut Session) -> Result<T, Fault>,
    ) -> Result<T, ArchiveError> {
        let may_repeat = self.session.is_some() && !self.is_writing;
        match self.once(&mut work) {
            Err(Fault::Lost(_)) if may_repeat => self.once(&mut work),
            done => done,
        }
        .map_err(|fault| self.error(fault))
    }

    fn once<T>(&mut self, work: &mut impl FnMut(&mut Session) -> Result<T, Fault>) -> Result<T, Fault> {
        let session = match self.session.take() {
            Some(session) => session,
            None if self.is_writing => return Err(Fault::Lost("nothing was written".to_owned())),
            None => Session::open(&self.server, self.access)?,
        };
        let session = self.session.insert(session);
        let done = work(session);
        if matches!(done, Err(Fault::Lost(_) | Fault::Silent(_))) {
            // Nobody knows what would come of it next.
            self.session = None;
        }
        done
    }

    fn error(&self, fault: Fault) -> ArchiveError {
        let location = Location::Server(Arc::clone(&self.server));
        let error = match fault {
            Fault::Lost(reason) => return ArchiveError::Disconnected { location, reason },
            Fault::Silent(limit) => {
                let reason = format!("request timed out after {} s", limit.as_secs());
                return ArchiveError::Unavailable { location, reason };
            }
            Fault::Unreachable(reason) => return ArchiveError::Unavailable { location, reason },
            Fault::Untrusted(reason) => return ArchiveError::Untrusted { location, reason },
            Fault::Host(reason) => return ArchiveError::Closed { location, reason },
            Fault::Refused(error) => error,
        };
        let reason = words(&error);
        let code = error.code().map_or("", SqlState::code);
        match error.code() {
            Some(code) if *code == SqlState::DISK_FULL => ArchiveError::Full { location, reason },
            Some(code) if *code == SqlState::DATA_CORRUPTED || *code == SqlState::INDEX_CORRUPTED => {
                ArchiveError::Damaged { location, reason }
            }
            Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => ArchiveError::Busy { location, reason },
            Some(code) if *code == SqlState::UNDEFINED_TABLE || *code == SqlState::UNDEFINED_COLUMN => {
                ArchiveError::Unindexed { location, reason }
            }
            Some(code)
                if *code == SqlState::INSUFFICIENT_PRIVILEGE
                    || *code == SqlState::READ_ONLY_SQL_TRANSACTION =>
            {
                ArchiveError::Denied { location, reason }
            }
            // No such database, no such user, or another password.
            Some(_) if code.starts_with("28") || code.starts_with("3D") => {
                ArchiveError::Closed { location, reason }
            }
            Some(_) => ArchiveError::Failed { location, reason },
            // The driver's own words are about what was named.
            None => ArchiveError::Closed { location, reason },
        }
    }

    /// How long the server may be silent.
    const fn limit(&self) -> Duration {
        if self.is_writing { CHANGE } else { ANSWER }
    }
}

impl Database for Postgres {
    fn dialect(&self) -> Dialect {
        Dialect {
            key: "BIGINT PRIMARY KEY",
            in_order: "",
            // Names may be longer than a page of any other index.
            by_name: "USING hash",
            // Where statements find them: in the schema of the search path that has an archive, or else the first one. `to_regclass` remembers that
            // there was none, even after a wait for whoever makes it.
            names: "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'i') AND relnamespace = COALESCE(
                (SELECT relnamespace FROM pg_class WHERE relname = 'archive' AND pg_table_is_visible(oid)),
                (SELECT oid FROM pg_namespace WHERE nspname = current_schema()))",
            columns: "SELECT attname::text FROM pg_attribute
                WHERE attrelid = (SELECT oid FROM pg_class WHERE relname = 'archive' AND pg_table_is_visible(oid))
                AND attnum > 0 AND NOT attisdropped",
            random: "md5(random()::text || clock_timestamp()::text)",
            owned: "",
            seconds: "SELECT EXTRACT(EPOCH FROM clock_timestamp())::BIGINT",
        }
    }

    fn script(&mut self, statements: &str) -> Result<(), ArchiveError> {
        let limit = self.limit();
        self.repeatedly(|session| session.script(statements, limit))
    }

    fn execute(&mut self, statement: &str, fields: &[Field]) -> Result<u64, ArchiveError> {
        let limit = self.limit();
        self.repeatedly(|session| session.execute(statement, fields, limit))
    }

    fn query(
        &mut self,
        statement: &str,
        fields: &[Field],
        each: &mut dyn FnMut(Row) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let limit = self.limit();
        let (mut failed, mut has_begun) = (None, false);
        let found = self.repeatedly(|session| {
            if has_begun {
                // Rows would come twice.
                return Err(Fault::Lost("in the middle of a response".to_owned()));
            }
            session.query(statement, fields, limit, &mut |row| {
                has_begun = true;
                let fields = (0..row.len()).map(|column| field(row, column)).collect::<Result<Row, _>>()?;
                failed = each(fields).err();
                Ok(failed.is_none())
            })
        });
        found?;
        failed.map_or(Ok(()), Err)
    }

    fn begin(&mut self) -> Result<(), ArchiveError> {
        let begin = format!("BEGIN; SET LOCAL lock_timeout = '{}s'", PATIENCE.as_secs());
        let lock = format!("SELECT pg_advisory_xact_lock({LOCK})");
        let begun = self.repeatedly(|session| {
            session.script(&begin, ANSWER)?;
            session.script(&lock, PATIENCE + ANSWER)
        });
        self.is_writing = true;
        begun.inspect_err(|_| self.roll_back())
    }

    fn commit(&mut self) -> Result<(), ArchiveError> {
        // It is never repeated: a new connection would have nothing to commit, and say that all is well.
        let done = self.script("COMMIT");
        self.is_writing = false;
        done
    }

    fn roll_back(&mut self) {
        if std::mem::take(&mut self.is_writing)
            && let Some(session) = &mut self.session
        {
            // A connection that is lost undoes it as well.
            if session.script("ROLLBACK", ANSWER).is_err() {
                self.session = None;
            }
        }
    }

    fn warning(&self) -> Option<String> {
        let is_open = self.session.as_ref().is_some_and(|session| session.is_open_to_others);
        is_open.then(|| {
            format!(
                "the connection to {} is not encrypted: `sslmode=require` rejects this, `sslmode=disable` allows it without this warning",
                self.server
            )
        })
    }

    fn damage(&mut self) -> Result<Vec<String>, ArchiveError> {
        // The server checks each page that it reads; reading the texts, which follows, reads them all.
        Ok(Vec::new())
    }

    fn shrink(&mut self) -> Result<(), ArchiveError> {
        // Together they would be a transaction, in which the server does not do it.
        ["document", "result", "reading"].into_iter().try_for_each(|table| {
            self.repeatedly(|session| session.script(&format!("VACUUM {table}"), CHANGE))
        })
    }

    fn size(&mut self) -> Result<u64, ArchiveError> {
        let mut size = 0;
        let statement = "SELECT pg_database_size(current_database())";
        self.query(statement, &[], &mut |row| {
            if let [Field::Integer(bytes)] = row.as_slice() {
                size = bytes.unsigned_abs();
            }
            Ok(())
        })?;
        Ok(size)
    }
}

impl ToSql for Field {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(number) => number.to_sql_checked(ty, out),
            Self::Real(number) => number.to_sql_checked(ty, out),
            // A text of PostgreSQL has no such sign. Only the index is text, and shows it as Unicode pictures it.
            Self::Text(text) if text.contains('\0') => text.replace('\0', "\u{2400}").to_sql_checked(ty, out),
            Self::Text(text) => text.to_sql_checked(ty, out),
            Self::Bytes(bytes) => bytes.to_sql_checked(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        // Each kind of field checks its own.
        true
    }

    to_sql_checked!();
}

fn field(row: &tokio_postgres::Row, column: usize) -> Result<Field, tokio_postgres::Error> {
    let of = row.columns()[column].type_();
    Ok(match *of {
        Type::INT8 => row.try_get::<_, Option<i64>>(column)?.map_or(Field::Null, Field::Integer),
        Type::FLOAT8 => row.try_get::<_, Option<f64>>(column)?.map_or(Field::Null, Field::Real),
        Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(column)?.map_or(Field::Null, Field::Bytes),
        _ => row.try_get::<_, Option<String>>(column)?.map_or(Field::Null, Field::Text),
    })
}

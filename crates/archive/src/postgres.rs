//! Archives in a database of PostgreSQL.

use std::collections::HashMap;
use std::error::Error;

use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::private::BytesMut;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, NoTls, Statement};

use crate::database::{Database, Dialect, Field, Row};
use crate::error::ArchiveError;
use crate::location::Location;

/// What writers lock: one of them writes at a time, so that numbers of results follow each other.
const LOCK: i64 = 0x7a65_726f_686f_7000;

/// An archive on a server.
pub(crate) struct Postgres {
    client: Client,
    /// Statements that the server has prepared.
    prepared: HashMap<String, Statement>,
    is_writing: bool,
    location: Location,
}

impl Postgres {
    /// Connects to the database.
    pub(crate) fn open(url: &str) -> Result<Self, ArchiveError> {
        let location = Location::Server(url.to_owned());
        let client = Client::connect(url, NoTls);
        let client = client
            .map_err(|error| ArchiveError::Closed { location: location.clone(), reason: words(&error) })?;
        let mut postgres = Self { client, prepared: HashMap::new(), is_writing: false, location };
        // What it says of tables that are there already is no news.
        postgres.script("SET client_min_messages = warning")?;
        Ok(postgres)
    }

    fn wrong(&self, error: &postgres::Error) -> ArchiveError {
        let (location, reason) = (self.location.clone(), words(error));
        match error.code() {
            Some(code) if *code == SqlState::DISK_FULL => ArchiveError::Full { location, reason },
            Some(code) if *code == SqlState::DATA_CORRUPTED || *code == SqlState::INDEX_CORRUPTED => {
                ArchiveError::Damaged { location, reason }
            }
            Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => ArchiveError::Busy { location, reason },
            Some(code) if *code == SqlState::UNDEFINED_TABLE || *code == SqlState::UNDEFINED_COLUMN => {
                ArchiveError::Lost { location, reason }
            }
            _ if error.is_closed() => ArchiveError::Closed { location, reason },
            _ => ArchiveError::Failed { location, reason },
        }
    }

    fn prepared(&mut self, statement: &str) -> Result<Statement, ArchiveError> {
        if let Some(prepared) = self.prepared.get(statement) {
            return Ok(prepared.clone());
        }
        let prepared = self.client.prepare(statement).map_err(|error| self.wrong(&error))?;
        self.prepared.insert(statement.to_owned(), prepared.clone());
        Ok(prepared)
    }
}

impl Database for Postgres {
    fn dialect(&self) -> Dialect {
        Dialect {
            key: "BIGINT PRIMARY KEY",
            in_order: "",
            names: "SELECT relname::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                WHERE nspname = current_schema() AND relkind IN ('r', 'p', 'v', 'm', 'i')",
            columns: "SELECT attname::text FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
                JOIN pg_namespace ON pg_namespace.oid = relnamespace
                WHERE nspname = current_schema() AND relname = 'archive' AND attnum > 0 AND NOT attisdropped",
            random: "md5(random()::text || clock_timestamp()::text)",
            owned: "",
            only_read: "SET default_transaction_read_only = on",
            seconds: "SELECT EXTRACT(EPOCH FROM clock_timestamp())::BIGINT",
        }
    }

    fn script(&mut self, statements: &str) -> Result<(), ArchiveError> {
        self.client.batch_execute(statements).map_err(|error| self.wrong(&error))
    }

    fn execute(&mut self, statement: &str, fields: &[Field]) -> Result<u64, ArchiveError> {
        let prepared = self.prepared(statement)?;
        let fields: Vec<&(dyn ToSql + Sync)> = fields.iter().map(|field| field as _).collect();
        self.client.execute(&prepared, &fields).map_err(|error| self.wrong(&error))
    }

    fn query(
        &mut self,
        statement: &str,
        fields: &[Field],
        each: &mut dyn FnMut(Row) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let prepared = self.prepared(statement)?;
        let mut failed = None;
        let found = self.client.query_raw(&prepared, fields).and_then(|mut rows| {
            while let Some(row) = rows.next()? {
                let fields = (0..row.len()).map(|column| field(&row, column)).collect::<Result<Row, _>>()?;
                if let Err(error) = each(fields) {
                    failed = Some(error);
                    break;
                }
            }
            Ok(())
        });
        found.map_err(|error| self.wrong(&error))?;
        failed.map_or(Ok(()), Err)
    }

    fn begin(&mut self) -> Result<(), ArchiveError> {
        self.script(&format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})"))?;
        self.is_writing = true;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), ArchiveError> {
        self.is_writing = false;
        self.script("COMMIT")
    }

    fn roll_back(&mut self) {
        if std::mem::take(&mut self.is_writing) {
            // A connection that is lost undoes it as well.
            let _ = self.script("ROLLBACK");
        }
    }

    fn damage(&mut self) -> Result<Vec<String>, ArchiveError> {
        // The server checks each page that it reads; reading the texts, which follows, reads them all.
        Ok(Vec::new())
    }

    fn shrink(&mut self) -> Result<(), ArchiveError> {
        // Together they would be a transaction, in which the server does not do it.
        ["document", "result", "reading"]
            .into_iter()
            .try_for_each(|table| self.script(&format!("VACUUM {table}")))
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

fn field(row: &postgres::Row, column: usize) -> Result<Field, postgres::Error> {
    let of = row.columns()[column].type_();
    Ok(match *of {
        Type::INT8 => row.try_get::<_, Option<i64>>(column)?.map_or(Field::Null, Field::Integer),
        Type::FLOAT8 => row.try_get::<_, Option<f64>>(column)?.map_or(Field::Null, Field::Real),
        Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(column)?.map_or(Field::Null, Field::Bytes),
        _ => row.try_get::<_, Option<String>>(column)?.map_or(Field::Null, Field::Text),
    })
}

/// What happened, with its causes: the error itself says only where.
fn words(error: &postgres::Error) -> String {
    if let Some(of_server) = error.as_db_error() {
        return of_server.message().to_owned();
    }
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words
}

//! Interface of an archive to a database.

use crate::error::ArchiveError;

/// A value in a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Field {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

pub(crate) type Row = Vec<Field>;

/// Differences in SQL between the two databases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    /// The type of a whole number that is its table's only key.
    pub(crate) key: &'static str,
    /// Suffix for a table whose rows are kept in the order of its key.
    pub(crate) in_order: &'static str,
    /// Query for the names of all existing tables and indexes.
    pub(crate) names: &'static str,
    /// Query for the column names of the table `archive`.
    pub(crate) columns: &'static str,
    /// A text that no other archive has.
    pub(crate) random: &'static str,
    /// Statement that marks the database as one of zerohop, for other programs.
    pub(crate) owned: &'static str,
    /// Expression for the current time, in seconds since 1970.
    pub(crate) seconds: &'static str,
    /// Part between the table and the column of an index of names, whose length is unlimited.
    pub(crate) by_name: &'static str,
}

/// A database: it keeps tables, and changes them in transactions. Parameters are written `$1`, `$2`, … in the order of their first use.
pub(crate) trait Database: Send {
    /// What it spells differently.
    fn dialect(&self) -> Dialect;

    /// Carries out statements that have no parameters.
    fn script(&mut self, statements: &str) -> Result<(), ArchiveError>;

    /// Carries out a statement, and says how many rows it changed.
    fn execute(&mut self, statement: &str, fields: &[Field]) -> Result<u64, ArchiveError>;

    /// The rows that a statement finds, one after the other.
    fn query(
        &mut self,
        statement: &str,
        fields: &[Field],
        each: &mut dyn FnMut(Row) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError>;

    /// Whether the database is still where it was opened.
    fn is_in_place(&self) -> bool {
        true
    }

    /// Begins a transaction that writes. No other one writes until it ends.
    fn begin(&mut self) -> Result<(), ArchiveError>;

    /// Keeps what the transaction wrote, for good.
    fn commit(&mut self) -> Result<(), ArchiveError>;

    /// Undoes what the transaction wrote, as far as there is one.
    fn roll_back(&mut self);

    /// What whoever opened it should know.
    fn warning(&self) -> Option<String> {
        None
    }

    /// What the database itself finds wrong with its files.
    fn damage(&mut self) -> Result<Vec<String>, ArchiveError>;

    /// Gives back the room of what was removed.
    fn shrink(&mut self) -> Result<(), ArchiveError>;

    /// How much room it takes, in bytes.
    fn size(&mut self) -> Result<u64, ArchiveError>;
}

impl Field {
    pub(crate) fn maybe(text: Option<&str>) -> Self {
        text.map_or(Self::Null, |text| Self::Text(text.to_owned()))
    }

    /// A whole number, or nothing.
    pub(crate) fn maybe_integer(number: Option<i64>) -> Self {
        number.map_or(Self::Null, Self::Integer)
    }

    pub(crate) const fn flag(flag: bool) -> Self {
        Self::Integer(flag as i64)
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Field {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<f64> for Field {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

/// Reads the fields of a row from left to right.
#[derive(Debug)]
pub(crate) struct Fields(std::vec::IntoIter<Field>);

impl Fields {
    pub(crate) fn of(row: Row) -> Self {
        Self(row.into_iter())
    }

    /// The next one as a whole number; 0 where it is none, which no statement of ours finds.
    pub(crate) fn integer(&mut self) -> i64 {
        self.maybe_integer().unwrap_or(0)
    }

    /// The next one as a whole number, if it is one.
    pub(crate) fn maybe_integer(&mut self) -> Option<i64> {
        match self.0.next() {
            Some(Field::Integer(number)) => Some(number),
            _ => None,
        }
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.integer() != 0
    }

    pub(crate) fn real(&mut self) -> f64 {
        match self.0.next() {
            Some(Field::Real(number)) => number,
            Some(Field::Integer(number)) => number as f64,
            _ => f64::NAN,
        }
    }

    pub(crate) fn maybe_text(&mut self) -> Option<String> {
        match self.0.next() {
            Some(Field::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn text(&mut self) -> String {
        self.maybe_text().unwrap_or_default()
    }

    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        match self.0.next() {
            Some(Field::Bytes(bytes)) => bytes,
            _ => Vec::new(),
        }
    }
}

/// All rows that a statement finds.
pub(crate) fn rows(
    database: &mut dyn Database,
    statement: &str,
    fields: &[Field],
) -> Result<Vec<Fields>, ArchiveError> {
    let mut rows = Vec::new();
    database.query(statement, fields, &mut |row| {
        rows.push(Fields::of(row));
        Ok(())
    })?;
    Ok(rows)
}

/// The first row that a statement finds.
pub(crate) fn row(
    database: &mut dyn Database,
    statement: &str,
    fields: &[Field],
) -> Result<Option<Fields>, ArchiveError> {
    Ok(rows(database, statement, fields)?.into_iter().next())
}

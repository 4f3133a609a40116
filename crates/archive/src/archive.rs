//! An archive that is open.

use crate::database::{Database, row};
use crate::error::ArchiveError;
use crate::location::{Access, Location};
use crate::postgres::Postgres;
use crate::schema;
use crate::sqlite::Sqlite;

/// An archive that is open.
pub struct Archive {
    pub(crate) database: Box<dyn Database>,
}

impl Archive {
    /// Opens the archive at that place. Tables of an earlier version become those of this one.
    ///
    /// # Errors
    /// When there is none to read, it cannot be opened, is damaged, or only a later version can use it.
    pub fn open(location: &Location, access: Access) -> Result<Self, ArchiveError> {
        let mut database: Box<dyn Database> = match location {
            Location::File(path) => Box::new(Sqlite::open(path, access)?),
            Location::Server(server) => Box::new(Postgres::open(server)?),
        };
        schema::prepare(database.as_mut(), location)?;
        Ok(Self { database })
    }

    /// What whoever opened it should know: whether others can read the connection.
    pub fn warning(&self) -> Option<String> {
        self.database.warning()
    }

    /// How much room it takes, in bytes; of a server, the whole database.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn size(&mut self) -> Result<u64, ArchiveError> {
        self.database.size()
    }

    /// How many times it has been written: what was read of it is still so while this stays the same.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn generation(&mut self) -> Result<i64, ArchiveError> {
        let found = row(self.database.as_mut(), "SELECT generation FROM archive", &[])?;
        Ok(found.map_or(0, |mut fields| fields.integer()))
    }

    /// Does something that writes, wholly or not at all.
    pub(crate) fn wholly<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Database) -> Result<T, ArchiveError>,
    ) -> Result<T, ArchiveError> {
        self.database.begin()?;
        let count = "UPDATE archive SET generation = generation + 1";
        let done = work(self.database.as_mut()).and_then(|done| {
            self.database.execute(count, &[])?;
            Ok(done)
        });
        match done.and_then(|done| self.database.commit().map(|()| done)) {
            Ok(done) => Ok(done),
            Err(error) => {
                self.database.roll_back();
                Err(error)
            }
        }
    }
}

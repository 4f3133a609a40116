//! An archive that is open.

use zerohop_result::Timestamp;

use crate::clock::Clock;
use crate::database::{Database, row};
use crate::encoding::time;
use crate::error::ArchiveError;
use crate::identity::Identity;
use crate::location::{Access, Location};
use crate::postgres::Postgres;
use crate::schema;
use crate::sqlite::Sqlite;

/// An archive that is open.
pub struct Archive {
    pub(crate) database: Box<dyn Database>,
    identity: Identity,
}

impl Archive {
    /// Opens the archive at that place.
    ///
    /// # Errors
    /// When there is none to read or to change, something else is there, it cannot be opened, is damaged, or only another version can use it.
    pub fn open(location: &Location, access: Access) -> Result<Self, ArchiveError> {
        let mut database: Box<dyn Database> = match location {
            Location::File(path) => Box::new(Sqlite::open(path, access)?),
            Location::Server(server) => Box::new(Postgres::open(server, access)?),
        };
        schema::prepare(database.as_mut(), location, access)?;
        let identity = row(database.as_mut(), "SELECT identity FROM archive", &[])?;
        let identity = Identity(identity.map(|mut fields| fields.text()).unwrap_or_default());
        Ok(Self { database, identity })
    }

    /// Opens the archive at that place again, and never another one: it makes none.
    ///
    /// # Errors
    /// When it is not there any more, or cannot be opened.
    pub fn open_same(location: &Location, access: Access, identity: &Identity) -> Result<Self, ArchiveError> {
        let moved = |reason: String| ArchiveError::Moved { location: location.clone(), reason };
        let access = if access == Access::Write { Access::Change } else { access };
        match Self::open(location, access) {
            Ok(same) if same.identity == *identity => Ok(same),
            Ok(_) => Err(moved("another archive is there now".to_owned())),
            Err(ArchiveError::Absent { .. }) => Err(moved("nothing is there now".to_owned())),
            Err(error @ (ArchiveError::Empty { .. } | ArchiveError::Foreign { .. })) => {
                Err(moved(error.to_string()))
            }
            Err(error) => Err(error),
        }
    }

    /// Identity of the archive.
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Whether its file is still at the place where it was opened. A server keeps its own in place.
    pub fn is_in_place(&self) -> bool {
        self.database.is_in_place()
    }

    /// Warning for the caller: whether others can read the connection.
    pub fn warning(&self) -> Option<String> {
        self.database.warning()
    }

    /// Size of the archive, in bytes; on a server, of the whole database.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn size(&mut self) -> Result<u64, ArchiveError> {
        self.database.size()
    }

    /// A number that grows with every write: data read from the archive is valid while it stays the same. It is derived from the time, so an older
    /// copy that replaces the archive never reaches an earlier number.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn generation(&mut self) -> Result<i64, ArchiveError> {
        let found = row(self.database.as_mut(), "SELECT generation FROM archive", &[])?;
        Ok(found.map_or(0, |mut fields| fields.integer()))
    }

    /// Current time by the clock of the archive: for a file, the clock of this host; for a server, the server's own, which all writers share.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn now(&mut self) -> Result<Timestamp, ArchiveError> {
        let clock = self.clock()?;
        Ok(time(clock.now).unwrap_or(Timestamp::exactly(jiff::Timestamp::UNIX_EPOCH)))
    }

    /// Tries whether it can be written, and changes nothing.
    ///
    /// # Errors
    /// When it cannot.
    pub fn try_to_write(&mut self) -> Result<(), ArchiveError> {
        self.database.begin()?;
        let tried = self.database.execute("UPDATE archive SET generation = generation", &[]);
        self.database.roll_back();
        tried.map(|_| ())
    }

    pub(crate) fn clock(&mut self) -> Result<Clock, ArchiveError> {
        let seconds = self.database.dialect().seconds;
        let found = row(self.database.as_mut(), seconds, &[])?;
        Ok(Clock { now: found.map_or(0, |mut fields| fields.integer()).saturating_mul(1000) })
    }

    /// Does something that writes, wholly or not at all.
    pub(crate) fn wholly<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Database) -> Result<T, ArchiveError>,
    ) -> Result<T, ArchiveError> {
        self.database.begin()?;
        let seconds = self.database.dialect().seconds;
        let count = &format!(
            "UPDATE archive SET generation = CASE WHEN generation < ({seconds}) * 1000 THEN ({seconds}) * 1000 ELSE generation + 1 END"
        );
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

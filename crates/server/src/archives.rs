//! Connections to the archive that requests take turns with.

use std::sync::{Mutex, PoisonError};

use zerohop_archive::{Access, Archive, ArchiveError, Identity, Location};

use crate::refusal::Refusal;

/// Connections to one archive.
pub(crate) struct Archives {
    location: Location,
    access: Access,
    /// Identity of the archive: another one may replace it one day.
    identity: Identity,
    /// Warning for the operator.
    warning: Option<String>,
    /// Idle connections.
    idle: Mutex<Vec<Archive>>,
}

impl Archives {
    /// Opens the archive once, to detect errors at once.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(crate) fn open(location: Location, access: Access) -> Result<Self, ArchiveError> {
        let first = Archive::open(&location, access)?;
        let (identity, warning) = (first.identity().clone(), first.warning());
        Ok(Self { location, access, identity, warning, idle: Mutex::new(vec![first]) })
    }

    pub(crate) const fn location(&self) -> &Location {
        &self.location
    }

    /// Warning for the operator.
    pub(crate) fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Does something with a connection. One with which the archive failed is not used again: the next request opens another.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&mut Archive) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let idle = self.idle().pop();
        // What was opened may have been moved meanwhile, and nothing is put into a file that nobody looks for.
        let mut archive = match idle.filter(Archive::is_in_place) {
            Some(archive) => archive,
            None => Archive::open_same(&self.location, self.access, &self.identity)?,
        };
        let done = work(&mut archive);
        if !done.as_ref().err().is_some_and(Refusal::is_of_archive) {
            self.idle().push(archive);
        }
        done
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Archive>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! An archive that is opened.

use zerohop_archive::{Access, Archive, Location};

use crate::archive_location::failed;
use crate::failure::Failure;

/// The archive there.
pub(crate) fn opened(location: &Location, access: Access) -> Result<Archive, Failure> {
    Archive::open(location, access).map_err(|error| failed(&error))
}

//! An archive that is opened, and what is in it.

use zerohop_archive::{Access, Archive, Kept, Location};
use zerohop_experiment::catalogue;
use zerohop_importers::KINDS;
use zerohop_result::{Catalogue, ListedResult, ResultFile};

use crate::archive_location::failed;
use crate::failure::Failure;

/// The archive there.
pub(crate) fn opened(location: &Location, access: Access) -> Result<Archive, Failure> {
    Archive::open(location, access).map_err(|error| failed(&error))
}

/// Everything that a result may hold.
pub(crate) fn experiments() -> Catalogue {
    catalogue().with_imported(KINDS)
}

/// The text of a result's file. One that only a later version can read comes as it is kept.
pub(crate) fn text_of(kept: Kept) -> String {
    ResultFile::read(&kept.text).map_or(kept.text, |result| result.text())
}

/// The result of a text, which was one when it was added.
pub(crate) fn read(listed: &ListedResult, text: &str) -> Result<ResultFile, Failure> {
    ResultFile::read(text).map_err(|error| {
        Failure::new(format_args!("the result {} cannot be read: {error}", listed.id)).hint(error.hint())
    })
}

//! An archive that is opened.

use zerohop_archive::{Access, Archive, Location};

use crate::archive_location::{failed, make_default_folder};
use crate::failure::Failure;
use crate::terminal;

pub(crate) fn opened(location: &Location, access: Access) -> Result<Archive, Failure> {
    if access == Access::Write {
        make_default_folder(location)?;
    }
    let archive = Archive::open(location, access).map_err(|error| failed(&error))?;
    if let Some(warning) = archive.warning() {
        terminal::say(&terminal::warning_line(&warning));
    }
    Ok(archive)
}

//! Writing results of an archive as files.

use std::path::Path;

use zerohop_archive::{Access, Filter, Location};
use zerohop_units::counted;

use crate::archive_location::failed;
use crate::archived::{opened, text_of};
use crate::failure::Failure;
use crate::file_name::file_name;
use crate::terminal;
use crate::verbs::ending::Ending;
use crate::whole_file::{WholeFile, make_directory};

/// Digits of an id that tell apart what one machine measured within a second.
const ID: usize = 18;

pub(super) fn export(
    location: &Location,
    filter: &Filter,
    folder: &Path,
    quiet: bool,
) -> Result<Ending, Failure> {
    let mut archive = opened(location, Access::Read)?;
    let listed = archive.list(filter).map_err(|error| failed(&error))?;
    make_directory(folder)?;
    let count = listed.len();
    for one in listed {
        let machine = file_name(&one.machine);
        let time = one.began_at.map_or_else(String::new, |time| file_name(&time.to_string()));
        let id: String = one.id.chars().take(ID).collect();
        let path = folder.join(format!("{machine}-{time}-{id}.json"));
        let kept = archive.kept(one).map_err(|error| failed(&error))?;
        WholeFile::at(&path)?.replace(text_of(kept).into_bytes())?;
    }
    if !quiet {
        terminal::say(&format!("{} written to {}", counted(count, "result"), folder.display()));
    }
    Ok(Ending::Done)
}

//! Which archive is meant: an option, an environment variable, or the default place for data of this user.

use std::path::{Path, PathBuf};

use zerohop_archive::{ArchiveError, Location};

use crate::arguments::ArchiveArgument;
use crate::failure::Failure;
use crate::subject::Subject;

/// The variable that names the archive.
const VARIABLE: &str = "ZEROHOP_ARCHIVE";

/// The default file, in the folder for data.
const FILE: &str = "zerohop/archive.sqlite";

/// The archive that the option names, or else the variable, or else the default one.
///
/// # Errors
/// When a name names no archive, or this user has no folder for data.
pub(crate) fn of(argument: &ArchiveArgument) -> Result<Location, Failure> {
    match argument.archive.clone().filter(|named| !named.is_empty()).or_else(|| variable(VARIABLE)) {
        Some(named) => parsed(&named),
        None => Ok(Location::File(default_file()?)),
    }
}

/// The archive to which a survey is added: as [`of`], if an option asks for it or the variable is set. What a model computes is only added if it
/// is asked for.
///
/// # Errors
/// As for [`of`].
pub(crate) fn of_survey(option: Option<&str>, subject: &Subject) -> Result<Option<Location>, Failure> {
    let by_itself = variable(VARIABLE).is_some() && matches!(subject, Subject::Host);
    if option.is_none() && !by_itself {
        return Ok(None);
    }
    of(&ArchiveArgument { archive: option.map(str::to_owned) }).map(Some)
}

/// A failure of an archive.
pub(crate) fn failed(error: &ArchiveError) -> Failure {
    Failure::new(error).maybe_hint(error.hint())
}

fn parsed(named: &str) -> Result<Location, Failure> {
    let hint = "name a file: --archive FILE; or a database: --archive postgresql://USER@HOST/DATABASE";
    named.parse().map_err(|error| Failure::new(error).hint(hint))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The default file, where the XDG Base Directory Specification puts data.
fn default_file() -> Result<PathBuf, Failure> {
    // The specification ignores paths that are not absolute.
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(Path::new(".local/share"))));
    data.map(|data| data.join(FILE)).ok_or_else(|| {
        Failure::new("there is no folder for data: neither XDG_DATA_HOME nor HOME is set")
            .hint(format!("name an archive with --archive or {VARIABLE}"))
    })
}

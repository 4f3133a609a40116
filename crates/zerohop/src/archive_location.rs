//! Which archive is meant: an option, an environment variable, or the default place for data of this user.

use std::env::VarError;
use std::path::{Path, PathBuf};

use zerohop_archive::{ArchiveError, Environment, Location};

use crate::arguments::ArchiveArgument;
use crate::failure::Failure;
use crate::subject::Subject;
use crate::terminal;

/// The variable that names the archive.
const VARIABLE: &str = "ZEROHOP_ARCHIVE";

/// The default file, in the folder for data.
const FILE: &str = "zerohop/archive.sqlite";

/// The archive that the option names, or else the variable, or else the default one.
///
/// # Errors
/// When a name names no archive, or this user has no folder for data.
pub(crate) fn of(argument: &ArchiveArgument) -> Result<Location, Failure> {
    let name = match argument.archive.clone() {
        Some(name) => Some(name),
        None => of_variable()?,
    };
    match name {
        Some(name) => named(&name),
        None => Ok(Location::File(default_file()?)),
    }
}

/// The archive to which a survey is added: as [`of`], if an option asks for it, with a name or without, or the variable is set. What a model computes
/// is only added if it is asked for.
///
/// # Errors
/// As for [`of`].
pub(crate) fn of_survey(
    option: Option<Option<String>>,
    subject: &Subject,
) -> Result<Option<Location>, Failure> {
    let by_itself = of_variable()?.is_some() && matches!(subject, Subject::Host);
    if option.is_none() && !by_itself {
        return Ok(None);
    }
    of(&ArchiveArgument { archive: option.flatten() }).map(Some)
}

/// Makes the folder of the default archive, for whoever is about to write to it. No other folder is made: its name may be a slip.
///
/// # Errors
/// When it cannot be made.
pub(crate) fn make_default_folder(location: &Location) -> Result<(), Failure> {
    let Some(file) = location.file().filter(|file| default_file().is_ok_and(|default| default == **file))
    else {
        return Ok(());
    };
    file.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(|error| {
        Failure::new(format_args!("cannot create the directory of `{location}`: {error}"))
            .hint(format!("name an archive with --archive or {VARIABLE}"))
    })
}

/// A failure of an archive.
pub(crate) fn failed(error: &ArchiveError) -> Failure {
    Failure::new(error).maybe_hint(error.hint())
}

fn named(name: &str) -> Result<Location, Failure> {
    let location = Location::named(name, &Environment::of_process());
    let location = location.map_err(|error| Failure::new(&error).hint(error.hint()))?;
    for warning in location.warnings() {
        terminal::say(&terminal::warning_line(warning));
    }
    Ok(location)
}

/// The name in the variable; an empty one counts as unset.
fn of_variable() -> Result<Option<String>, Failure> {
    match std::env::var(VARIABLE) {
        Ok(name) => Ok(Some(name).filter(|name| !name.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(Failure::new(format_args!("{VARIABLE} is not UTF-8"))
            .hint("use only UTF-8 in the name of the archive")),
    }
}

/// A variable; an empty one counts as unset.
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
        Failure::new("no data directory: neither XDG_DATA_HOME nor HOME is set")
            .hint(format!("name an archive with --archive or {VARIABLE}"))
    })
}

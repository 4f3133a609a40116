//! A file of services: <https://www.postgresql.org/docs/current/libpq-pgservice.html>.

use std::fs;
use std::path::PathBuf;

use super::environment::Environment;
use super::options::{Options, Reason};

/// The file in the home directory.
const FILE: &str = ".pg_service.conf";

/// The file of the whole system, and where Debian has it.
const SYSTEM_FILE: &str = "pg_service.conf";
const SYSTEM_FOLDER: &str = "/etc/postgresql-common";

/// The options of a service: in the file of this user, or else in that of the system.
pub(super) fn find(
    service: &str,
    file: Option<PathBuf>,
    environment: &Environment,
) -> Result<Options, Reason> {
    let named = file.or_else(|| environment.variable("PGSERVICEFILE").map(PathBuf::from));
    let of_user = named.clone().or_else(|| environment.home.as_ref().map(|home| home.join(FILE)));
    let folder = environment.variable("PGSYSCONFDIR").unwrap_or(SYSTEM_FOLDER);
    for path in of_user.into_iter().chain([PathBuf::from(folder).join(SYSTEM_FILE)]) {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if named.as_ref() == Some(&path) => {
                return Err(format!("`{}`: {error}", path.display()));
            }
            Err(_) => continue,
        };
        let found = options_of(&text, service).map_err(|reason| format!("`{}`, {reason}", path.display()))?;
        if let Some(options) = found {
            return Ok(options);
        }
    }
    Err("no service file contains this service".to_owned())
}

/// The options below the line `[SERVICE]`; `None` without one.
fn options_of(text: &str, service: &str) -> Result<Option<Options>, Reason> {
    let mut found = None;
    for (rank, line) in text.lines().enumerate() {
        let wrong = |reason: &str| format!("line {}: {reason}", rank + 1);
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            if found.is_some() {
                break;
            }
            if name.strip_suffix(']') == Some(service) {
                found = Some(Options::default());
            }
            continue;
        }
        let Some(options) = &mut found else { continue };
        let (keyword, value) = line.split_once('=').ok_or_else(|| wrong("expected `KEYWORD=VALUE`"))?;
        if keyword.starts_with("service") {
            return Err(wrong("a service cannot refer to another service"));
        }
        options.set(keyword, value.to_owned()).map_err(|reason| wrong(&reason))?;
    }
    Ok(found)
}

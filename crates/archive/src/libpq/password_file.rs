//! A file of passwords: <https://www.postgresql.org/docs/current/libpq-pgpass.html>.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::environment::{Environment, SOCKET_FOLDERS};

/// The file in the home directory.
const FILE: &str = ".pgpass";

/// Bits of a file's mode that let others than its owner use it.
const OTHERS: u32 = 0o077;

/// Lines `HOST:PORT:DATABASE:USER:PASSWORD`.
#[derive(Debug, Default)]
pub(super) struct PasswordFile {
    lines: Vec<[Part; 5]>,
    /// Reason why the file was ignored, if it was.
    pub(super) warning: Option<String>,
}

/// A part of a line.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// `*`
    Any,
    Is(String),
}

impl PasswordFile {
    /// The file that an option or a variable names, or else the one in the home directory; `None` if there is none.
    pub(super) fn open(named: Option<&str>, environment: &Environment) -> Option<Self> {
        let path =
            named.map(PathBuf::from).or_else(|| environment.home.as_ref().map(|home| home.join(FILE)))?;
        let metadata = fs::metadata(&path).ok()?;
        let left_out = |why: &str| {
            let warning = format!("skipped the password file `{}`: {why}", path.display());
            Self { warning: Some(warning), lines: Vec::new() }
        };
        if !metadata.is_file() {
            return Some(left_out("it is not a regular file"));
        }
        if metadata.permissions().mode() & OTHERS != 0 {
            return Some(left_out("users other than its owner can access it (fix with `chmod 600`)"));
        }
        Some(match read(&path) {
            Ok(lines) => Self { lines, warning: None },
            Err(reason) => left_out(&reason.to_string()),
        })
    }

    /// The password of the first line that fits.
    pub(super) fn password(&self, host: &str, port: u16, database: &str, user: &str) -> Option<&str> {
        let host = if SOCKET_FOLDERS.contains(&host) { "localhost" } else { host };
        let port = port.to_string();
        let wanted = [host, port.as_str(), database, user];
        let fits = |line: &&[Part; 5]| line.iter().zip(wanted).all(|(part, wanted)| part.fits(wanted));
        match self.lines.iter().find(fits)? {
            [.., Part::Is(password)] if !password.is_empty() => Some(password),
            _ => None,
        }
    }
}

impl Part {
    fn fits(&self, text: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Is(part) => part == text,
        }
    }
}

fn read(path: &Path) -> std::io::Result<Vec<[Part; 5]>> {
    let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    Ok(text.lines().filter(|line| !line.starts_with('#')).filter_map(parts).collect())
}

/// The parts of a line, between colons. `\` takes its meaning from a colon or another `\`.
fn parts(line: &str) -> Option<[Part; 5]> {
    let mut parts = Vec::with_capacity(5);
    let (mut text, mut is_escaped) = (String::new(), false);
    let mut characters = line.chars();
    loop {
        match characters.next() {
            Some('\\') => {
                is_escaped = true;
                text.extend(characters.next());
            }
            Some(character) if character != ':' => text.push(character),
            end => {
                let (part, was_escaped) = (std::mem::take(&mut text), std::mem::take(&mut is_escaped));
                // An asterisk is a password like any other.
                let is_any = part == "*" && !was_escaped && parts.len() < 4;
                parts.push(if is_any { Part::Any } else { Part::Is(part) });
                if end.is_none() || parts.len() == 5 {
                    return parts.try_into().ok();
                }
            }
        }
    }
}

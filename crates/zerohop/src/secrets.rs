//! Words of the command line that may hold a password: a database is often named where a file is expected. None of them is repeated by any message.

use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;

use zerohop_archive::{Environment, Location, LocationError};
use zerohop_result::{may_hold_secret, shown_name};

use crate::failure::Failure;

/// The option that names an archive.
const OPTION: &str = "--archive";

/// Refuses the name of a database, and what may hold a password, where a file is expected. What comes after `--` is for other programs.
///
/// # Errors
/// When a word is such a name, and no file has it.
pub(crate) fn refuse(words: &[String]) -> Result<(), Failure> {
    // Other verbs take a name only behind an equals sign.
    let takes_next = words.iter().any(|word| ["archive", "changes", "serve"].contains(&word.as_str()));
    let mut of_archive = false;
    for word in words.iter().take_while(|word| *word != "--") {
        let is_archives = std::mem::replace(&mut of_archive, takes_next && word == OPTION);
        if is_archives || word.strip_prefix(OPTION).is_some_and(|rest| rest.starts_with('=')) {
            continue;
        }
        let name = value(word);
        if name.starts_with(['/', '.']) || is_there(name) {
            continue;
        }
        if Location::is_url(name) {
            let scheme = name.split(':').next().unwrap_or_default();
            return Err(Failure::new(format_args!("expected a file, found the database `{scheme}:…`"))
                .hint("verbs with an archive take `--archive=postgresql://USER@HOST/DATABASE`"));
        }
        if may_hold_secret(name) {
            return Err(Failure::new(format_args!("`{}` may contain a password, so it is not printed", shown_name(name)))
                .hint("give a database with --archive=NAME, and its password with PGPASSWORD or ~/.pgpass; if this is a file, start its name with ./"));
        }
    }
    Ok(())
}

/// A message, without what the words of the command line may hold as secrets.
pub(crate) fn without(message: &str) -> Cow<'_, str> {
    static OF_PROCESS: OnceLock<Vec<(String, String)>> = OnceLock::new();
    let of_process = OF_PROCESS.get_or_init(|| {
        let words: Vec<String> =
            std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        hidden(&words)
    });
    hide(message, of_process)
}

/// The names among these words that may hold a secret, and what is shown instead, the longest first.
pub(crate) fn hidden(words: &[String]) -> Vec<(String, String)> {
    let names = words.iter().map(|word| value(word)).filter(|name| !is_there(name));
    let databases = names.clone().filter(|name| is_database(name));
    // Some messages name the folder of a file.
    let folders = names.flat_map(|name| Path::new(name).ancestors().filter_map(Path::to_str));
    let names = databases.chain(folders.filter(|name| may_hold_secret(name) && !is_there(name)));
    let mut hidden: Vec<(String, String)> =
        names.map(|name| (name.to_owned(), shown(name).into_owned())).collect();
    hidden.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    hidden.dedup();
    hidden
}

/// A text, with what is shown instead of these names.
pub(crate) fn hide<'a>(text: &'a str, hidden: &[(String, String)]) -> Cow<'a, str> {
    hidden.iter().fold(Cow::Borrowed(text), |text, (name, shown)| match text.contains(name.as_str()) {
        true => Cow::Owned(text.replace(name.as_str(), shown)),
        false => text,
    })
}

/// Whether a name is read as that of a database, be it right or not: what it says wrongly may be secret.
fn is_database(name: &str) -> bool {
    let named = Location::named(name, &Environment::default());
    matches!(named, Ok(Location::Server(_)) | Err(LocationError::Server(_) | LocationError::Scheme(_)))
}

/// A name of a database is left out, even if it is read as one that has no password.
fn shown(name: &str) -> Cow<'_, str> {
    match shown_name(name) {
        Cow::Borrowed(_) => {
            name.split_once("://").map_or("…".into(), |(scheme, _)| format!("{scheme}://…").into())
        }
        shown => shown,
    }
}

/// The value of an option, or the whole word.
fn value(word: &str) -> &str {
    let value = word.strip_prefix("--").and_then(|option| option.split_once('='));
    value.map_or(word, |(_, value)| value)
}

fn is_there(name: &str) -> bool {
    Path::new(name).symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        shlex::split(line).unwrap()
    }

    /// `report postgresql://me:s3cret@db/z` took the name for a file's, and repeated the password.
    #[test]
    fn a_database_in_place_of_a_file_is_refused_and_not_repeated() {
        for line in [
            "report postgresql://me:s3cret@db/z",
            "show postgres:/me:s3cret@db/z",
            "diagnose pgsql:me:s3cret@db/z",
            "import a.txt me:s3cret@db/z",
            "compare a.json 'Host=h;Password=s3cret'",
            "check --baseline postgresql://me:s3cret@db/z --format nagios",
            "check --baseline=postgresql://me:s3cret@db/z",
            "archive add PGPASSWORD=s3cret",
            "fleet analyse mysql://me:s3cret@db",
            "calibrate 'https://me:s3cret@host/a.json'",
            "report 'postgresql://me:s3 cret@db/z'",
            "fleet analyse --archive postgresql://me:s3cret@db/z",
        ] {
            let failure = refuse(&words(line)).unwrap_err();
            assert!(!format!("{failure:?}").contains("s3"), "{failure:?}");
            assert!(failure.advice().is_some_and(|advice| advice.contains("--archive=")), "{failure:?}");
        }
    }

    #[test]
    fn what_is_no_such_name_is_left_alone() {
        for line in [
            "archive list --archive postgresql://me:s3cret@db/z",
            "survey --archive=Password=s3cret",
            "report a.json -o b.html",
            "where -- psql postgresql://me:s3cret@db/z",
            "report ./me:s3cret@db",
            "sweep quartet --set wire.ht1000.latency=4ns,8ns",
            "fleet run --nodelist me@a,you@b",
        ] {
            assert_eq!(refuse(&words(line)), Ok(()), "{line}");
        }
    }

    #[test]
    fn no_message_repeats_a_secret_or_its_folder() {
        let hidden =
            hidden(&words("survey --on a -o me:s3cret@host/z.json --archive=postgresql://me:s3cret@db/z"));
        let message =
            "no folder `/tmp/me:s3cret@host`, `me:s3cret@host/z.json`, 'postgresql://me:s3cret@db/z'";
        assert_eq!(hide(message, &hidden), "no folder `/tmp/…`, `…`, 'postgresql://…'");
        assert!(matches!(hide("error: none", &hidden), Cow::Borrowed(_)));
    }
}

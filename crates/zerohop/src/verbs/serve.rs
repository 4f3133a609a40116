//! `zerohop serve`: an archive over HTTP.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use zerohop_app::{Files, Hinted};
use zerohop_server::{Limits, Offer, Token, bind};

use super::exit_status::VerbOutcome;
use crate::archive_location;
use crate::arguments::ServeArguments;
use crate::failure::Failure;
use crate::signals::{self, Begun};
use crate::terminal;
use crate::text_file::Disk;

/// What others than its owner may do with a file.
const OTHERS: u32 = 0o077;

/// The user who may read everything anyway.
const ROOT: u32 = 0;

pub(super) fn serve(arguments: &ServeArguments, quiet: bool) -> Result<VerbOutcome, Failure> {
    let ServeArguments { location, listen, token_file, read_only } = arguments;
    let archive = archive_location::of(location)?;
    let token = token_file.as_deref().map(token).transpose()?;
    // An archive may take long to open: until then, a signal ends the process at once.
    let begun = Begun::not_yet();
    let stop = signals::watch(None, begun.clone())?;
    let offer = Offer { archive: archive.clone(), token, read_only: *read_only, limits: Limits::default() };
    let is_new = archive.file().is_some_and(|file| !file.exists());
    if !read_only {
        archive_location::make_default_folder(&archive)?;
    }
    let served = bind(*listen, offer, &stop)?;
    if is_new && !quiet {
        terminal::say(&format!("a new archive: {archive}"));
    }
    begun.begin();
    if let Some(warning) = served.warning() {
        terminal::say(&terminal::warning_line(warning));
    }
    if !quiet {
        terminal::say(&format!("serving {archive} at http://{}", served.address()));
    }
    served.run()?;
    Ok(VerbOutcome::Done)
}

/// The token in a file that only its owner may read.
fn token(path: &Path) -> Result<Token, Failure> {
    let text = Disk.read_text(path, "give a file that contains a token")?;
    let shown = path.display();
    // It was read: whoever replaces it meanwhile has its owner's rights.
    let metadata =
        fs::metadata(path).map_err(|error| Failure::new(format_args!("cannot read `{shown}`: {error}")))?;
    if metadata.mode() & OTHERS != 0 {
        let mode = metadata.mode() & 0o7777;
        let file = shlex::try_quote(&path.to_string_lossy()).map_or_else(|_| shown.to_string(), Into::into);
        return Err(Failure::new(format_args!(
            "other users can read the token in `{shown}`: its mode is {mode:04o}"
        ))
        .hint(format!("chmod 600 {file}")));
    }
    let user = rustix::process::geteuid().as_raw();
    if ![user, ROOT].contains(&metadata.uid()) {
        let owner = metadata.uid();
        return Err(Failure::new(format_args!("the token file `{shown}` belongs to another user: {owner}"))
            .hint("its owner can change it at any time; use your own file"));
    }
    Token::new(&text)
        .map_err(|error| Failure::new(format_args!("`{}`: {error}", path.display())).maybe_hint(error.hint()))
}

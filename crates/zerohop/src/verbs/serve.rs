//! `zerohop serve`: an archive over HTTP.

use std::path::Path;

use zerohop_app::{Files, Hinted};
use zerohop_server::{Limits, Offer, Token, bind};

use super::ending::Ending;
use crate::archive_location;
use crate::arguments::ServeArguments;
use crate::failure::Failure;
use crate::signals::{self, Begun};
use crate::terminal;
use crate::text_file::Disk;

pub(super) fn serve(arguments: &ServeArguments, quiet: bool) -> Result<Ending, Failure> {
    let ServeArguments { location, listen, token_file, read_only } = arguments;
    let archive = archive_location::of(location)?;
    let token = token_file.as_deref().map(token).transpose()?;
    let stop = signals::watch(None, Begun::already())?;
    let offer = Offer { archive: archive.clone(), token, read_only: *read_only, limits: Limits::default() };
    let served = bind(*listen, offer, &stop)?;
    if let Some(warning) = served.warning() {
        terminal::say(&terminal::warning_line(warning));
    }
    if !quiet {
        terminal::say(&format!("serving {archive} at http://{}", served.address()));
    }
    served.run()?;
    Ok(Ending::Done)
}

/// The token in a file.
fn token(path: &Path) -> Result<Token, Failure> {
    let text = Disk.read_text(path, "name a file that holds a token")?;
    Token::new(&text)
        .map_err(|error| Failure::new(format_args!("`{}`: {error}", path.display())).maybe_hint(error.hint()))
}

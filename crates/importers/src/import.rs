//! Imports a text: finds its formats, reads each, and makes results of what they found.

use crate::error::ImportError;
use crate::facts::{Facts, read_processor};
use crate::finish::finish;
use crate::formats::{Format, Sign, read_nodes};
use crate::imported::{Imported, Unread};
use crate::lines::Text;
use crate::problem::quoted;

/// Reads the output of other tools. `name` is the name of the file, for messages and for the origin; `forced` reads the text as
/// that format instead of those that are recognized in it.
///
/// A text may hold several runs, of several tools. Each run is a result; a value that comes again begins the next run.
///
/// # Errors
/// When no format is recognized, or the text does not have what its format must have.
pub fn import(name: &str, text: &str, forced: Option<Format>) -> Result<Vec<Imported>, ImportError> {
    let mut text = Text::new(text);
    if text.lines().next().is_none() {
        return Err(ImportError::Empty { file: name.to_owned() });
    }
    let formats = forced.map_or_else(|| recognized(&text), |format| vec![format]);
    if formats.is_empty() {
        return Err(ImportError::Unrecognized { file: name.to_owned() });
    }
    let mut facts = Facts::default();
    let mut harvests = Vec::new();
    let (mut problem, mut unfounded) = (None, None);
    let several = formats.len() > 1;
    for format in formats {
        match format.read(name, &mut text) {
            Ok(harvest) => harvests.push((format, harvest)),
            // The text may only mention that tool.
            Err(error) if error.line.is_none() && several => {
                unfounded = unfounded.or_else(|| Some(ImportError::broken(name, format.name(), error)));
            }
            Err(error) => problem = problem.or_else(|| Some(ImportError::broken(name, format.name(), error))),
        }
    }
    if let Some(error) = problem {
        return Err(error);
    }
    // The nodes and the processor often stand beside the values of another tool.
    if text.open().next().is_some() {
        let nodes = read_nodes(&mut text, &mut facts);
        read_processor(&mut text, &mut facts);
        if let Err(error) = nodes {
            return Err(ImportError::broken(name, Format::NODES.name(), error));
        }
    }
    harvests.retain(|(_, harvest)| !harvest.is_empty());
    let unread = text.unread().into_iter().map(|(first, last, line)| {
        let text = quoted(line);
        Unread { first, last, text }
    });
    let unread: Vec<Unread> = unread.collect();
    let imported = finish(name, harvests, facts, &unread);
    if imported.is_empty() {
        if let Some(error) = unfounded {
            return Err(error);
        }
        return Err(ImportError::Unrecognized { file: name.to_owned() });
    }
    Ok(imported)
}

/// The formats of which a text bears certain signs or, without any, those of which it bears likely ones.
fn recognized(text: &Text) -> Vec<Format> {
    let of = |sign: Sign| Format::all().filter(move |format| format.sign(text) == sign);
    let certain: Vec<Format> = of(Sign::Certain).collect();
    if certain.is_empty() { of(Sign::Likely).take(1).collect() } else { certain }
}

//! Keys of an extended file that no longer fit what the file that extends it says.

use zerohop_document::{Number, Problems, Span};

use crate::file::choose::SET_FILE;

/// How to get rid of the key at `path`, which stands at `place` and contradicts what stands at `beside`: `remove` drops
/// that of an extended file.
pub(super) fn without(path: &str, place: Span, beside: Span, problems: &Problems) -> String {
    let key = path.rsplit('.').next().unwrap_or(path);
    if is_inherited(place, beside, problems) {
        format!("`remove = [\"{path}\"]` drops the `{key}` of the extended file")
    } else {
        format!("leave `{key}` out")
    }
}

/// Whether what stands at `place` comes from a file that the one of `beside` extends.
pub(super) fn is_inherited(place: Span, beside: Span, problems: &Problems) -> bool {
    // Files are numbered from the one that extends to those that it extends, and settings come last.
    place.file > beside.file && problems.name(place.file) != SET_FILE
}

/// Where a number stands that may be left out.
pub(super) fn place<T>(number: &Option<Number<T>>) -> Option<Span> {
    number.as_ref().map(|number| number.place)
}

/// Of keys of a table that do not go together, how to drop those that an extended file has; nothing if all stand in one
/// file.
pub(super) fn drop_inherited(
    table: &str,
    given: &[(&str, Option<Span>)],
    problems: &Problems,
) -> Option<String> {
    let nearest = given.iter().filter_map(|(_, place)| *place).min_by_key(|place| place.file)?;
    let inherited =
        given.iter().filter(|(_, place)| place.is_some_and(|place| is_inherited(place, nearest, problems)));
    let paths: Vec<String> = inherited.map(|(key, _)| format!("\"{table}.{key}\"")).collect();
    (!paths.is_empty())
        .then(|| format!("`remove = [{}]` drops what the extended file says of it", paths.join(", ")))
}

//! Inherited keys that contradict the file that extends theirs.

use zerohop_document::{Number, Problems, Span};

use crate::file::choose::SET_FILE;

/// Instruction to drop the key at `path`, whose position is `place` and which contradicts the key at `beside`: `remove` drops an inherited key.
pub(super) fn without(path: &str, place: Span, beside: Span, problems: &Problems) -> String {
    let key = path.rsplit('.').next().unwrap_or(path);
    if is_inherited(place, beside, problems) {
        format!("`remove = [\"{path}\"]` removes the `{key}` of the extended file")
    } else {
        format!("leave `{key}` out")
    }
}

/// Whether the text at `place` is in a file that the file of `beside` extends.
pub(super) fn is_inherited(place: Span, beside: Span, problems: &Problems) -> bool {
    // A file has a lower number than the files that it extends; settings have the highest.
    place.file > beside.file && problems.name(place.file) != SET_FILE
}

/// The position of an optional value.
pub(super) fn place<T>(number: &Option<Number<T>>) -> Option<Span> {
    number.as_ref().map(|number| number.place)
}

/// Instruction to drop the inherited ones among keys in a table that exclude each other; `None` if all are in one file.
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
        .then(|| format!("`remove = [{}]` removes it from the extended file", paths.join(", ")))
}

//! JSON for people: with indents.

use serde::Serialize;

/// A value as JSON, ended by a line's end.
pub(crate) fn pretty(value: &impl Serialize) -> String {
    // All map keys here are names, and NaN becomes null: nothing can fail.
    let mut text = serde_json::to_string_pretty(value).expect("types of results have a JSON form");
    text.push('\n');
    text
}

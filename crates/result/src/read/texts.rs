//! Texts of a result as it is read: names and words are made plain, and the originals are kept so that they can be written again.
//!
//! The sender of a result chooses its names, and the number of notes. They are shown in lists, pages, metrics and terminals, so they are made plain
//! once, here.

use serde_json::Value;

use crate::ResultFile;
use crate::sanitized_text::{LONGEST_NAME, LONGEST_WORDS, escaped_character, is_obeyed, plain_text};
use crate::unknown_fields::{Step, UnknownField};

/// Fields with words, or lists of words, instead of names.
const WORDS: [&str; 15] = [
    "warnings",
    "gaps",
    "not_seen",
    "commands",
    "environment",
    "errors",
    "assumed",
    "faults",
    "kernel_messages",
    "kernel_parameters",
    "no_memory_devices",
    "offline_pus",
    "isolated_pus",
    "cpuset_cpus",
    "cpuset_mems",
];

/// Items of a list of words, at most.
const MOST_WORDS: usize = 100;

/// Fields with sets of PUs in the kernel's list form, which are read further: their own reader refuses what is none.
const SETS: [&str; 2] = ["pus", "online"];

/// Whether each text in a JSON text is a plain name, so that nothing needs to be done. This is so in nearly all files, and takes a hundredth of the
/// time of reading one.
pub(super) fn are_plain(json: &str) -> bool {
    let bytes = json.as_bytes();
    let mut begin = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (byte, begin) {
            (b'"', None) => begin = Some(at),
            (b'"', Some(start)) if at - start > LONGEST_NAME => return false,
            (b'"', Some(_)) => begin = None,
            // Any other escape may stand for what is obeyed.
            (b'\\', Some(_)) if matches!(bytes.get(at + 1), Some(b'"' | b'\\' | b'/')) => at += 1,
            (b'\\', Some(_)) => return false,
            // The first bytes of all that is obeyed.
            (0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1 | 0xe2 | 0xe3 | 0xef | 0xf0 | 0xf3, Some(_))
                if json.get(at..).and_then(|rest| rest.chars().next()).is_some_and(is_obeyed) =>
            {
                return false;
            }
            _ => {}
        }
        at += 1;
    }
    true
}

/// Makes all texts plain, and returns the originals of the ones that were not.
///
/// # Errors
/// If the name of a member is not plain: names are no texts, and nobody has a reason to write such a one.
pub(super) fn make_plain(file: &mut Value) -> Result<Vec<UnknownField>, String> {
    let mut written = Vec::new();
    visit(file, &mut Vec::new(), Some(LONGEST_NAME), &mut written)?;
    Ok(written)
}

/// Looks at a value whose texts have so many characters at most; `None` where they are of any length.
fn visit(
    value: &mut Value,
    path: &mut Vec<Step>,
    longest: Option<usize>,
    written: &mut Vec<UnknownField>,
) -> Result<(), String> {
    match value {
        Value::String(text) => {
            let plain = plain_text(text, longest.unwrap_or(text.len())).into_owned();
            if plain != *text {
                let original = std::mem::replace(text, plain.clone());
                written.push(UnknownField::text(path.clone(), original.into(), plain.into()));
            }
        }
        Value::Array(values) => {
            for (rank, value) in values.iter_mut().enumerate() {
                path.push(Step::Rank(rank));
                visit(value, path, longest, written)?;
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                if plain_text(name, LONGEST_NAME) != name.as_str() {
                    let shown = plain_text(name, 40);
                    return Err(format!("it has a member named `{shown}`"));
                }
                let longest = match longest {
                    Some(_) if SETS.contains(&name.as_str()) => None,
                    Some(_) if WORDS.contains(&name.as_str()) => Some(LONGEST_WORDS),
                    longest => longest,
                };
                path.push(Step::Key(name.clone()));
                match value.as_array().map(Vec::len) {
                    Some(length) if length > MOST_WORDS && WORDS.contains(&name.as_str()) => {
                        let whole = value.clone();
                        shorten(value, length);
                        visit(value, path, longest, &mut Vec::new())?;
                        written.push(UnknownField::text(path.clone(), whole, value.clone()));
                    }
                    _ => visit(value, path, longest, written)?,
                }
                path.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    Ok(())
}

/// Cuts a list of words of this length; the last item says how many there were more, where items are texts.
fn shorten(list: &mut Value, length: usize) {
    let Value::Array(items) = list else { return };
    items.truncate(MOST_WORDS);
    if items.iter().all(Value::is_string) {
        items.push(format!("… and {} more", length - MOST_WORDS).into());
    }
}

/// Whether a list of words is too long to be shown.
pub(super) fn are_many(file: &ResultFile) -> bool {
    let experiments = file.experiments.iter();
    let cells = experiments.clone().flat_map(|one| &one.cells).map(|cell| cell.warnings.len());
    let warnings = experiments.map(|one| one.warnings.len()).chain(cells).chain([file.warnings.len()]);
    let system = &file.machine.system;
    let lists = [file.machine.gaps.len(), file.machine.faults.len(), system.kernel_parameters.len()];
    warnings.chain(lists).any(|length| length > MOST_WORDS)
}

/// JSON in which characters that are obeyed are escaped: the same data, and nothing that a terminal or a browser would obey.
pub(super) fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        // Line ends between members stay.
        if is_obeyed(c) && c != '\n' {
            text.push_str(&escaped_character(c));
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_character_that_is_obeyed_is_overlooked() {
        // JSON escapes the others itself, as it does what is before a blank.
        for c in (' '..=char::MAX).filter(|c| is_obeyed(*c)) {
            assert!(!are_plain(&format!("{{\"a\": \"{c}\"}}")), "{c:?}");
        }
    }

    #[test]
    fn a_file_of_plain_names_is_left_alone() {
        let long = "x".repeat(LONGEST_NAME);
        for plain in [
            r#"{"a": "b", "c": [1, 2, 3], "µ": "– \" \\ \/"}"#.to_owned(),
            format!(r#"{{"a": "{}"}}"#, &long[1..]),
            format!(r#"{{"a": [{}1]}}"#, "1, ".repeat(1000)),
        ] {
            assert!(are_plain(&plain), "{plain}");
        }
        for other in [
            format!(r#"{{"a": "{long}x"}}"#),
            r#"{"a": "\u202e"}"#.to_owned(),
            r#"{"a": "\n"}"#.to_owned(),
            "{\"a\": \"\u{202e}\"}".to_owned(),
            "{\"a\": \"\u{9b}\"}".to_owned(),
            "{\"a\u{feff}\": 1}".to_owned(),
            "{\"a\": \"\u{7f}\"}".to_owned(),
        ] {
            assert!(!are_plain(&other), "{other:?}");
        }
    }

    #[test]
    fn of_many_words_the_first_are_shown_and_all_are_kept() {
        let all: Vec<Value> = (0..5000).map(|rank| format!("note \u{202e}{rank}").into()).collect();
        let original =
            json!({ "gaps": all, "warnings": vec![json!({ "odd": 1 }); 101], "samples": vec![1; 500] });
        let mut value = original.clone();
        let written = make_plain(&mut value).unwrap();
        let gaps = value["gaps"].as_array().unwrap();
        assert_eq!((gaps.len(), &gaps[99]), (MOST_WORDS + 1, &json!(r"note \u202e99")));
        assert_eq!(gaps[100], json!("… and 4900 more"));
        let length = |name: &str| value[name].as_array().unwrap().len();
        assert_eq!((length("warnings"), length("samples")), (MOST_WORDS, 500));
        written.iter().for_each(|field| field.put_back(&mut value));
        assert_eq!(value, original);
    }

    #[test]
    fn names_and_words_are_cut_and_can_be_written_as_they_were() {
        let long = "é".repeat(5000);
        let original =
            json!({ "name": long, "gaps": [long, "a\0"], "pus": "0-3", "x": { "y": [1, "\u{202e}"] } });
        let mut value = original.clone();
        let written = make_plain(&mut value).unwrap();
        let length = |text: &Value| text.as_str().unwrap().chars().count();
        assert_eq!((length(&value["name"]), length(&value["gaps"][0])), (LONGEST_NAME, LONGEST_WORDS));
        assert_eq!((&value["gaps"][1], &value["x"]["y"][1]), (&json!("a\\u0000"), &json!("\\u202e")));
        written.iter().for_each(|field| field.put_back(&mut value));
        assert_eq!(value, original);
        let text = escaped(&original.to_string());
        assert!(!text.chars().any(is_obeyed));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), original);
        assert!(make_plain(&mut json!({ "a\u{202e}": 1 })).is_err());
    }
}

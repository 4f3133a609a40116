//! Foreign texts in a form that is safe to show: names of machines and processors, notes, and other texts of a file.
//!
//! Characters that a terminal or a browser would obey or hide instead of showing (control characters, also those of ISO 6429 beyond ASCII, and
//! Unicode's bidirectional, invisible and blank ones) are shown as `\u001b`. Texts that are too long are cut, and end in `…`.

use std::borrow::Cow;

/// Characters of a name, at most.
pub const LONGEST_NAME: usize = 200;

/// Characters of words such as a warning, at most.
pub const LONGEST_WORDS: usize = 1000;

/// What a text that was cut ends in.
const CUT: char = '…';

/// Whether a character is obeyed, hidden or blank instead of shown.
pub fn is_obeyed(c: char) -> bool {
    // Nearly all characters.
    if c < '\u{7f}' {
        return c.is_control();
    }
    match c {
        // Separators of lines, overrides and isolates; what holds the place of others: of annotations and of objects. A braille cell without a dot,
        // and a note without a head, are blanks that no property of Unicode names.
        '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fff9}'..='\u{fffc}'
        | '\u{2800}'
        | '\u{1d159}' => true,
        c => c.is_control() || is_ignorable(c),
    }
}

/// Unicode's property `Default_Ignorable_Code_Point`: what is not shown by itself. It has room for later characters: versions of Unicode do not change it.
const fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// A character as it is shown if it is obeyed: as JSON escapes it.
pub fn escaped_character(c: char) -> String {
    let mut units = [0; 2];
    c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// Text on one line without control characters, cut to a maximum number of characters.
pub fn plain_text(text: &str, longest: usize) -> Cow<'_, str> {
    // A character has one byte or more.
    if text.len() <= longest && !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::new();
    let mut length = 0;
    // Where it is cut, if it is too long.
    let mut end = 0;
    for c in text.chars() {
        if is_obeyed(c) {
            let escaped = escaped_character(c);
            length += escaped.len();
            plain.push_str(&escaped);
        } else {
            plain.push(c);
            length += 1;
        }
        if length > longest {
            plain.truncate(end);
            plain.push(CUT);
            break;
        }
        if length < longest {
            end = plain.len();
        }
    }
    Cow::Owned(plain)
}

/// A name as it can be shown.
pub fn plain_name(name: &str) -> Cow<'_, str> {
    plain_text(name, LONGEST_NAME)
}

/// Reason why a text is not a valid machine name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid machine name `{0}`")]
pub struct MachineNameError(String);

impl MachineNameError {
    /// Rule for machine names.
    pub fn hint(&self) -> String {
        format!("use 1 to {LONGEST_NAME} visible characters on one line, and not `.` or `..`")
    }
}

/// A name that people give to a machine, without blanks around it.
///
/// # Errors
/// When no page could show it, or lists would not be readable with it.
pub fn machine_name(text: &str) -> Result<&str, MachineNameError> {
    let name = text.trim();
    let is_name = !["", ".", ".."].contains(&name)
        && name.chars().count() <= LONGEST_NAME
        && !name.chars().any(is_obeyed);
    if is_name { Ok(name) } else { Err(MachineNameError(plain_text(name, 40).into_owned())) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_obeyed_is_shown_and_what_is_too_long_is_cut() {
        for (text, longest, plain) in [
            ("node-01", 200, "node-01"),
            ("a\u{202e}b\u{9b}\0\n", 200, r"a\u202eb\u009b\u0000\u000a"),
            ("µé–", 3, "µé–"),
            ("µé–x", 3, "µé…"),
            ("a\u{3164}b\u{e0041}", 200, r"a\u3164b\udb40\udc41"),
            ("abc\u{1b}", 8, "abc…"),
            ("abc\u{1b}", 9, r"abc\u001b"),
            ("\u{1b}", 3, "…"),
        ] {
            assert_eq!(plain_text(text, longest), plain, "{text:?}");
        }
    }

    #[test]
    fn a_name_of_a_machine_is_one_line_that_shows_all_of_it() {
        assert_eq!(machine_name(" node ä "), Ok("node ä"));
        let long = "x".repeat(LONGEST_NAME);
        assert_eq!(machine_name(&long), Ok(long.as_str()));
        // What nobody sees was a name of a machine.
        let hidden =
            ['\u{3164}', '\u{115f}', '\u{2800}', '\u{34f}', '\u{ad}', '\u{e0041}', '\u{2066}', '\u{fe0f}'];
        for c in hidden {
            assert!(
                machine_name(&c.to_string()).is_err() && machine_name(&format!("a{c}b")).is_err(),
                "{c:?}"
            );
        }
        for text in ["", " ", ".", "..", "a\nb", "a\0", "a\u{202e}b", "a\u{9b}", &(long.clone() + "x")] {
            let error = machine_name(text).unwrap_err();
            assert!(error.to_string().len() < 100 && !error.to_string().chars().any(is_obeyed), "{error}");
        }
    }

    /// The property as another crate has it.
    #[test]
    fn what_unicode_ignores_is_escaped() {
        let ignorable =
            regex::Regex::new(r"^[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}]$").unwrap();
        for c in '\0'..=char::MAX {
            if ignorable.is_match(c.encode_utf8(&mut [0; 4])) {
                assert!(is_obeyed(c), "{c:?}");
            } else if is_obeyed(c) {
                assert!(
                    "\u{2028}\u{2029}\u{2800}\u{fff9}\u{fffa}\u{fffb}\u{fffc}\u{1d159}".contains(c),
                    "{c:?}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn a_plain_text_is_short_and_hides_nothing(text in "[a-zµ\\x00-\\x1f\u{7f}-\u{a0}\u{202a}-\u{202e}\u{1f600}]{0,40}", longest in 1_usize..30) {
            let plain = plain_text(&text, longest);
            prop_assert!(plain.chars().count() <= longest && !plain.chars().any(is_obeyed), "{plain:?}");
            prop_assert_eq!(plain_text(&plain, longest), plain.clone());
        }
    }
}

//! Texts of others in a form that can be shown: names of machines and processors, notes, whatever a file says.
//!
//! Characters that a terminal or a browser would obey or hide instead of showing (control characters, also those of ISO 6429 beyond
//! ASCII, and Unicode's bidirectional and invisible ones) are shown as `\u001b`. What is too long is cut, and ends in `…`.

use std::borrow::Cow;
use std::fmt::Write;

/// Characters of a name, at most.
pub const LONGEST_NAME: usize = 200;

/// Characters of words such as a warning, at most.
pub const LONGEST_WORDS: usize = 1000;

/// What a text that was cut ends in.
const CUT: char = '…';

/// Whether a character is obeyed or hidden instead of shown.
pub fn is_obeyed(c: char) -> bool {
    match c {
        // Soft hyphen; Arabic letter mark; Mongolian vowel separator; zero width and directional marks; separators of
        // lines and overrides; isolates and other invisible characters; byte order mark and annotations.
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' => true,
        c => c.is_control(),
    }
}

/// A text on one line, with so many characters at most, none of which is obeyed.
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
            // Writing to a string cannot fail. All of them have four digits.
            let _ = write!(plain, "\\u{:04x}", u32::from(c));
            length += 6;
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

/// Why a text is no name of a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no name of a machine")]
pub struct MachineNameError(String);

impl MachineNameError {
    /// What a name is.
    pub fn hint(&self) -> String {
        format!(
            "a name has 1 to {LONGEST_NAME} characters on one line, is not `.` or `..`, and hides nothing"
        )
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
        for text in ["", " ", ".", "..", "a\nb", "a\0", "a\u{202e}b", "a\u{9b}", &(long.clone() + "x")] {
            let error = machine_name(text).unwrap_err();
            assert!(error.to_string().len() < 100 && !error.to_string().chars().any(is_obeyed), "{error}");
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

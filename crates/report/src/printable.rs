//! Sanitizes foreign text for a terminal: names of machines and processors, paths, contents of files.
//!
//! Characters that a terminal would interpret instead of showing (control characters, also those of ISO 6429 beyond
//! ASCII), and those that would reorder text (Unicode's bidirectional controls) or hide it, are shown as `\u001b`. JSON
//! writes such characters the same way, so JSON stays the same data.

use std::borrow::Cow;

use zerohop_result::escaped_character;

use crate::pages::{Look, Style};

/// `text`, safe for a terminal. Line ends, tabs and, if colors are allowed, the styles of pages stay: the worst that
/// foreign text can do is use one of these styles.
pub fn printable<'text>(text: &'text str, style: &Style) -> Cow<'text, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let looks = if style.colour { Look::sequences() } else { Vec::new() };
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match looks.iter().find(|look| rest.starts_with(look.as_str())) {
            Some(look) => look.len(),
            None => c.len_utf8(),
        };
        if length == c.len_utf8() && is_obeyed(c) {
            shown.push_str(&escaped_character(c));
        } else {
            shown.push_str(&rest[..length]);
        }
        rest = &rest[length..];
    }
    Cow::Owned(shown)
}

/// `text` without line ends and tabs: a name or a command must not look like lines of a page.
pub(crate) fn one_line(text: &str) -> String {
    text.replace('\n', "\\u000a").replace('\t', "\\u0009")
}

/// `text` on one line, without what would reorder, hide or obey it, for forms that have no looks.
pub(crate) fn plain_line(text: &str) -> String {
    one_line(&printable(text, &Style::default()))
}

/// Whether a terminal interprets or hides a character that is no part of a page.
fn is_obeyed(c: char) -> bool {
    !matches!(c, '\n' | '\t') && zerohop_result::is_obeyed(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PLAIN: Style = Style { colour: false, width: 80 };
    const COLOUR: Style = Style { colour: true, width: 80 };

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        for (text, shown) in [
            ("a\u{1b}[2Jb", r"a\u001b[2Jb"),
            ("\u{1b}]8;;http://x\u{7}y\u{1b}]8;;\u{7}", r"\u001b]8;;http://x\u0007y\u001b]8;;\u0007"),
            ("\u{1b}]52;c;eA==\u{1b}\\", r"\u001b]52;c;eA==\u001b\"),
            ("\u{9b}2J\u{85}", r"\u009b2J\u0085"),
            ("exe.\u{202e}txt\u{2066}", r"exe.\u202etxt\u2066"),
            ("a\rb\u{8}\u{7f}", r"a\u000db\u0008\u007f"),
            ("\u{1b}[8mhidden", r"\u001b[8mhidden"),
        ] {
            for style in [PLAIN, COLOUR] {
                assert_eq!(printable(text, &style), shown);
            }
        }
        assert_eq!(printable("µ – 2 Knoten\n\ttab", &PLAIN), "µ – 2 Knoten\n\ttab");
    }

    #[test]
    fn the_looks_of_pages_stay_where_colours_are_allowed() {
        for look in Look::ALL {
            let painted = COLOUR.paint(look, "x\u{1b}[2J");
            assert_eq!(printable(&painted, &COLOUR), painted.replace("\u{1b}[2J", r"\u001b[2J"));
            assert!(!printable(&painted, &PLAIN).contains('\u{1b}'));
        }
    }

    #[test]
    fn json_stays_the_same_data() {
        let name = "a\u{1b}[2J\u{9b}\u{202e}\u{7f}";
        let json = serde_json::to_string(name).unwrap();
        let shown = printable(&json, &PLAIN);
        assert!(!shown.chars().any(is_obeyed), "{shown}");
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), name);
    }

    proptest! {
        #[test]
        fn nothing_that_a_terminal_would_obey_is_left(text in "[\\x00-\\x20\\x7f-\\xa0a\\[0-9m\u{202a}-\u{202e}\u{200b}]{0,60}") {
            prop_assert!(!printable(&text, &PLAIN).chars().any(is_obeyed));
            let coloured = printable(&text, &COLOUR).into_owned();
            let left = Look::sequences().iter().fold(coloured, |text, look| text.replace(look, ""));
            prop_assert!(!left.contains('\u{1b}'), "{left:?}");
        }
    }
}

//! Breaks text at a width.

/// The lines of `text`, none longer than `width` characters unless a single word is.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        let word_length = word.chars().count();
        if length > 0 && length + 1 + word_length > width {
            lines.push(std::mem::take(&mut line));
            length = 0;
        }
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += word_length;
    }
    lines.push(line);
    lines
}

/// `first`, then `text` broken at `width` with its further lines under its own beginning.
pub(crate) fn hanging(first: &str, text: &str, width: usize) -> String {
    let indent = first.chars().count();
    let separator = format!("\n{:indent$}", "");
    let lines = wrap(text, width.saturating_sub(indent).max(20));
    format!("{first}{}\n", lines.join(&separator))
}

/// Lines of at most `width` visible characters, broken at blanks if there are any, otherwise anywhere.
pub(crate) fn folded(text: &str, width: usize) -> String {
    text.split_inclusive('\n').map(|line| folded_line(line, width.max(1))).collect()
}

fn folded_line(line: &str, width: usize) -> String {
    let mut folded = String::with_capacity(line.len());
    // Visible characters since the last break, and the place and the characters up to the last blank among them.
    let (mut length, mut blank) = (0, None);
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let size =
            if c == '\u{1b}' { rest.find('m').map_or(rest.len(), |end| end + 1) } else { c.len_utf8() };
        if c == '\u{1b}' || c == '\n' {
            folded.push_str(&rest[..size]);
            rest = &rest[size..];
            continue;
        }
        if length == width {
            let (place, before) = blank.take().filter(|_| c != ' ').unzip();
            length -= before.map_or(length, |before: usize| before + 1);
            match place {
                Some(place) => folded.replace_range(place..=place, "\n"),
                None => folded.push('\n'),
            }
            if c == ' ' {
                rest = &rest[size..];
                continue;
            }
        }
        // An indent is no place to break at.
        if c == ' ' && length > 0 {
            blank = Some((folded.len(), length));
        }
        folded.push(c);
        length += 1;
        rest = &rest[size..];
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn further_lines_hang_under_the_first() {
        assert_eq!(
            hanging("  key  ", "one two three four five six", 30),
            "  key  one two three four five\n       six\n"
        );
    }

    #[test]
    fn lines_are_folded_at_blanks_and_words_where_they_must_be() {
        for (text, width, shown) in [
            ("short\n", 10, "short\n"),
            ("one two three\nfour\n", 8, "one two\nthree\nfour\n"),
            ("one two three\n", 7, "one two\nthree\n"),
            ("  indented words\n", 10, "  indented\nwords\n"),
            ("abcdef", 4, "abcd\nef"),
            ("a \u{1b}[1mbold\u{1b}[0m word\n", 6, "a \u{1b}[1mbold\u{1b}[0m\nword\n"),
            ("ab c\n", 1, "a\nb\nc\n"),
            ("ab\n", 0, "a\nb\n"),
        ] {
            assert_eq!(folded(text, width), shown, "{text:?} in {width}");
        }
    }

    proptest! {
        #[test]
        fn no_folded_line_is_too_long_and_nothing_but_blanks_is_lost(text in "[a-z ±\\n]{0,200}", width in 1usize..30) {
            let folded = folded(&text, width);
            prop_assert!(folded.lines().all(|line| line.chars().count() <= width), "{folded:?}");
            let letters = |text: &str| text.replace([' ', '\n'], "");
            prop_assert_eq!(letters(&folded), letters(&text));
        }

        #[test]
        fn no_word_is_lost_and_no_line_too_long(words in proptest::collection::vec("[a-z±µ]{1,12}", 1..30), width in 12usize..60) {
            let text = words.join(" ");
            let lines = wrap(&text, width);
            prop_assert!(lines.iter().all(|line| line.chars().count() <= width));
            prop_assert_eq!(lines.join(" "), text);
        }
    }
}

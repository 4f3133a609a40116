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

    proptest! {
        #[test]
        fn no_word_is_lost_and_no_line_too_long(words in proptest::collection::vec("[a-z±µ]{1,12}", 1..30), width in 12usize..60) {
            let text = words.join(" ");
            let lines = wrap(&text, width);
            prop_assert!(lines.iter().all(|line| line.chars().count() <= width));
            prop_assert_eq!(lines.join(" "), text);
        }
    }
}

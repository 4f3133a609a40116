//! What a terminal shows of a line, for texts that `tee` and `script` recorded.

use std::iter::Peekable;
use std::str::Chars;

const ESCAPE: char = '\u{1b}';

/// Letters that typesetters join, from U+FB00.
const LIGATURES: [&str; 5] = ["ff", "fi", "fl", "ffi", "ffl"];

/// A line without the control sequences of terminals (ECMA-48) and other control characters, and with plain blanks, hyphens and letters
/// in place of those of typesetters.
///
/// A carriage return inside the line begins it again, as progress does; a backspace takes back a character.
pub(crate) fn shown(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line.trim_end().chars().peekable();
    while let Some(one) = rest.next() {
        match one {
            ESCAPE => skip_sequence(&mut rest),
            '\u{9b}' => skip_control(&mut rest),
            '\t' => text.push('\t'),
            '\r' => text.clear(),
            '\u{8}' => drop(text.pop()),
            // Between thousands, where an apostrophe is the other mark.
            '\u{2009}' | '\u{202f}' if is_in_number(&text, &rest) => text.push('\''),
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => text.push(' '),
            // Marks of byte order and of writing direction, blanks without width, and hyphens that only a line end shows.
            '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{ad}' => {}
            // As spreadsheets, web pages and typesetters write a minus or a hyphen.
            '\u{2010}'..='\u{2015}' | '\u{2212}' => text.push('-'),
            '\u{fb00}'..='\u{fb04}' => text.push_str(LIGATURES[one as usize - 0xfb00]),
            // Letters and signs of full width, between Chinese and Japanese ones.
            '\u{ff01}'..='\u{ff5e}' => text.extend(char::from_u32(one as u32 - 0xff01 + u32::from(b'!'))),
            '\u{201c}'..='\u{201f}' => text.push('"'),
            '\u{2018}'..='\u{201b}' => text.push('\''),
            '→' => text.push_str("->"),
            '…' => text.push_str("..."),
            one if one.is_control() => text.push(' '),
            one => text.push(one),
        }
    }
    text
}

/// Whether a digit is before and behind a place.
fn is_in_number(text: &str, rest: &Peekable<Chars<'_>>) -> bool {
    text.ends_with(|one: char| one.is_ascii_digit())
        && rest.clone().next().is_some_and(|next| next.is_ascii_digit())
}

/// Skips what follows an escape character.
fn skip_sequence(rest: &mut Peekable<Chars<'_>>) {
    match rest.next() {
        Some('[') => skip_control(rest),
        // A title of a window, or another string, up to a bell or to `ESC \`.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(one) = rest.next() {
                if one == '\u{7}' || one == ESCAPE && rest.next_if_eq(&'\\').is_some() {
                    break;
                }
            }
        }
        // A choice of a character set: intermediate characters, then one more.
        Some(' '..='/') => {
            while rest.next_if(|one| (' '..='/').contains(one)).is_some() {}
            rest.next();
        }
        _ => {}
    }
}

/// Skips parameters and intermediate characters up to the final character of a control sequence.
fn skip_control(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|one| (' '..='?').contains(one)).is_some() {}
    rest.next_if(|one| ('@'..='~').contains(one));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_of_terminals_are_taken_off() {
        for (line, text) in [
            ("\u{1b}[1m 0\u{a0}78.5\u{1b}[0m\r", " 0 78.5"),
            ("\u{1b}(B\u{1b}[m78.5", "78.5"),
            ("\u{1b}]0;node07: ~\u{1b}\\78.5", "78.5"),
            ("\u{1b}]0;node07: ~\u{7}78.5", "78.5"),
            ("\u{9b}1m78.5", "78.5"),
            ("\u{1b}[?2004l\r78.5", "78.5"),
            ("\u{2212}78.5", "-78.5"),
            (
                "L2\u{2010}\u{200b}>L2 con\u{fb01}gured\u{2009}\u{ff1a}\u{ff08}ns\u{ff09}",
                "L2->L2 configured :(ns)",
            ),
            ("150\u{202f}617,2\u{2009}ns", "150'617,2 ns"),
            ("\u{201c}stride=64 → 5…", "\"stride=64 -> 5..."),
        ] {
            assert_eq!(shown(line), text, "{line:?}");
        }
    }

    #[test]
    fn progress_and_corrections_are_what_a_terminal_shows_last() {
        assert_eq!(shown("10 %\r100 %\rCopy: 12.5\r"), "Copy: 12.5");
        assert_eq!(shown("mlx\u{8}c"), "mlc");
    }
}

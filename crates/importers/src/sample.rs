//! The lines at which formats look to see whether a text is theirs.
//!
//! A text may be as long as an upload may be, and most of a long one is no tool's output. All of a short text is looked at; of a long one its
//! beginning, its end, and the lines around the words that tools print, wherever they are. So the time that it takes to find no format does
//! not grow with the text, but for one search for all words at once.

use std::ops::Deref;

use crate::lines::Text;
use crate::marks::Marks;
use crate::structured::json_start;

/// All of a text up to this many bytes is looked at, and as much of the beginning of a longer one.
const BEGINNING: usize = 64 << 10;

/// So much of the end.
const END: usize = 8 << 10;

/// So much before and behind a word that a tool prints.
const AROUND: usize = 2 << 10;

/// The first places of a word that are looked at.
const PLACES: usize = 4;

/// A longer line is none of a tool's tables.
const LONGEST: usize = 64 << 10;

/// A line that is looked at.
#[derive(Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) rank: usize,
    pub(crate) line: &'a str,
    /// The same in lower case.
    pub(crate) lower: String,
}

/// A text, and the lines of it that are looked at.
#[derive(Debug)]
pub(crate) struct Sample<'a> {
    text: &'a Text,
    lines: Vec<Seen<'a>>,
    /// Where an object or an array of JSON opens.
    json: Option<usize>,
}

impl Deref for Sample<'_> {
    type Target = Text;

    fn deref(&self) -> &Text {
        self.text
    }
}

impl<'a> Sample<'a> {
    /// Of a text, by the words that tools print.
    pub(crate) fn of(text: &'a Text, marks: &Marks) -> Self {
        let raw = text.raw();
        let mut parts = vec![(0, BEGINNING)];
        if raw.len() > BEGINNING {
            let around = |place: usize| (place.saturating_sub(AROUND), place + AROUND);
            parts.extend(marks.places(raw, PLACES).into_iter().map(around));
            parts.push((raw.len().saturating_sub(END), raw.len()));
        }
        parts.sort_unstable();
        let mut lines = Vec::new();
        let mut parts = parts.into_iter().peekable();
        let (mut at, mut before) = (0, ["", ""]);
        for (rank, own) in raw.split('\n').enumerate() {
            let end = at + own.len();
            while parts.next_if(|part| part.1 < at).is_some() {}
            let line = text.line(rank);
            let is_near = parts.peek().is_some_and(|part| part.0 <= end) && own.len() <= LONGEST;
            // What comes for the third time in a row says nothing new.
            if is_near && !line.is_empty() && before != [line, line] {
                lines.push(Seen { rank, line, lower: line.to_ascii_lowercase() });
            }
            before = [before[1], line];
            at = end + 1;
        }
        Self { text, lines, json: json_start(raw) }
    }

    /// The lines that are looked at, without blank ones.
    pub(crate) fn seen(&self) -> impl Iterator<Item = &Seen<'a>> {
        self.lines.iter()
    }

    /// Whether any of them satisfies a condition, in lower case.
    pub(crate) fn any(&self, is_sign: impl Fn(&str) -> bool) -> bool {
        self.lines.iter().any(|seen| is_sign(&seen.lower))
    }

    /// Whether any of them satisfies a condition, as it is.
    pub(crate) fn any_as_is(&self, is_sign: impl Fn(&str) -> bool) -> bool {
        self.lines.iter().any(|seen| is_sign(seen.line))
    }

    /// Whether an object or an array of JSON opens in the text.
    pub(crate) const fn has_json(&self) -> bool {
        self.json.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<usize> {
        let text = Text::new(text);
        Sample::of(&text, &Marks::of(&["numa node"])).seen().map(|seen| seen.rank).collect()
    }

    #[test]
    fn a_long_text_is_looked_at_where_tools_may_have_printed() {
        assert_eq!(seen("a\n\nb\nb\nb\nb\n"), [0, 2, 3]);
        let junk: String = (0..100_000).map(|rank| format!("line {rank} of a log\n")).collect();
        let text = format!("{junk}Numa Node 0 1\n0 81.5 130.5\n{junk}");
        let found = seen(&text);
        assert!(found.contains(&0) && found.contains(&100_000) && found.contains(&100_001));
        assert!(found.contains(&200_001) && found.len() < 10_000, "{}", found.len());
    }
}

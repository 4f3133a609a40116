//! A text by lines, without what terminals, mail and web pages add to them, and which of them were read.

/// A text by lines.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    raw: String,
    lines: Vec<Line>,
}

/// A line.
#[derive(Debug, Clone)]
struct Line {
    text: String,
    state: State,
}

/// What happened to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It holds nothing: it is blank, or a rule.
    Blank,
    /// No format has read it.
    Open,
    /// A format has read it.
    Read,
}

impl Text {
    /// Splits a text into lines.
    pub(crate) fn new(raw: &str) -> Self {
        let lines = raw.split('\n').map(|line| {
            let text = clean(line);
            let state = if is_blank(&text) { State::Blank } else { State::Open };
            Line { text, state }
        });
        Self { raw: raw.to_owned(), lines: lines.collect() }
    }

    /// The text as it was given.
    pub(crate) fn raw(&self) -> &str {
        &self.raw
    }

    /// The number of lines.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The line of that rank, without blanks at its ends; empty for a rule and after the last line.
    pub(crate) fn line(&self, rank: usize) -> &str {
        let line = self.lines.get(rank).filter(|line| line.state != State::Blank);
        line.map_or("", |line| line.text.as_str())
    }

    /// All lines, with their ranks, without blank ones.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.lines.iter().enumerate().filter(|(_, line)| line.state != State::Blank);
        lines.map(|(rank, line)| (rank, line.text.as_str()))
    }

    /// Lines that no format has read yet.
    pub(crate) fn open(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.lines.iter().enumerate().filter(|(_, line)| line.state == State::Open);
        lines.map(|(rank, line)| (rank, line.text.as_str()))
    }

    /// Whether the line is there and no format has read it.
    pub(crate) fn is_open(&self, rank: usize) -> bool {
        self.lines.get(rank).is_some_and(|line| line.state == State::Open)
    }

    /// Marks a line as read.
    pub(crate) fn mark(&mut self, rank: usize) {
        if let Some(line) = self.lines.get_mut(rank)
            && line.state == State::Open
        {
            line.state = State::Read;
        }
    }

    /// Ranges of lines that no format read, as numbers from 1, each with its first line. Blank lines do not part a range.
    pub(crate) fn unread(&self) -> Vec<(usize, usize, &str)> {
        let mut ranges: Vec<(usize, usize, &str)> = Vec::new();
        let mut parted = true;
        for (rank, line) in self.lines.iter().enumerate() {
            match line.state {
                State::Read => parted = true,
                State::Blank => {}
                State::Open => {
                    match ranges.last_mut().filter(|_| !parted) {
                        Some(range) => range.1 = rank + 1,
                        None => ranges.push((rank + 1, rank + 1, line.text.as_str())),
                    }
                    parted = false;
                }
            }
        }
        ranges
    }
}

/// A line without the escapes of a terminal, marks of quotation, and the bars of a Markdown table.
fn clean(line: &str) -> String {
    let plain = without_escapes(line);
    let plain = plain.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&");
    let mut text = plain.trim();
    // A shell's prompt is also `> `: its command is then read as if it were output, and is not understood either way.
    while let Some(quoted) = text.strip_prefix('>') {
        text = quoted.trim_start();
    }
    if text.starts_with('|') || (text.ends_with('|') && text.len() > 1) {
        let cells = text.trim_matches('|').split('|').map(str::trim);
        return cells.collect::<Vec<_>>().join("\t").trim().to_owned();
    }
    text.to_owned()
}

/// Text without the control sequences of terminals (ECMA-48), without control characters, and with plain blanks.
fn without_escapes(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line.chars().peekable();
    while let Some(one) = rest.next() {
        match one {
            '\u{1b}' => match rest.next() {
                Some('[') => while rest.next().is_some_and(|end| !('@'..='~').contains(&end)) {},
                Some(']') => while rest.next().is_some_and(|end| end != '\u{7}' && end != '\u{1b}') {},
                _ => {}
            },
            '\t' => text.push('\t'),
            '\u{a0}' | '\u{3000}' | '\u{2007}' | '\u{202f}' => text.push(' '),
            '\u{feff}' | '\u{200b}' => {}
            one if one.is_control() => text.push(' '),
            one => text.push(one),
        }
    }
    text
}

/// Whether a line holds nothing: it is empty, a rule, or the mark of a block of code.
fn is_blank(text: &str) -> bool {
    let is_rule = text.chars().all(|one| "-=_*#~+|:.` \t".contains(one)) && text != "-";
    let lower = text.to_ascii_lowercase();
    let marks =
        ["```", "~~~", "{%", "<pre", "</pre", "<code", "</code", "[code", "[/code", "[quote", "[/quote"];
    text.is_empty() || is_rule || marks.iter().any(|mark| lower.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_terminals_and_mails_add_is_taken_off() {
        assert_eq!(clean("> > \u{1b}[1m 0\u{a0}78.5\u{1b}[0m\r"), "0 78.5");
        assert_eq!(clean("| 0 | 78.5 |"), "0\t78.5");
        assert_eq!(clean("L2-&gt;L2"), "L2->L2");
        assert!(is_blank("```shell") && is_blank("=====") && is_blank("|---|---|") && !is_blank("0 -"));
    }

    #[test]
    fn unread_lines_are_folded() {
        let mut text = Text::new("a\n\nb\nc\nd\n");
        text.mark(2);
        assert_eq!(text.unread(), [(1, 1, "a"), (4, 5, "d".replace('d', "c").as_str())]);
    }
}

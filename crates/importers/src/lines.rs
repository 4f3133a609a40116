//! A text by lines, without what terminals, mail and web pages add to them, and which of them were read.

use zerohop_units::Hertz;

use crate::bits::spelled;
use crate::cells;
use crate::decimals::{are_commas, with_points, without_marks};
use crate::host_part::Part;
use crate::logs::take_prefixes;
use crate::page::decoded;
use crate::problem::Problem;
use crate::screen::shown;

/// A text by lines.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    raw: String,
    lines: Vec<Line>,
    /// The name of its file, which sometimes says what is in it.
    name: String,
    /// The clock of the processor, where the user states it: some tools count its cycles.
    clock: Option<Hertz>,
    /// The last number, if the end of the file cuts it off.
    cut: Option<String>,
    /// The numbers of the lines, where the text is that of one of several hosts: blank lines then stand for those of others.
    numbers: Option<Vec<usize>>,
}

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
        let mut lines = shown_lines(raw);
        take_numbers(&mut lines);
        let raw = lines.join("\n");
        let mut texts: Vec<String> = raw.split('\n').map(clean).collect();
        if are_commas(texts.iter().map(String::as_str)) {
            texts = texts.iter().map(|text| with_points(text)).collect();
        }
        let cut = if raw.ends_with('\n') { None } else { take_cut(&mut texts) };
        let lines = texts.into_iter().map(|text| {
            let state = if is_blank(&text) { State::Blank } else { State::Open };
            Line { text, state }
        });
        let lines = lines.collect();
        Self { raw, lines, name: String::new(), clock: None, cut, numbers: None }
    }

    /// The same text, of a file of that name and of a processor with that clock.
    pub(crate) fn of(self, name: &str, clock: Option<Hertz>) -> Self {
        Self { name: name.to_owned(), clock, ..self }
    }

    /// The text of one of several hosts.
    pub(crate) fn of_part(part: Part) -> Self {
        Self { numbers: Some(part.numbers), ..Self::new(&part.text) }
    }

    /// The same text, with tabs between the cells of its lines if it is one of cells.
    pub(crate) fn with_tabs(mut self) -> Self {
        self.take_tabs();
        self
    }

    /// Puts tabs between the cells of its lines if it is one of cells, and says whether it is.
    pub(crate) fn take_tabs(&mut self) -> bool {
        let texts: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        let Some(lines) = cells::with_tabs(&texts) else { return false };
        for (line, text) in self.lines.iter_mut().zip(lines) {
            // A row of empty cells.
            if is_blank(&text) {
                line.state = State::Blank;
            }
            line.text = text;
        }
        true
    }

    /// The name of its file.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The processor's clock, where the user states it.
    pub(crate) const fn clock(&self) -> Option<Hertz> {
        self.clock
    }

    /// The last number of the text, if the end of the file seems to cut it off: it is in no line.
    pub(crate) fn cut(&self) -> Option<&str> {
        self.cut.as_deref()
    }

    /// The text as a terminal shows it.
    pub(crate) fn raw(&self) -> &str {
        &self.raw
    }

    /// The number of lines.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The number of the line of that rank in its file, from 1.
    pub(crate) fn number(&self, rank: usize) -> usize {
        match &self.numbers {
            None => rank + 1,
            Some(numbers) => match (numbers.get(rank), numbers.last()) {
                (Some(&number), _) => number,
                (None, last) => last.map_or(0, |last| last - numbers.len()) + rank + 1,
            },
        }
    }

    /// What a format found wrong, with the number of the line in its file in place of that in this text.
    pub(crate) fn in_file(&self, problem: Problem) -> Problem {
        let line = problem.line.map(|line| line.checked_sub(1).map_or(line, |rank| self.number(rank)));
        Problem { line, ..problem }
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

    /// Whether a format has read the line.
    pub(crate) fn is_read(&self, rank: usize) -> bool {
        self.lines.get(rank).is_some_and(|line| line.state == State::Read)
    }

    /// Marks a line as read.
    pub(crate) fn mark(&mut self, rank: usize) {
        if let Some(line) = self.lines.get_mut(rank)
            && line.state == State::Open
        {
            line.state = State::Read;
        }
    }

    /// Ranges of lines that no format read, as numbers from 1, each with its first line. Blank lines do not part a range, unless
    /// they stand for those of other hosts.
    pub(crate) fn unread(&self) -> Vec<(usize, usize, &str)> {
        let mut ranges: Vec<(usize, usize, &str)> = Vec::new();
        let mut parted = true;
        for (rank, line) in self.lines.iter().enumerate() {
            match line.state {
                State::Read => parted = true,
                State::Blank => parted |= self.numbers.is_some(),
                State::Open => {
                    let number = self.number(rank);
                    match ranges.last_mut().filter(|_| !parted) {
                        Some(range) => range.1 = number,
                        None => ranges.push((number, number, line.text.as_str())),
                    }
                    parted = false;
                }
            }
        }
        ranges
    }
}

/// Takes the line numbers off a text that a pager or `cat -n` numbered: every line that is not blank begins with its own number.
fn take_numbers(lines: &mut [String]) {
    const FEWEST: usize = 5;
    let numbered = |(rank, line): (usize, &String)| -> Option<(usize, usize)> {
        let start = line.len() - line.trim_start().len();
        let digits = line[start..].bytes().take_while(u8::is_ascii_digit).count();
        let number: usize = line[start..start + digits].parse().ok()?;
        let after = line[start + digits..].chars().next();
        let length = after.map_or(0, |one| usize::from(matches!(one, '\t' | ':' | ' ' | '|')));
        let is_end = after.is_none() || length == 1;
        (is_end && number > 0).then(|| (number.wrapping_sub(rank), start + digits + length))
    };
    let full: Vec<usize> = (0..lines.len()).filter(|&rank| !lines[rank].trim().is_empty()).collect();
    let found: Option<Vec<(usize, usize)>> =
        full.iter().map(|&rank| numbered((rank, &lines[rank]))).collect();
    let Some(found) = found.filter(|found| found.len() >= FEWEST) else { return };
    let in_order = found.iter().all(|&(offset, _)| offset == found[0].0);
    let has_words =
        full.iter().zip(&found).any(|(&rank, &(_, end))| lines[rank][end..].chars().any(char::is_alphabetic));
    if in_order && has_words {
        full.iter().zip(&found).for_each(|(&rank, &(_, end))| drop(lines[rank].drain(..end)));
    }
}

/// Columns of numbers have no more decimals than this.
const MOST_DECIMALS: usize = 6;

/// Takes the last number off a text that does not end with a line's end, if it has fewer decimals than the one above it or, without
/// one, than the one before it: tools print a column with as many.
fn take_cut(texts: &mut [String]) -> Option<String> {
    let (last, above) = texts.split_last_mut()?;
    let words: Vec<&str> = last.split_whitespace().collect();
    let (&cut, before) = words.split_last()?;
    let column = before.len();
    let above = above.iter().rev().find(|line| !line.is_empty()).map(String::as_str).unwrap_or_default();
    let model = above.split_whitespace().nth(column).and_then(decimals).filter(|&decimals| decimals > 0);
    let model = model.or_else(|| before.last().and_then(|word| decimals(word)))?;
    // More decimals are those of a program that prints as many as a number has.
    if model > MOST_DECIMALS || decimals(cut)? >= model {
        return None;
    }
    let cut = cut.to_owned();
    last.truncate(last.len() - cut.len());
    Some(cut)
}

/// The number of decimals of a number.
fn decimals(word: &str) -> Option<usize> {
    let (whole, fraction) = word.split_once('.').unwrap_or((word, ""));
    let is_number =
        !whole.is_empty() && whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
    is_number.then_some(fraction.len())
}

/// The lines of a text: a few programs end them with carriage returns alone.
pub(crate) fn split(raw: &str) -> std::str::Split<'_, char> {
    raw.split(if raw.trim_end().contains('\n') { '\n' } else { '\r' })
}

/// The lines of a text as a terminal shows them, without what a log has before each.
pub(crate) fn shown_lines(raw: &str) -> Vec<String> {
    let mut lines: Vec<String> = split(raw).map(shown).collect();
    take_prefixes(&mut lines);
    lines
}

/// A line without marks of quotations, comments and code, and without the bars of a table.
fn clean(line: &str) -> String {
    let plain = decoded(line).replace(['│', '┃', '║'], "|");
    let plain = without_marks(&plain);
    let plain = spelled(&plain);
    let mut text = plain.trim();
    // A shell's prompt is also `> `: its command is then read as if it were output, and is not understood either way.
    while let Some(quoted) = text.strip_prefix('>') {
        text = quoted.trim_start();
    }
    let text = bare(text);
    if text.starts_with('|') || (text.ends_with('|') && text.len() > 1) {
        // Jira doubles the bars of heads.
        let text = if text.starts_with("||") { text.replace("||", "|") } else { text.to_owned() };
        return cells::row(text.trim_matches('|').split('|').map(unstressed));
    }
    // A row of LaTeX.
    let row = text.strip_suffix("\\hline").unwrap_or(text).trim_end();
    if let Some(row) = row.strip_suffix("\\\\").filter(|row| row.contains('&')) {
        let row = row.replace("{,}", ",");
        return cells::row(row.split('&').map(unstressed));
    }
    text.to_owned()
}

/// A cell without Markdown's marks of code and stress.
fn unstressed(cell: &str) -> &str {
    let cell = cell.trim();
    let stressed = ["**", "__", "`"].into_iter().find_map(|mark| cell.strip_prefix(mark)?.strip_suffix(mark));
    stressed.filter(|inside| inside.starts_with(|one: char| one.is_alphanumeric())).unwrap_or(cell)
}

/// A line without the mark of a comment or of a list before it, or Markdown's marks of code and stress around it.
fn bare(text: &str) -> &str {
    const MARKS: [&str; 6] = ["# ", "#\t", "// ", "//\t", "* ", "*\t"];
    if let Some(rest) = MARKS.iter().find_map(|mark| text.strip_prefix(mark)) {
        return rest.trim_start();
    }
    // A list in Markdown; a dash also marks a missing value.
    let item = ["- ", "+ ", "• "].iter().find_map(|mark| text.strip_prefix(mark)).map(str::trim_start);
    if let Some(item) = item.filter(|item| is_item(item)) {
        return item;
    }
    let stressed = text.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
    if let Some(inside) = stressed.filter(|inside| !inside.contains('*')) {
        return inside.trim();
    }
    // The end of a raw string in a source file.
    let text = match text.strip_suffix("`,").or_else(|| text.strip_suffix("`)")) {
        Some(inside) if !inside.contains('`') => inside,
        _ => text,
    };
    if text.starts_with("``") { text } else { text.trim_matches('`') }
}

/// Whether a text behind a dash is an item of a list: it begins with a word, or with a ratio.
fn is_item(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_ratio = first.split_once(':').is_some_and(|(one, other)| {
        !one.is_empty() && one.bytes().chain(other.bytes()).all(|byte| byte.is_ascii_digit())
    });
    text.starts_with(char::is_alphabetic) || is_ratio
}

/// Whether a line holds nothing: it is empty, a rule, or the mark of a block of code.
fn is_blank(text: &str) -> bool {
    let is_rule = text.chars().all(|one| "-=_*#~+|:.` \t".contains(one)) && text != "-";
    let lower = text.to_ascii_lowercase();
    let marks = [
        "```",
        "~~~",
        "{%",
        "{code",
        "{noformat",
        "[code",
        "[/code",
        "[quote",
        "[/quote",
        "<details",
        "</details",
    ];
    text.is_empty() || is_rule || marks.iter().any(|mark| lower.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_mails_and_tables_add_is_taken_off() {
        assert_eq!(clean("> >  0 78.5"), "0 78.5");
        assert_eq!(clean("| 0 | 78.5 |"), "0\t78.5");
        assert_eq!(clean("L2-&gt;L2"), "L2->L2");
        assert_eq!(clean("# Copy: 1.5"), "Copy: 1.5");
        assert_eq!(clean("    // 0.5 1.5"), "0.5 1.5");
        assert_eq!(clean("**Triad: 1.5**"), "Triad: 1.5");
        assert_eq!(clean("`Triad: 1.5`"), "Triad: 1.5");
        assert_eq!((clean("Triad: 1.5`,").as_str(), clean("(`a`)").as_str()), ("Triad: 1.5", "(`a`)"));
        assert_eq!(clean("│ 0 │ 78.5 │"), "0\t78.5");
        assert_eq!(clean("| 0 | | 78.5 |"), "0\t-\t78.5");
        assert_eq!(clean("||0||78.5|119.4|"), "0\t78.5\t119.4");
        assert_eq!(clean("| | 0 | 1 |"), "0\t1");
        assert_eq!(clean(r"0 & 78.5 & 119.4 \\ \hline"), "0\t78.5\t119.4");
        assert_eq!(clean(r"0 & 150{,}617 & 76{,}512 \\"), "0\t150,617\t76,512");
        assert_eq!(clean("| 0 | **78.5** | `119.4` |"), "0\t78.5\t119.4");
        assert_eq!(
            (clean("- ALL Reads: 1.5"), clean("- 3:1 Reads")),
            ("ALL Reads: 1.5".into(), "3:1 Reads".into())
        );
        assert_eq!(clean("- 78.5 119.4"), "- 78.5 119.4");
        assert_eq!(clean("*** Unable"), "*** Unable");
        assert!(is_blank("```shell") && is_blank("=====") && is_blank("|---|---|") && !is_blank("0 -"));
    }

    #[test]
    fn a_number_that_the_end_of_a_file_cuts_off_is_none() {
        let cut = |text: &str| Text::new(text).cut().map(str::to_owned);
        assert_eq!(cut("0 78.5 119.4\n1 120.8 7"), Some("7".to_owned()));
        assert_eq!(cut("0 78.5 119.4\n1 120.8 76."), Some("76.".to_owned()));
        assert_eq!(cut("Copy: 254046.3 0.006"), None);
        for whole in [
            "0 78.5 119.4\n1 120.8 76.6",
            "0 78.5 119.4\n1 120.8 7\n",
            "0: 10 21\n1: 21 10",
            "node 0 size: 7",
            "1.25 98.109540548\n2.5 98.1",
        ] {
            assert_eq!(cut(whole), None, "{whole}");
        }
    }

    #[test]
    fn line_numbers_are_no_values() {
        let text = Text::new("  9\tNuma node 0 1\n 10\t 0 78.5 119.4\n 11\t 1 120.8 76.6\n 12\t\n 13\tbye\n");
        assert_eq!((text.line(1), text.line(4)), ("0 78.5 119.4", "bye"));
        for plain in ["0 1 2\n1 2 3\n2 3 4\n3 4 5\n4 5 6\n", "1 a\n2 b\n4 c\n5 d\n6 e\n"] {
            assert_eq!(Text::new(plain).line(1), plain.lines().nth(1).unwrap());
        }
    }

    #[test]
    fn lines_may_end_with_carriage_returns_alone() {
        assert_eq!(Text::new("a\rb\r").len(), 3);
        assert_eq!(Text::new("a\r\nb\r\n").len(), 3);
    }

    #[test]
    fn unread_lines_are_folded() {
        let mut text = Text::new("a\n\nb\nc\nd\n");
        text.mark(2);
        assert_eq!(text.unread(), [(1, 1, "a"), (4, 5, "d".replace('d', "c").as_str())]);
    }
}

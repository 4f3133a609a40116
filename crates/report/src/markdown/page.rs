//! A page of Markdown, written in pieces, so that no foreign text reaches it unescaped: markup consists of literals of this program
//! ([`Piece::Mark`]), and all other text passes [`prose`] or [`code`].

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::printable::plain_line;

/// A piece of a line.
pub(crate) enum Piece<'a> {
    /// Markup, which only the program itself can write.
    Mark(&'static str),
    /// Text, whatever it holds.
    Prose(Cow<'a, str>),
    /// Text that is shown letter by letter.
    Code(Cow<'a, str>),
}

pub(crate) const fn mark(text: &'static str) -> Piece<'static> {
    Piece::Mark(text)
}

/// Text, whatever it holds. Spans of code within it stay: nothing in them is markup. Addresses become such spans, as GitHub makes links of bare
/// ones.
pub(crate) fn prose<'a>(text: impl Into<Cow<'a, str>>) -> Piece<'a> {
    Piece::Prose(text.into())
}

/// Text that is shown letter by letter.
pub(crate) fn code<'a>(text: impl Into<Cow<'a, str>>) -> Piece<'a> {
    Piece::Code(text.into())
}

/// A page being written.
#[derive(Default)]
pub(crate) struct MarkdownPage {
    text: String,
}

/// Where a piece stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Line,
    Row,
}

impl MarkdownPage {
    /// Lines of the program's own, as they are.
    pub(crate) fn own(&mut self, lines: &'static str) {
        self.text.push_str(lines);
    }

    pub(crate) fn blank(&mut self) {
        self.text.push('\n');
    }

    pub(crate) fn line(&mut self, pieces: &[Piece<'_>]) {
        self.write(pieces, Within::Line);
        self.text.push('\n');
    }

    /// A line between empty ones.
    pub(crate) fn paragraph(&mut self, pieces: &[Piece<'_>]) {
        self.blank();
        self.line(pieces);
        self.blank();
    }

    /// A row of a table.
    pub(crate) fn row<'a>(&mut self, cells: impl IntoIterator<Item = Piece<'a>>) {
        self.text.push('|');
        for cell in cells {
            self.text.push(' ');
            let before = self.text.len();
            self.write(&[cell], Within::Row);
            self.text.push_str(if self.text.len() > before { " |" } else { "|" });
        }
        self.text.push('\n');
    }

    /// Lines shown letter by letter.
    pub(crate) fn listing<'a>(&mut self, lines: impl IntoIterator<Item = Cow<'a, str>>) {
        let lines: Vec<String> = lines.into_iter().map(|line| plain_line(&line)).collect();
        let longest = lines.iter().map(|line| longest_run(line)).max().unwrap_or(0);
        let fence = "`".repeat((longest + 1).max(3));
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{fence}text\n{}\n{fence}", lines.join("\n"));
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    fn write(&mut self, pieces: &[Piece<'_>], within: Within) {
        for piece in pieces {
            match piece {
                Piece::Mark(text) => self.text.push_str(text),
                Piece::Prose(text) => {
                    let begins = self.text.is_empty() || self.text.ends_with('\n');
                    push_prose(&mut self.text, &plain_line(text), within, begins);
                }
                Piece::Code(text) => push_code(&mut self.text, &plain_line(text), within),
            }
        }
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn push_code(page: &mut String, text: &str, within: Within) {
    if text.is_empty() {
        return;
    }
    let fence = "`".repeat(longest_run(text) + 1);
    // A blank at each end keeps backticks of the text apart from the fence, and is not shown.
    let apart = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    let text = if within == Within::Row { text.replace('|', "\\|") } else { text.to_owned() };
    page.push_str(&[&fence, apart, &text, apart, &fence].concat());
}

/// Writes text so that none of it is markup, and as it is wherever it could not be.
fn push_prose(page: &mut String, text: &str, within: Within, begins_line: bool) {
    let mut rest = if begins_line { text.trim_start() } else { text };
    if begins_line {
        // Headings, quotations, rules and lists.
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = rest.split_at(digits);
        let is_listed = digits > 0 && after.starts_with(['.', ')']);
        if is_listed || number.is_empty() && after.starts_with(['#', '-', '+', '=', '>']) {
            page.push_str(number);
            page.push('\\');
            page.push_str(&after[..1]);
            rest = &after[1..];
        }
    }
    let mut last = None;
    while let Some(c) = rest.chars().next() {
        if last.is_none_or(|last: char| last.is_whitespace() || last == '`')
            && let Some((before, address, after)) = address(rest)
        {
            page.push_str(before);
            // Two spans without anything between them would be one.
            if page.ends_with('`') {
                page.push(' ');
            }
            push_code(page, address, within);
            (rest, last) = (after, Some('`'));
            continue;
        }
        let after = &rest[c.len_utf8()..];
        let next = after.chars().next();
        let between_blanks = last.is_none_or(char::is_whitespace) && next.is_none_or(char::is_whitespace);
        match c {
            '`' => {
                if let Some((span, after)) = span_of_code(rest) {
                    push_code(page, span, within);
                    (rest, last) = (after, Some('`'));
                    continue;
                }
                page.push_str("\\`");
            }
            '<' if !between_blanks => page.push_str("&lt;"),
            '>' if !between_blanks => page.push_str("&gt;"),
            '&' if next.is_some_and(|next| next == '#' || next.is_ascii_alphanumeric()) => {
                page.push_str("&amp;");
            }
            '\\' if next.is_none_or(|next| next.is_ascii_punctuation()) => page.push_str("\\\\"),
            '*' | '[' | ']' | '|' | '~' => page.extend(['\\', c]),
            '_' if !last.is_some_and(char::is_alphanumeric) => page.push_str("\\_"),
            c => page.push(c),
        }
        (rest, last) = (after, Some(c));
    }
}

/// The word that `text` begins with, if GitHub would make a link of a part of it: what stands before the address, the address, and what follows
/// it. Only a span of code keeps it from that: it looks for addresses again after an escape or a reference to a character was replaced.
fn address(text: &str) -> Option<(&str, &str, &str)> {
    let word = &text[..text.find(char::is_whitespace).unwrap_or(text.len())];
    // A span of code is inert already.
    if span_of_code(text).is_some() || !is_linked(word) {
        return None;
    }
    let within = word.trim_start_matches('(');
    let (before, within) = word.split_at(word.len() - within.len());
    let address = within.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
    Some((before, address, &text[before.len() + address.len()..]))
}

/// Whether a part of a word is a web address, an address of mail or chat, or a name that GitHub notifies.
fn is_linked(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let is_named = |(at, _): (usize, &str)| word[at + 1..].starts_with(char::is_alphanumeric);
    ["://", "www.", "mailto:", "xmpp:"].iter().any(|sign| word.contains(sign))
        || word.match_indices('@').any(is_named)
}

/// The code of a span that `text` begins with, and what follows it.
fn span_of_code(text: &str) -> Option<(&str, &str)> {
    let (span, after) = text.strip_prefix('`')?.split_once('`')?;
    (!span.is_empty() && !after.starts_with('`')).then_some((span, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        let mut page = MarkdownPage::default();
        page.line(&[mark("- "), prose(text)]);
        page.finish()
    }

    #[test]
    fn text_is_never_markup() {
        for (text, written) in [
            ("a <script>alert(1)</script>", "a &lt;script&gt;alert(1)&lt;/script&gt;"),
            ("1 < 2 > 0, a & b", "1 < 2 > 0, a & b"),
            ("[x](y) ![z](w)", r"\[x\](y) !\[z\](w)"),
            ("*a* __b__ c_d ~~e~~", r"\*a\* \_\_b_\_ c_d \~\~e\~\~"),
            ("&lt;b>", "&amp;lt;b&gt;"),
            (r"\<b> \", r"\\&lt;b&gt; \\"),
            ("a | b", r"a \| b"),
            ("a\n# b\r\t\u{1b}[1m", r"a\u000a# b\u000d\u0009\u001b\[1m"),
            ("set `x_y <z>` or ` not", r"set `x_y <z>` or \` not"),
            ("``", r"\`\`"),
        ] {
            assert_eq!(line(text), format!("- {written}\n"));
        }
    }

    /// GitHub made links of addresses in names from elsewhere.
    #[test]
    fn an_address_is_no_link() {
        for (text, written) in [
            ("see https://evil.example/a_b.", "see `https://evil.example/a_b`."),
            ("(HTTP://evil.example)", "(`HTTP://evil.example`)"),
            ("www.evil.example, a", "`www.evil.example`, a"),
            ("me@evil.example @me a @ 2 GHz", "`me@evil.example` `@me` a @ 2 GHz"),
            ("mailto:me, xmpp:me", "`mailto:me`, `xmpp:me`"),
            ("[x](https://y)|<z>", "`[x](https://y)|<z>`"),
            ("`a`https://y", "`a` `https://y`"),
            ("`https://y", "`` `https://y ``"),
            ("a`b`https://y", "``a`b`https://y``"),
            ("run `a https://y` b", "run `a https://y` b"),
        ] {
            assert_eq!(line(text), format!("- {written}\n"));
        }
        let mut page = MarkdownPage::default();
        page.row([prose("a|https://y|b")]);
        page.line(&[prose("-www.evil.example")]);
        page.line(&[code("a"), prose("https://y")]);
        assert_eq!(page.finish(), "| `a\\|https://y\\|b` |\n\\-`www.evil.example`\n`a` `https://y`\n");
    }

    #[test]
    fn text_begins_no_block() {
        for (text, written) in [
            ("# a", r"\# a"),
            ("  - a", r"\- a"),
            ("12. a", r"12\. a"),
            ("> a", r"\> a"),
            ("=", r"\="),
            ("12 a", "12 a"),
        ] {
            let mut page = MarkdownPage::default();
            page.line(&[prose(text)]);
            assert_eq!(page.finish(), format!("{written}\n"));
        }
    }

    #[test]
    fn code_ends_where_it_should() {
        let mut page = MarkdownPage::default();
        page.line(&[code("a`b"), mark(" "), code("`c|"), mark(" "), code("a\nb")]);
        page.row([code("a|b"), prose("a|b"), prose("")]);
        page.listing(["```".into(), "a\nb".into()]);
        assert_eq!(
            page.finish(),
            "``a`b`` `` `c| `` `a\\u000ab`\n| `a\\|b` | a\\|b | |\n````text\n```\na\\u000ab\n````\n"
        );
    }
}

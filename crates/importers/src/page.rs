//! The text of a web page.
//!
//! A page that was saved, or copied with its tags, has the output between `<pre>` and `</pre>`, with `<br>` for line ends, or as a table.
//! A row of a table is one line, however many lines of the page it takes; those after it are blank, so that lines keep their numbers.
//! Only tags that pages have are taken off: `<stdout>` and `->` stay, and XML that a tool wrote is left alone.

/// Tags after which a line ends.
const ENDING: [&str; 17] = [
    "br", "hr", "/p", "/div", "/li", "/tr", "/pre", "/h1", "/h2", "/h3", "/h4", "/title", "/table",
    "/caption", "/dt", "/dd", "/section",
];

/// Tags between the cells of a table. A bar stands for each, as in a table of Markdown, so that an empty cell remains one.
const PARTING: [&str; 2] = ["/td", "/th"];

/// Tags without a meaning for the text.
const SILENT: [&str; 57] = [
    "html",
    "/html",
    "head",
    "/head",
    "body",
    "/body",
    "title",
    "p",
    "div",
    "span",
    "/span",
    "pre",
    "code",
    "/code",
    "table",
    "tbody",
    "/tbody",
    "thead",
    "/thead",
    "tr",
    "td",
    "th",
    "ul",
    "/ul",
    "ol",
    "/ol",
    "li",
    "a",
    "/a",
    "img",
    "caption",
    "tfoot",
    "/tfoot",
    "colgroup",
    "/colgroup",
    "col",
    "section",
    "dl",
    "/dl",
    "dt",
    "dd",
    "i",
    "/i",
    "u",
    "/u",
    "h4",
    "b",
    "/b",
    "strong",
    "/strong",
    "em",
    "/em",
    "h1",
    "h2",
    "h3",
    "samp",
    "/samp",
];

/// Elements whose content is not text.
const HIDDEN: [&str; 2] = ["script", "style"];

/// Entities, and what they stand for.
const ENTITIES: [(&str, &str); 16] = [
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("ensp", " "),
    ("emsp", " "),
    ("plusmn", "±"),
    ("micro", "µ"),
    ("minus", "-"),
    ("ndash", "-"),
    ("mdash", "-"),
    ("rarr", "->"),
    ("larr", "←"),
    ("hellip", "..."),
    ("amp", "&"),
];

/// The longest tag, with its attributes.
const LONGEST_TAG: usize = 2000;

/// The longest name of an entity.
const LONGEST_ENTITY: usize = 8;

/// The text of a page without its tags; `None` if it is no page. Line ends of the page stay, so that lines keep their numbers
/// unless `<br>` alone parts them.
pub(crate) fn plain(page: &str) -> Option<String> {
    let is_page = |start: &str| page.contains(start);
    let is_xml = ["<?xml", "<topology", "<clpeak"].iter().any(|start| page.contains(start));
    if is_xml || !["<pre", "<br", "<div", "<p>", "<td", "<span", "<code", "<html"].into_iter().any(is_page) {
        return None;
    }
    let mut text = Plain { text: String::with_capacity(page.len()), row: None };
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        text.push(&rest[..start]);
        rest = &rest[start..];
        let Some((name, length)) = tag(rest) else {
            text.push("<");
            rest = &rest[1..];
            continue;
        };
        let inside = &rest[..length];
        rest = &rest[length..];
        // Tags may have line ends inside.
        text.end_lines(inside.matches('\n').count());
        if HIDDEN.contains(&name.as_str()) {
            let end = rest.find(&format!("</{name}")).unwrap_or(rest.len());
            text.end_lines(rest[..end].matches('\n').count());
            rest = &rest[end..];
        } else if name == "tr" {
            text.begin_row();
        } else if PARTING.contains(&name.as_str()) {
            text.push("|");
        } else if text.row.is_some() && (name == "/tr" || name == "/table") {
            text.end_row(ends_here(rest));
        } else if ENDING.contains(&name.as_str()) && !ends_here(rest) {
            text.push("\n");
        }
    }
    text.push(rest);
    text.end_row(true);
    Some(decoded(&text.text))
}

/// A page's text, while it is read.
struct Plain {
    text: String,
    /// The line ends inside the row of a table, which is one line: they follow it.
    row: Option<usize>,
}

impl Plain {
    fn push(&mut self, text: &str) {
        if self.row.is_some() {
            let ends = text.matches('\n').count();
            self.text.push_str(&text.replace(['\n', '\r'], " "));
            self.end_lines(ends);
        } else {
            self.text.push_str(text);
        }
    }

    fn end_lines(&mut self, count: usize) {
        match &mut self.row {
            Some(ends) => *ends += count,
            None => self.text.extend(std::iter::repeat_n('\n', count)),
        }
    }

    fn begin_row(&mut self) {
        self.end_row(false);
        self.row = Some(0);
    }

    /// Ends the row, with the line ends that it had; `ends` says whether the page itself ends the line.
    fn end_row(&mut self, ends: bool) {
        if let Some(count) = self.row.take() {
            let own = usize::from(!ends && count == 0);
            self.text.extend(std::iter::repeat_n('\n', count + own));
        }
    }
}

/// Whether the page itself ends the line: nothing but a few other tags follows.
fn ends_here(mut rest: &str) -> bool {
    const MOST_TAGS: usize = 8;
    for _ in 0..MOST_TAGS {
        let Some((_, length)) = tag(rest) else { break };
        rest = &rest[length..];
    }
    rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n")
}

/// The name of the tag that begins a text, in lower case, and its length; `None` if it is no tag of a page.
fn tag(text: &str) -> Option<(String, usize)> {
    let inside = text.strip_prefix('<')?;
    let end = inside.bytes().take(LONGEST_TAG).position(|one| one == b'>')?;
    let words = &inside[..end];
    let name = words.split([' ', '\t', '\n', '\r']).next()?.to_ascii_lowercase();
    let name = if name.len() > 1 { name.trim_end_matches('/').to_owned() } else { name };
    let bare = name.strip_prefix('/').unwrap_or(&name);
    let lists = [&ENDING[..], &PARTING, &SILENT, &HIDDEN];
    let is_known = lists.iter().any(|list| list.contains(&name.as_str())) || HIDDEN.contains(&bare);
    is_known.then_some((name, end + 2))
}

/// A text without entities (`&lt;`, `&#39;`).
pub(crate) fn decoded(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        plain.push_str(&rest[..start]);
        rest = &rest[start + 1..];
        let end = rest.bytes().take(LONGEST_ENTITY + 1).position(|one| one == b';');
        let name = end.map(|end| &rest[..end]);
        match name.and_then(|name| Some((name, entity(name)?))) {
            Some((name, meaning)) => {
                plain.push_str(&meaning);
                rest = &rest[name.len() + 1..];
            }
            None => plain.push('&'),
        }
    }
    plain.push_str(rest);
    plain
}

fn entity(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        let one = char::from_u32(code)?;
        return Some(if one == '\u{a0}' { " ".to_owned() } else { one.to_string() });
    }
    ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, meaning)| (*meaning).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read_as_a_browser_shows_them() {
        for (page, text) in [
            ("<pre><code>a\n b</code></pre>\n", "a\n b\n"),
            ("a<br>\nb<br/>c", "a\nb\nc"),
            ("<div>a</div>\n<div class=\"x\ny\">b</div>\n", "a\n\nb\n"),
            ("<tr><td>0</td><td>78.5</td></tr>\n", "0|78.5|\n"),
            ("<table><tr><td>0</td><td></td><td>78.5</td></tr><tr><th>1</th></tr></table>", "0||78.5|\n1|"),
            (
                "<tr>\n <td>0</td>\n <td>78.5</td>\n</tr>\n<tr>\n <td>1</td>\n</tr>\nx",
                "  0|  78.5| \n\n\n\n  1| \n\n\nx",
            ),
            ("<p>x</p>\n<script>\nvar a = 1 < 2;\n</script>\nL2-&gt;L2&nbsp;44", "x\n\n\n\nL2->L2 44"),
            ("<pre>[1,0]<stdout>:a &#177; b &amp;lt;", "[1,0]<stdout>:a ± b &lt;"),
        ] {
            assert_eq!(plain(page).as_deref(), Some(text), "{page}");
        }
    }

    #[test]
    fn texts_and_xml_are_no_pages() {
        for text in
            ["L2->L2 44 < 45", "<?xml version=\"1.0\"?>\n<topology><p>", "R&D; a & b", "<-- <== \u{e9}<é"]
        {
            assert_eq!(plain(text), None, "{text}");
            assert_eq!(decoded(text), text);
        }
    }
}

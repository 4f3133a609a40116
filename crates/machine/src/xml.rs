//! Text in XML.

/// Text as XML 1.0 can hold it: markup escaped, characters that it forbids replaced. For what stands between tags, and in attributes in
/// double quotes.
pub fn xml_text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'.. => safe.push(character),
            _ => safe.push('\u{fffd}'),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parser_reads_what_was_written() {
        let text = xml_text("a < b & \"c\" > \u{0}\u{ffff}\u{1b}");
        let written = format!("<t a=\"{text}\">{text}</t>");
        let tree = roxmltree::Document::parse(&written).unwrap();
        let expected = "a < b & \"c\" > \u{fffd}\u{fffd}\u{fffd}";
        assert_eq!(tree.root_element().text(), Some(expected));
        assert_eq!(tree.root_element().attribute("a"), Some(expected));
    }
}

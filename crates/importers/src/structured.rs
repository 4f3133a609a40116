//! JSON and XML inside texts.

use serde_json::Value;

use crate::cells::fields_by;
use crate::decimals::with_points;
use crate::lines::Text;
use crate::problem::Problem;

/// The JSON value that a text contains, if it begins like one: other lines may stand before it. The error names the line.
pub(crate) fn json(text: &mut Text) -> Result<Value, Problem> {
    let raw = text.raw().to_owned();
    let start = json_start(&raw)
        .ok_or_else(|| Problem::of_text("JSON", "text that does not begin with `{` or `[`"))?;
    let before = raw[..start].matches('\n').count();
    let mut values = serde_json::Deserializer::from_str(&raw[start..]).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => {
            let end = start + values.byte_offset();
            let last = raw[..end.min(raw.len())].matches('\n').count();
            (before..=last).for_each(|rank| text.mark(rank));
            Ok(value)
        }
        Some(Err(error)) => {
            let line = before + error.line();
            let found = raw.lines().nth(line.saturating_sub(1)).unwrap_or_default();
            let expected = if error.is_eof() { "more JSON: the text is cut off" } else { "JSON" };
            Err(Problem::at(line, expected, found))
        }
        None => Err(Problem::of_text("JSON", "nothing")),
    }
}

/// Where an object or an array opens: at the beginning of a line, or where source code assigns it (`let text = r#"{`).
pub(crate) fn json_start(raw: &str) -> Option<usize> {
    if !raw.contains(['{', '[']) {
        return None;
    }
    let mut at = 0;
    let mut lines = raw.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim_start_matches('\u{feff}').trim_start();
        let is_markup = ["{%", "{code", "{noformat"].iter().any(|mark| trimmed.starts_with(mark));
        let opens = trimmed.starts_with('{') && !is_markup;
        if opens
            || (trimmed.starts_with('[')
                && matches!(trimmed[1..].trim_start().chars().next(), None | Some('{' | '[')))
        {
            return Some(at + (line.len() - trimmed.len()));
        }
        let next = lines.peek().map_or("", |next| next.trim());
        let is_assigned = ["= {", "\"{", "'{", "`{", "({"].iter().any(|end| line.trim_end().ends_with(end));
        if is_assigned && next.starts_with('"') && next.contains("\":") {
            return Some(at + line.trim_end().len() - 1);
        }
        at += line.len();
    }
    None
}

/// The XML that a text contains, and the number of lines before it.
pub(crate) fn xml_of<'a>(raw: &'a str, root: &str) -> Option<(&'a str, usize)> {
    let declared = raw.find("<?xml");
    let rooted = raw.find(&format!("<{root}"))?;
    let start = declared.filter(|&at| at < rooted).unwrap_or(rooted);
    let end = format!("</{root}>");
    let stop = raw.rfind(&end).map_or(raw.len(), |at| at + end.len());
    (start < stop).then(|| (&raw[start..stop], raw[..start].matches('\n').count()))
}

/// A number, whether it is written as one or as text.
pub(crate) fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => crate::number::first_number(text).filter(|_| !text.trim().is_empty()),
        _ => None,
    }
}

/// The text of a member of an object.
pub(crate) fn text_of<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// Fields of a line, without quotation marks: separated by commas or, where the line has them, by semicolons; without either, by tabs.
/// Between semicolons, a number may have a comma for its point.
pub(crate) fn fields(line: &str) -> Vec<String> {
    let separator = separator(line);
    let decimal = |field: String| if separator == ';' { with_points(&field) } else { field };
    fields_by(line, separator).into_iter().map(decimal).collect()
}

/// Whether a line has fields.
pub(crate) fn has_fields(line: &str) -> bool {
    line.contains(separator(line))
}

/// A semicolon, if all commas of the line are inside numbers; else a comma or, without one, a tab.
fn separator(line: &str) -> char {
    let (mut quoted, mut semicolon, mut comma, mut decimal) = (false, false, false, true);
    let mut before = ' ';
    let mut rest = line.chars().peekable();
    while let Some(one) = rest.next() {
        quoted ^= one == '"';
        semicolon |= one == ';' && !quoted;
        if one == ',' && !quoted {
            let after = rest.peek().is_some_and(char::is_ascii_digit);
            comma = true;
            decimal &= before.is_ascii_digit() && after;
        }
        before = one;
    }
    match () {
        () if semicolon && decimal => ';',
        () if comma => ',',
        () => '\t',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_may_begin_behind_an_assignment() {
        let start = |text: &str| json_start(text).map(|at| text[at..at + 2].to_owned());
        assert_eq!(start("let text = r#\"{\n  \"a\": 1\n}\"#;\n"), Some("{\n".to_owned()));
        assert_eq!(start("x\n {\"a\": 1}\n"), Some("{\"".to_owned()));
        assert_eq!(start("fn main() {\n    print(\"a\");\n}\n"), None);
        assert_eq!(start("{% raw %}\nx = {\n  a: 1\n"), None);
    }

    #[test]
    fn fields_are_separated_as_spreadsheets_of_many_countries_do() {
        assert_eq!(fields("a,\"b, c\",1.5"), ["a", "b, c", "1.5"]);
        assert_eq!(fields("a;b c;1,5"), ["a", "b c", "1.5"]);
        assert_eq!(fields("a\tb, c\t1.5"), ["a\tb", "c\t1.5"]);
        assert_eq!(fields("a\t1.5"), ["a", "1.5"]);
        assert!(!has_fields("a b"));
    }
}

//! JSON and XML inside texts.

use serde_json::Value;

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

/// Where the first line begins that opens an object or an array.
pub(crate) fn json_start(raw: &str) -> Option<usize> {
    let mut at = 0;
    for line in raw.split_inclusive('\n') {
        let trimmed = line.trim_start_matches('\u{feff}').trim_start();
        let is_markup = ["{%", "{code", "{noformat"].iter().any(|mark| trimmed.starts_with(mark));
        let opens = trimmed.starts_with('{') && !is_markup;
        if opens
            || (trimmed.starts_with('[')
                && matches!(trimmed[1..].trim_start().chars().next(), None | Some('{' | '[')))
        {
            return Some(at + (line.len() - trimmed.len()));
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
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for one in line.chars() {
        match one {
            '"' => quoted = !quoted,
            one if one == separator && !quoted => fields.push(String::new()),
            one => {
                if let Some(field) = fields.last_mut() {
                    field.push(one);
                }
            }
        }
    }
    let decimal =
        |field: &str| if separator == ';' { with_points(field.trim()) } else { field.trim().to_owned() };
    fields.iter().map(|field| decimal(field)).collect()
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
    fn fields_are_separated_as_spreadsheets_of_many_countries_do() {
        assert_eq!(fields("a,\"b, c\",1.5"), ["a", "b, c", "1.5"]);
        assert_eq!(fields("a;b c;1,5"), ["a", "b c", "1.5"]);
        assert_eq!(fields("a\tb, c\t1.5"), ["a\tb", "c\t1.5"]);
        assert_eq!(fields("a\t1.5"), ["a", "1.5"]);
        assert!(!has_fields("a b"));
    }
}

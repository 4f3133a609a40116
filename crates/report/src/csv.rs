//! CSV (RFC 4180), of any document that has rows.
//!
//! Spreadsheets evaluate a field that begins like a formula. Such text gets an apostrophe before it, which spreadsheets take for "this is text";
//! numbers stay as they are. `docs/csv.md` says so.

use std::borrow::Cow;

use crate::table::{Column, Table, Values};

/// Columns of the CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Columns {
    /// Without coordinates that no row has: there are thirty, of which an experiment uses two to five.
    #[default]
    Filled,
    /// All of the document's.
    All,
}

/// A header line, then one line per row. Absent values are empty.
pub(crate) fn csv(table: &Table, columns: Columns) -> String {
    let is_shown = |column: &&Column| {
        columns == Columns::All || !column.may_be_left_out || !column.values.are_all_absent()
    };
    let shown: Vec<&Column> = table.columns.iter().filter(is_shown).collect();
    let mut text = String::new();
    push_row(&mut text, shown.iter().map(|column| written(&column.name)));
    for row in 0..table.rows() {
        push_row(&mut text, shown.iter().map(|column| field(&column.values, row)));
    }
    text
}

fn push_row(text: &mut String, fields: impl Iterator<Item = String>) {
    text.push_str(&fields.collect::<Vec<_>>().join(","));
    text.push('\n');
}

fn field(values: &Values, row: usize) -> String {
    let text = values.text(row);
    match values {
        Values::Counts(_) | Values::Ranks(_) | Values::Numbers(_) => text,
        Values::Words(_) | Values::Given(_) => written(&text),
    }
}

/// A text as a field: no formula, and quoted if necessary.
fn written(text: &str) -> String {
    let text = if is_formula(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into_owned()
    }
}

/// Whether a spreadsheet would evaluate a text: OWASP's list of first characters, and their wide forms, which some
/// spreadsheets take for the same. A number is none.
fn is_formula(text: &str) -> bool {
    let begins_so = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    begins_so && !text.parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_formula_and_numbers_stay_numbers() {
        let words = ["=1+1", "+a", "-a", "@a", "\ta", "\ra", "＝1", "a=1", "-3.5", "+7", "-inf", "-1+2"];
        let table = Table::new()
            .words("=head", words.iter().map(ToString::to_string))
            .numbers("number", words.iter().map(|_| Some(-1.5)))
            .given("given", words.iter().map(|word| Some((*word).to_owned())));
        let expected =
            ["'=1+1", "'+a", "'-a", "'@a", "'\ta", "\"'\ra\"", "'＝1", "a=1", "-3.5", "+7", "'-inf", "'-1+2"];
        let rows: String = expected.iter().map(|field| format!("{field},-1.5,{field}\n")).collect();
        assert_eq!(csv(&table, Columns::Filled), format!("'=head,number,given\n{rows}"));
    }
}

//! CSV (RFC 4180), of any document that has rows.

use crate::table::{Column, Table};

/// Which columns CSV has.
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
    push_row(&mut text, shown.iter().map(|column| column.name.clone()));
    for row in 0..table.rows() {
        push_row(&mut text, shown.iter().map(|column| column.values.text(row)));
    }
    text
}

fn push_row(text: &mut String, fields: impl Iterator<Item = String>) {
    text.push_str(&fields.map(|field| quoted(&field)).collect::<Vec<_>>().join(","));
    text.push('\n');
}

/// A field, quoted if necessary.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

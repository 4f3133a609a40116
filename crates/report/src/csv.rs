//! CSV (RFC 4180), of any document that has rows.

use crate::table::Table;

/// A header line, then one line per row. Absent values are empty.
pub(crate) fn csv(table: &Table) -> String {
    let mut text = String::new();
    push_row(&mut text, table.columns.iter().map(|column| column.name.clone()));
    for row in 0..table.rows() {
        push_row(&mut text, table.columns.iter().map(|column| column.values.text(row)));
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

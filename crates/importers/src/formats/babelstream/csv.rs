//! Comma-separated values of BabelStream, and those that scripts make of them.

use std::collections::BTreeSet;

use crate::labels::Labels;
use crate::lines::Text;
use crate::number::{Token, number};
use crate::problem::Problem;
use crate::structured::fields;

/// The columns of comma-separated values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Columns {
    names: Vec<String>,
    scale: f64,
    labels: Labels,
}

/// The columns of a head, in lower case. Scripts call the function a kernel, if there is a number of elements, too.
pub(super) fn columns(lower: &str) -> Option<Columns> {
    let names = fields(lower);
    let scale = names.iter().find_map(|name| scale_of(name))?;
    let has = |known: &str| names.iter().any(|name| name == known);
    let is_head = has("function") || has("phase") || has("kernel") && has("n_elements");
    is_head.then(|| Columns { names, scale, labels: Labels::default() })
}

/// The same of a line of a text, with what the rows below say of other columns.
pub(super) fn columns_of(text: &Text, rank: usize) -> Option<Columns> {
    let mut head = columns(&text.line(rank).to_ascii_lowercase())?;
    let below = (rank + 1..text.len()).map(|rank| text.line(rank));
    let below = below.take_while(|line| columns(&line.to_ascii_lowercase()).is_none());
    let rows: Vec<Vec<String>> = below.map(fields).filter(|row| row.len() == head.names.len()).collect();
    let names = ["function", "phase", "kernel", "n_elements", "sizeof"];
    let key = |row: &[String]| {
        names.iter().filter_map(|name| head.field(row, name)).map(str::to_owned).collect::<Vec<_>>()
    };
    head.labels = Labels::of(&head.names, is_known, &rows, key);
    Some(head)
}

/// Whether a column is BabelStream's own.
fn is_known(name: &str) -> bool {
    const KNOWN: [&str; 8] =
        ["function", "phase", "kernel", "num_times", "n_elements", "sizeof", "runtime", "_per_sec"];
    KNOWN.iter().any(|known| name.ends_with(known)) || scale_of(name).is_some()
}

impl Columns {
    fn field<'a>(&self, row: &'a [String], name: &str) -> Option<&'a str> {
        let column = self.names.iter().position(|known| known.ends_with(name))?;
        row.get(column).map(String::as_str)
    }

    /// The bytes of an array; elements are those of BabelStream's default, 8 bytes each, where no column says otherwise.
    fn bytes(&self, row: &[String]) -> Option<f64> {
        let value = |name| number(self.field(row, name)?);
        let has_width = self.names.iter().any(|name| name.ends_with("sizeof"));
        let width = if has_width { value("sizeof")? } else { 8.0 };
        Some(value("n_elements")? * width).filter(|bytes| row.len() == self.names.len() && *bytes >= 1.0)
    }

    /// The columns that people have added and that are no part of a result, in words; the head is the line of that number.
    pub(super) fn left_out(&self, number: usize) -> impl Iterator<Item = String> {
        self.labels.left_out(number)
    }
}

/// Decimal GB/s in the unit of a column of rates: `max_mbytes_per_sec`, for the triad alone `gbytes_per_sec`, and `mbps` of scripts.
fn scale_of(name: &str) -> Option<f64> {
    match name {
        "mbps" | "mb_s" => return Some(1e-3),
        "gbps" | "gb_s" => return Some(1.0),
        _ => {}
    }
    let unit = name.strip_suffix("_per_sec")?.rsplit('_').next()?;
    Some(match unit {
        "mbytes" | "mb" => 1e-3,
        "mibytes" | "mib" => 1.048_576e-3,
        "gbytes" | "gb" => 1.0,
        "gibytes" | "gib" => 1.073_741_824,
        _ => return None,
    })
}

/// Whether the rows of comma-separated values have arrays of several sizes.
pub(super) fn has_sizes(text: &Text) -> bool {
    let mut head: Option<Columns> = None;
    let mut sizes: BTreeSet<u64> = BTreeSet::new();
    for (_, line) in text.lines() {
        match columns(&line.to_ascii_lowercase()) {
            Some(columns) => head = Some(columns),
            None => sizes.extend(head.as_ref().and_then(|head| Some(head.bytes(&fields(line))? as u64))),
        }
    }
    sizes.len() > 1
}

/// A rate in GB/s, and the shortest, longest and mean time in s.
pub(super) type Rate = (f64, Vec<f64>);

/// A row: its kernel, its rate, the bytes of its arrays, and what added columns say of it.
pub(super) struct Row {
    pub(super) kernel: String,
    pub(super) rate: Rate,
    pub(super) bytes: Option<f64>,
    pub(super) case: Option<String>,
}

/// Reads a row; `None` for another table's.
///
/// # Errors
/// When it has a word for a rate.
pub(super) fn csv_row(columns: &Columns, line: &str, rank: usize) -> Result<Option<Row>, Problem> {
    let fields = fields(line);
    if fields.len() != columns.names.len() {
        return Ok(None);
    }
    let field = |name: &str| columns.field(&fields, name);
    let name = ["function", "phase", "kernel"].iter().find_map(|name| field(name));
    let Some(name) = name else { return Ok(None) };
    let rate = columns.names.iter().position(|name| scale_of(name).is_some()).and_then(|at| fields.get(at));
    let rate = rate.map_or("", String::as_str);
    let Token::Number(rate) = Token::of(rate) else {
        return Err(Problem::at(rank + 1, format!("the rate of {name} in the column of rates"), line));
    };
    let times = ["min_runtime", "max_runtime", "avg_runtime"].iter().map_while(|name| number(field(name)?));
    let rate = if columns.scale == 1e-3 { rate / 1e3 } else { rate * columns.scale };
    let case = columns.labels.case(&fields);
    Ok(Some(Row {
        kernel: name.to_owned(),
        rate: (rate, times.collect()),
        bytes: columns.bytes(&fields),
        case,
    }))
}

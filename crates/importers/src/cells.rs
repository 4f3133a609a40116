//! Lines of cells, as spreadsheets and scripts write a tool's columns: `Numa node,0,1`.
//!
//! Formats that read fields between commas themselves never come here. For the others, a text of cells gets tabs in place of its commas,
//! semicolons or bars, and `-` in place of empty cells between values, so that no value moves to another's column.

use crate::number::{Token, count};

/// Fewer rows than this are a coincidence.
const FEWEST: usize = 2;

/// The longest cell that is the name of a column, or a unit.
const LONGEST_NAME: usize = 48;

/// The lines with tabs between their cells; `None` if they are no text of cells.
pub(crate) fn with_tabs(lines: &[&str]) -> Option<Vec<String>> {
    [';', ',', '|'].into_iter().find_map(|separator| {
        let parted = lines.iter().filter(|line| line.contains(separator));
        let rows = parted.filter(|line| is_row(&fields_by(line, separator), line, separator));
        (rows.take(FEWEST).count() == FEWEST)
            .then(|| lines.iter().map(|line| joined(line, separator)).collect())
    })
}

fn joined(line: &str, separator: char) -> String {
    if !line.contains(separator) && !line.starts_with('"') {
        return line.to_owned();
    }
    let cells = fields_by(line, separator);
    let is_row = is_row(&cells, line, separator);
    let is_head = || is_tight(line, separator) && cells.iter().all(|cell| cell.len() <= LONGEST_NAME);
    let ends = || line.ends_with(separator) || line.starts_with('"') && line.ends_with('"');
    if !is_row && !is_head() && !ends() {
        return line.to_owned();
    }
    row(cells.iter().map(String::as_str))
}

/// Cells in a line, with a mark in place of the empty ones between values.
pub(crate) fn row<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let cells: Vec<&str> = cells.collect();
    let end = cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
    let start = cells.iter().position(|cell| !cell.is_empty()).unwrap_or(0).min(end);
    let inside = &cells[start..end];
    let values = inside.iter().skip(1).filter(|cell| !cell.is_empty());
    let is_row = start == 0 && values.clone().next().is_some() && values.clone().all(|cell| is_value(cell));
    // The head of a table has empty cells where the names of rows are.
    let is_head = inside.first().is_some_and(|first| first.contains(char::is_alphabetic))
        && values.clone().all(|cell| count(cell).is_some());
    let shown = inside.iter().map(|cell| if cell.is_empty() && is_row && !is_head { "-" } else { *cell });
    shown.collect::<Vec<_>>().join("\t")
}

/// Fields of a line between separators, without quotation marks and blanks around them.
pub(crate) fn fields_by(line: &str, separator: char) -> Vec<String> {
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
    fields.iter().map(|field| field.trim().to_owned()).collect()
}

fn is_value(cell: &str) -> bool {
    !cell.is_empty() && !Token::of(cell).is_word()
}

/// Whether cells are a row: a name or a number, and then values.
fn is_row(cells: &[String], line: &str, separator: char) -> bool {
    let Some((first, rest)) = cells.split_first() else { return false };
    let values = rest.iter().filter(|cell| is_value(cell)).count();
    let is_tight = is_tight(line, separator);
    let others_are_short =
        rest.iter().all(|cell| cell.is_empty() || is_value(cell) || is_tight && is_name(cell));
    values > 0 && others_are_short && is_label(first) && !has_thousands(line, separator)
}

/// Whether a cell names a row: prose, code and lists of CPUs do not.
fn is_label(cell: &str) -> bool {
    let last = cell.rsplit([':', '=', ' ', '\t']).next().unwrap_or_default();
    // `node 0 cpus: 0`, and `0  111`, the beginning of `0  111,388.0`.
    let is_listed = cell.contains([':', '=']) && is_value(last);
    let is_aligned = cell.starts_with(|one: char| one.is_ascii_digit()) && last != cell && is_value(last);
    let is_code =
        cell.contains(['{', '}', '[', ']', '%']) || cell.matches('(').count() != cell.matches(')').count();
    cell.len() <= LONGEST_NAME && !is_listed && !is_aligned && !is_code
}

/// Whether a cell is the name of a column, or a unit.
fn is_name(cell: &str) -> bool {
    cell.len() <= LONGEST_NAME
        && cell.split_whitespace().count() <= 5
        && !cell.contains(['{', '}', '[', ']', '='])
}

/// Whether no blank follows a separator, as in a file: prose has one. Bars are no signs of prose.
fn is_tight(line: &str, separator: char) -> bool {
    separator == '|' || line.contains(separator) && !line.contains(&format!("{separator} "))
}

/// Whether all separators of a line can be those of thousands, as in `ALL Reads: 190,909.3`.
fn has_thousands(line: &str, separator: char) -> bool {
    if separator != ',' {
        return false;
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let parts: Vec<&str> = line.split(',').collect();
    let is_group = |pair: &[&str]| {
        let before = pair[0].bytes().rev().take_while(u8::is_ascii_digit).count();
        (1..=3).contains(&before) && digits(pair[1]) == 3
    };
    // Without blanks, several groups are cells that have three digits each; and no number begins with `0,`.
    let may_be = line.contains(char::is_whitespace) || parts.len() == 2 && parts[0] != "0";
    parts.len() > 1 && may_be && parts.windows(2).all(is_group)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tabs(text: &str) -> Option<Vec<String>> {
        with_tabs(&text.lines().collect::<Vec<_>>())
    }

    #[test]
    fn files_of_cells_get_tabs() {
        for text in [
            "Numa node,0,1\n0,78.5,119.4\n1,120.8,76.6\n",
            "Numa node, 0, 1\n0, 78.5, 119.4\n1, 120.8, 76.6\n",
            "Numa node;0;1\n0;78.5;119.4\n1;120.8;76.6\n",
            "\"Numa node\",\"0\",\"1\"\n\"0\",\"78.5\",\"119.4\"\n\"1\",\"120.8\",\"76.6\"\n",
            "Numa node,0,1,,\n0,78.5,119.4,,\n1,120.8,76.6,,\n",
            "Numa node | 0 | 1\n0 | 78.5 | 119.4\n1 | 120.8 | 76.6\n",
        ] {
            assert_eq!(
                tabs(text).as_deref().unwrap(),
                ["Numa node\t0\t1", "0\t78.5\t119.4", "1\t120.8\t76.6"]
            );
        }
        let heads =
            tabs("Inject Delay,Latency (ns),Bandwidth (MB/s)\n0,281.5,271123.5\n2,280.5,270987.5\n").unwrap();
        assert_eq!(heads[0], "Inject Delay\tLatency (ns)\tBandwidth (MB/s)");
        let mixes = tabs("ALL Reads,271123.5,MB/s\n3:1 Reads-Writes,251123.5,MB/s\n").unwrap();
        assert_eq!(mixes[1], "3:1 Reads-Writes\t251123.5\tMB/s");
    }

    #[test]
    fn an_empty_cell_between_values_keeps_its_column() {
        let rows = tabs("Writer Numa Node,0,1,2\n0,,111.5,112.5\n1,113.5,,114.5\n").unwrap();
        assert_eq!(rows[1..], ["0\t-\t111.5\t112.5", "1\t113.5\t-\t114.5"]);
        assert_eq!(row(["", "0", "1"].into_iter()), "0\t1");
        assert_eq!(row(["Numa node", "", "0", "1"].into_iter()), "Numa node\t\t0\t1");
    }

    #[test]
    fn what_tools_print_has_commas_too() {
        for text in [
            "Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\nALL Reads: 190,909.3\n3:1 Reads-Writes : 182,249.5\n",
            "  0  111,388.0  51,085.7\n  1  51,085.7  111,388.0\n",
            "node 0 cpus: 0,1,2,3\nnode 1 cpus: 4,5,6,7\n",
            "NUMA node0 CPU(s):     0,4\nNUMA node1 CPU(s):     1,5\nNUMA node2 CPU(s): 2,6\n",
            "available: 3 nodes (0,2-3)\nOf 3 runs, 2 failed, 1 passed\nIn 2024, 5 nodes\n",
            "int a[] = { 0, 78, 119 };\nint b[] = { 1, 120, 76 };\n",
        ] {
            assert_eq!(tabs(text), None, "{text}");
        }
    }
}

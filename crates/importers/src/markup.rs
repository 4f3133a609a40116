//! Tables of AsciiDoc and of reStructuredText whose rows take several lines, or whose columns have no bars.
//!
//! A row becomes one line with bars, as in Markdown; the other lines that it takes are blank, so that lines keep their numbers.

/// The mark around a table of AsciiDoc.
const FENCE: &str = "|===";

/// A text without such tables; `None` if it has none.
pub(crate) fn plain(text: &str) -> Option<String> {
    // The last is the rule of a simple table.
    if ![FENCE, "list-table::", "csv-table::", "= "].into_iter().any(|mark| text.contains(mark)) {
        return None;
    }
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_changed =
        [ascii_doc, list_tables, csv_tables, simple_tables].map(|read| read(&mut lines)).contains(&true);
    if !is_changed {
        return None;
    }
    let mut plain = lines.join("\n");
    if text.ends_with('\n') {
        plain.push('\n');
    }
    Some(plain)
}

/// Writes rows, each as its cells with the ranks of their lines, in place of the lines that they take.
fn write(lines: &mut [String], rows: Vec<Vec<(usize, String)>>) -> bool {
    let is_changed = !rows.is_empty();
    for row in rows {
        let Some(&(first, _)) = row.first() else { continue };
        row.iter().for_each(|(rank, _)| lines[*rank].clear());
        let cells: Vec<&str> = row.iter().map(|(_, cell)| cell.trim()).collect();
        lines[first] = format!("| {} |", cells.join(" | "));
    }
    is_changed
}

/// Tables between `|===`, of which each line may be a cell.
fn ascii_doc(lines: &mut [String]) -> bool {
    let fences: Vec<usize> = (0..lines.len()).filter(|&rank| lines[rank].trim() == FENCE).collect();
    let mut is_changed = false;
    for pair in fences.chunks(2) {
        let end = pair.get(1).copied().unwrap_or(lines.len());
        let declared = pair[0].checked_sub(1).and_then(|before| columns(&lines[before]));
        is_changed |= table(lines, pair[0] + 1..end, declared);
    }
    is_changed
}

/// A column is not repeated more often than this.
const MOST_COLUMNS: usize = 1000;

/// The number of columns of `[cols="1,2*,1"]`.
fn columns(line: &str) -> Option<usize> {
    let (_, rest) = line.trim().strip_prefix('[')?.split_once("cols=")?;
    let (quoted, _) = rest.strip_prefix('"')?.split_once('"')?;
    let times = |text: &str| text.trim().parse().ok().filter(|&times| times <= MOST_COLUMNS);
    let count = |column: &str| column.split_once('*').map_or(Some(1), |(text, _)| times(text));
    quoted.split([',', ';']).map(count).sum()
}

fn table(lines: &mut [String], range: std::ops::Range<usize>, declared: Option<usize>) -> bool {
    // A cell's style may stand before its bar.
    const LONGEST_STYLE: usize = 4;
    let mut cells: Vec<(usize, String)> = Vec::new();
    let (mut of_first_line, mut of_first_part, mut is_parted) = (0, 0, false);
    for rank in range {
        let line = lines[rank].trim();
        let (before, rest) = line.split_once('|').unwrap_or((line, ""));
        let is_cell = line.contains('|') && before.len() <= LONGEST_STYLE && !before.contains(' ');
        if line.is_empty() {
            is_parted |= !cells.is_empty();
        } else if is_cell {
            let parts: Vec<&str> = rest.split('|').collect();
            of_first_line = if cells.is_empty() { parts.len() } else { of_first_line };
            of_first_part += if is_parted { 0 } else { parts.len() };
            cells.extend(parts.into_iter().map(|cell| (rank, cell.trim().to_owned())));
        } else if let Some((_, last)) = cells.last_mut() {
            last.push(' ');
            last.push_str(line);
        }
    }
    let of_first = if of_first_line > 1 { of_first_line } else { of_first_part };
    let columns = declared.unwrap_or(of_first);
    if columns < 2 || !cells.len().is_multiple_of(columns) {
        return false;
    }
    write(lines, cells.chunks(columns).map(<[_]>::to_vec).collect())
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The lines of a directive of reStructuredText: those that are indented more than it.
fn body(lines: &[String], start: usize) -> std::ops::Range<usize> {
    let own = indent(&lines[start]);
    let is_inside = |line: &String| line.trim().is_empty() || indent(line) > own;
    let end = (start + 1..lines.len()).find(|&rank| !is_inside(&lines[rank])).unwrap_or(lines.len());
    start + 1..end
}

/// `list-table`: a row begins with `* -`, a cell with `-`.
fn list_tables(lines: &mut [String]) -> bool {
    let starts: Vec<usize> = (0..lines.len()).filter(|&rank| lines[rank].contains("list-table::")).collect();
    let mut rows: Vec<Vec<(usize, String)>> = Vec::new();
    for start in starts {
        for rank in body(lines, start) {
            let line = lines[rank].trim();
            let after_star = line.strip_prefix('*').map(str::trim_start);
            let is_row = after_star.is_some_and(|rest| rest.starts_with('-'));
            let cell = after_star.filter(|_| is_row).unwrap_or(line).strip_prefix('-');
            let cell = cell.filter(|rest| rest.is_empty() || rest.starts_with(' '));
            match (cell, rows.last_mut()) {
                (Some(cell), _) if is_row => rows.push(vec![(rank, cell.to_owned())]),
                (Some(cell), Some(row)) => row.push((rank, cell.to_owned())),
                (None, Some(row)) if !line.is_empty() => {
                    if let Some((_, last)) = row.last_mut() {
                        last.push(' ');
                        last.push_str(line);
                    }
                }
                _ => {}
            }
        }
    }
    write(lines, rows)
}

/// `csv-table`: the head is an option.
fn csv_tables(lines: &mut [String]) -> bool {
    let starts: Vec<usize> = (0..lines.len()).filter(|&rank| lines[rank].contains("csv-table::")).collect();
    let mut rows = Vec::new();
    for start in starts {
        for rank in body(lines, start) {
            let line = lines[rank].trim();
            let is_option = line.starts_with(':') && !line.starts_with(":header:");
            let fields = crate::cells::fields_by(line.strip_prefix(":header:").unwrap_or(line), ',');
            if !line.is_empty() && !is_option && fields.len() > 1 {
                rows.push(fields.into_iter().map(|field| (rank, field)).collect());
            }
        }
    }
    write(lines, rows)
}

/// The columns of a rule `=====  =====`: where each begins, in characters.
fn rule(line: &str) -> Option<Vec<usize>> {
    let is_rule = line.contains('=') && line.chars().all(|one| one == '=' || one == ' ');
    let mut starts = Vec::new();
    let mut before = ' ';
    for (at, one) in line.trim_end().chars().enumerate() {
        if one == '=' && before == ' ' {
            starts.push(at);
        }
        before = one;
    }
    (is_rule && starts.len() > 1).then_some(starts)
}

/// Tables of which only rules of `=` show the columns.
fn simple_tables(lines: &mut [String]) -> bool {
    let rules: Vec<(usize, Vec<usize>)> =
        (0..lines.len()).filter_map(|rank| Some((rank, rule(&lines[rank])?))).collect();
    let mut rows = Vec::new();
    for pair in rules.windows(2).filter(|pair| pair[0].1 == pair[1].1) {
        for (rank, line) in lines.iter().enumerate().take(pair[1].0).skip(pair[0].0 + 1) {
            let row: Vec<char> = line.chars().collect();
            let starts = &pair[0].1;
            let end = |column: usize| starts.get(column + 1).map_or(row.len(), |&end| end.min(row.len()));
            let cell = |column: usize| -> String {
                row.get(starts[column]..end(column)).map(String::from_iter).unwrap_or_default()
            };
            if row.iter().any(|one| !one.is_whitespace()) {
                rows.push((0..starts.len()).map(|column| (rank, cell(column))).collect());
            }
        }
    }
    write(lines, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_several_lines_become_one() {
        for (text, found) in [
            (
                "[cols=\"3*\"]\n|===\n|Numa node\n|0\n|1\n\n|0\n|78.5\n|119.5\n|===\n",
                "[cols=\"3*\"]\n|===\n| Numa node | 0 | 1 |\n\n\n\n| 0 | 78.5 | 119.5 |\n\n\n|===\n",
            ),
            ("|===\n|Node |0\nh|0 |78.5\n|===\n", "|===\n| Node | 0 |\n| 0 | 78.5 |\n|===\n"),
            (
                ".. list-table:: Latency\n   :header-rows: 1\n\n   * - Node\n     - 0\n   * - 0\n     - 78.5\n       ns\nx\n",
                ".. list-table:: Latency\n   :header-rows: 1\n\n| Node | 0 |\n\n| 0 | 78.5 ns |\n\n       ns\nx\n",
            ),
            (
                ".. csv-table:: Latency\n   :header: \"Node\", \"0\"\n\n   0, 78.5\n",
                ".. csv-table:: Latency\n| Node | 0 |\n\n| 0 | 78.5 |\n",
            ),
            (
                "=========  ====\nNuma node     0\n=========  ====\n0          78.5\n=========  ====\n",
                "=========  ====\n| Numa node | 0 |\n=========  ====\n| 0 | 78.5 |\n=========  ====\n",
            ),
        ] {
            assert_eq!(plain(text).as_deref(), Some(found), "{text}");
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in
            ["==========\n 00000 281.5 1.5\n==========\n", "| 0 | 78.5 |\n", "|===\n|only\n|===\n", "* - a\n"]
        {
            assert_eq!(plain(text), None, "{text}");
        }
    }
}

//! CSV: a name and a value in each row.

use super::items::{Dump, DumpForm, Items};

/// Heads that columns of names have.
const NAMES: [&str; 6] = ["name", "attribute", "attributename", "setting", "key", "token"];

/// Heads that columns of values have, the first that is there being used.
const VALUES: [&str; 4] = ["currentvalue", "current value", "value", "current"];

pub(super) fn read(text: &str) -> Dump {
    let mut items = Items::default();
    let delimiter =
        [',', ';', '\t'].into_iter().max_by_key(|sign| text.matches(*sign).count()).unwrap_or(',');
    let mut rows =
        text.lines().filter(|line| !line.trim().is_empty()).map(|line| cells(line, delimiter)).peekable();
    let heads: Vec<String> =
        rows.peek().into_iter().flatten().map(|head| head.trim().to_lowercase()).collect();
    let column = |known: &[&str]| known.iter().find_map(|name| heads.iter().position(|head| head == name));
    let (names, values) = match (column(&NAMES), column(&VALUES)) {
        (Some(names), Some(values)) if names != values => {
            rows.next();
            (names, values)
        }
        _ => (0, 1),
    };
    for row in rows {
        match (row.get(names), row.get(values)) {
            (Some(name), Some(value)) => items.add(name, value, None),
            _ => items.other(),
        }
    }
    items.into_dump(DumpForm::Delimited)
}

/// The cells of a row; a delimiter between quotation marks belongs to its cell, and two marks in it are one.
fn cells(line: &str, delimiter: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let Some(cell) = cells.last_mut() else { break };
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            other if other == delimiter && !quoted => cells.push(String::new()),
            other => cell.push(other),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_their_heads() {
        let text =
            "Type;Attribute;Default;Value\nEnum;NumaNodesPerSocket;1;4\nEnum;\"A;B\";x;\"say \"\"y\"\"\"\n";
        let dump = read(text);
        assert_eq!(dump.form, DumpForm::Delimited);
        assert_eq!(dump.value("NumaNodesPerSocket"), Some("4"));
        assert_eq!(dump.items.len(), 1, "a name with a semicolon is none: {dump:?}");
    }

    #[test]
    fn without_heads_the_first_two_columns_count() {
        let dump = read("NumaNodesPerSocket,2\nSubNumaCluster,Disabled\n");
        assert_eq!((dump.items.len(), dump.value("SubNumaCluster")), (2, Some("Disabled")));
    }
}

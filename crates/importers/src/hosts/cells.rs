//! Hosts in the first column of a table that somebody made of the output of several.

use super::names::{is_host, is_label};
use super::{Collected, Parts};
use crate::lines::shown_lines;

/// Heads of a column of hosts.
const HEADS: [&str; 6] = ["host", "hostname", "server", "machine", "system", "computer"];

/// Heads of a column of output, which say nothing about it.
const OUTPUT: [&str; 5] = ["output", "result", "results", "stdout", "line"];

/// Words that, with a number, may name something else than a host: `node1` may be one, but nobody can tell.
const OTHERS: [&str; 6] = ["node", "numanode", "n", "s", "run", "test"];

/// The text by hosts, if it is a table with a host in each row: each has the head, and its own rows without the name.
pub(crate) fn by_cells(raw: &str) -> Option<Parts> {
    let lines = shown_lines(raw);
    let rows = lines.iter().enumerate().filter(|(_, line)| !is_blank(line));
    let rows: Vec<(usize, (&str, String))> =
        rows.map(|(rank, line)| Some((rank, apart(line)?))).collect::<Option<_>>()?;
    let (head, rows) = match rows.split_first()? {
        ((rank, (name, rest)), rows) if HEADS.contains(&name.to_ascii_lowercase().as_str()) => {
            (Some((*rank, rest)), rows)
        }
        _ => (None, rows.as_slice()),
    };
    let are_hosts =
        rows.iter().all(|(_, (name, _))| is_host(name) && (head.is_some() || is_surely_host(name)));
    if !are_hosts {
        return None;
    }
    let is_silent = |rest: &str| OUTPUT.contains(&rest.to_ascii_lowercase().as_str());
    let mut found = Collected::default();
    for (rank, (name, rest)) in rows {
        if let Some((rank, head)) = head.filter(|(_, head)| !is_silent(head))
            && !found.places.contains_key(*name)
        {
            found.add(name, rank, head);
        }
        found.add(name, *rank, rest);
    }
    (found.hosts.len() > 1).then(|| Parts { is_thin: head.is_none(), ..found.finish(false) })
}

/// Whether a line is empty, or a rule below a head.
fn is_blank(line: &str) -> bool {
    line.chars().all(|one| one.is_whitespace() || matches!(one, '|' | '-' | ':' | '+' | '='))
}

/// The first cell of a row, and those behind it, between tabs.
fn apart(line: &str) -> Option<(&str, String)> {
    let line = line.trim();
    let (line, separator) = match line.strip_prefix('|') {
        Some(row) => (row.trim_end_matches('|'), '|'),
        None => (line, ['\t', ';', ','].into_iter().find(|&separator| line.contains(separator))?),
    };
    let mut cells = line.split(separator).map(|cell| cell.trim_matches([' ', '"', '`', '*']));
    let name = cells.next()?;
    let rest: Vec<&str> = cells.collect();
    (!rest.is_empty()).then(|| (name, rest.join("\t")))
}

/// Whether a name has a number, and is not that of a part of a machine: `node07` is a host.
fn is_surely_host(name: &str) -> bool {
    let word = name.trim_end_matches(|one: char| one.is_ascii_digit());
    let number = &name[word.len()..];
    let word = word.trim_end_matches(['-', '_']).to_ascii_lowercase();
    let is_part = OTHERS.contains(&word.as_str()) || is_label(&word);
    let is_padded = number.len() > 1 && number.starts_with('0');
    name.contains(char::is_alphabetic)
        && name.contains(|one: char| one.is_ascii_digit())
        && (!is_part || is_padded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(raw: &str) -> Option<Vec<(String, String)>> {
        let parts = by_cells(raw)?;
        Some(parts.of_hosts().map(|(host, part)| (host.to_owned(), part.text)).collect())
    }

    #[test]
    fn a_head_is_every_hosts_and_rows_are_their_own() {
        let both = |one: &str, two: &str| {
            Some(vec![("n1".to_owned(), one.to_owned()), ("h-2".to_owned(), two.to_owned())])
        };
        let table = "| Host | a | b |\n|---|---|---|\n| n1 | 1 | 2 |\n| h-2 | 3 | 4 |\n";
        assert_eq!(hosts(table), both("a\tb\n\n1\t2", "a\tb\n\n\n3\t4"));
        assert_eq!(hosts("host,result\nn1,x: 1\nh-2,x: 2\n"), both("\nx: 1", "\n\nx: 2"));
        assert_eq!(hosts("r2-n07\tx: 1\nr2-n08\tx: 2\n").map(|hosts| hosts.len()), Some(2));
    }

    #[test]
    fn parts_of_a_machine_are_no_hosts() {
        for text in
            ["node0\t81.2\nnode1\t131.5\n", "0,81.2\n1,131.5\n", "a,1\nb,2\n", "node07,1\n", "x\ny\n", ""]
        {
            assert_eq!(hosts(text), None, "{text}");
        }
    }
}

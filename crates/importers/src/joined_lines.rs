//! Matrices and nodes whose lines were joined: a form or a chat takes the ends of lines off what is pasted into it.
//!
//! The head's columns and the labels of rows show where each line began: `Numa node 0 1 0 81.2 130.2 1 130.2 81.1`. A line is only taken
//! apart if all its labels are where they must be.

mod nodes;

use crate::lines::split;
use crate::number::{count, number};

/// What begins a block of Intel MLC.
const HEADING: &str = "Measuring ";

/// The text with such lines taken apart; `None` if it has none.
pub(crate) fn apart(text: &str) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    let is_possible = |word: &&str| text.contains(word) || text.contains(&word.to_ascii_uppercase());
    // Words of heads, but for their first letters.
    if !["ode", "ocket"].iter().any(is_possible) {
        return None;
    }
    let (mut found, mut columns) = (false, None);
    let has_nodes_apart = split(text).any(nodes::is_cpus);
    for line in split(text) {
        let below = |columns| rows(&line.split_whitespace().collect::<Vec<_>>(), columns, 2);
        let parted = blocks(line)
            .or_else(|| below(columns?))
            .or_else(|| nodes::apart(line).filter(|_| !has_nodes_apart));
        found |= parted.is_some();
        if !line.trim().is_empty() {
            columns = head(line);
        }
        lines.extend(parted.unwrap_or_else(|| vec![line.to_owned()]));
    }
    // A text of one line is not split at its end.
    let end =
        if text.ends_with('\n') && lines.last().is_some_and(|line| !line.is_empty()) { "\n" } else { "" };
    found.then(|| lines.join("\n") + end)
}

/// The lines of a line that holds at least one matrix with its head.
fn blocks(line: &str) -> Option<Vec<String>> {
    let mut starts: Vec<usize> = line.match_indices(HEADING).map(|(at, _)| at).collect();
    starts.insert(0, 0);
    starts.push(line.len());
    let parts = starts.windows(2).map(|ends| &line[ends[0]..ends[1]]).filter(|part| !part.trim().is_empty());
    let (mut lines, mut found) = (Vec::new(), false);
    for part in parts {
        match block(part) {
            Some(parted) => {
                found = true;
                lines.extend(parted);
            }
            None => lines.push(part.to_owned()),
        }
    }
    found.then_some(lines)
}

/// Whether a word stands before the columns of a head.
fn is_title(word: &str) -> bool {
    ["node", "socket"].contains(&word.to_ascii_lowercase().as_str())
}

/// What stands before a matrix, its head, its rows, and what stands behind it.
fn block(part: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = part.split_whitespace().collect();
    let first = words.iter().rposition(|word| is_title(word))? + 1;
    let end =
        words[first..].iter().position(|word| number(word).is_none()).map_or(words.len(), |at| first + at);
    let numbers = &words[first..end];
    let columns =
        numbers.iter().enumerate().take_while(|(rank, word)| count(word) == Some(*rank as u64)).count();
    let rows = rows(&numbers[columns..], columns, 1)?;
    // `Numa node Numa node`: the title of the columns, and that of the rows.
    let title = words[..first].iter().rposition(|word| !is_title(word) && !word.eq_ignore_ascii_case("numa"));
    let title = title.map_or(0, |at| at + 1);
    let lines = [
        words[..title].join(" "),
        format!("{} {}", words[title..first].join(" "), numbers[..columns].join(" ")),
    ];
    let all = lines.into_iter().chain(rows).chain([words[end..].join(" ")]);
    Some(all.filter(|line| !line.trim().is_empty()).collect())
}

/// The columns of a head that stands alone.
fn head(line: &str) -> Option<usize> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let first = words.iter().rposition(|word| is_title(word))? + 1;
    let columns = &words[first..];
    let ascend = columns.iter().enumerate().all(|(rank, word)| count(word) == Some(rank as u64));
    (ascend && !columns.is_empty()).then_some(columns.len())
}

/// Rows of as many values as columns that stand in one line, each behind its label: at least so many, and no more than columns.
fn rows(words: &[&str], columns: usize, least: usize) -> Option<Vec<String>> {
    let width = columns + 1;
    let is_row = |(rank, row): (usize, &[&str])| {
        count(row[0]) == Some(rank as u64) && row[1..].iter().all(|word| number(word).is_some())
    };
    let is_whole = words.len().is_multiple_of(width) && (least..=columns).contains(&(words.len() / width));
    (is_whole && words.chunks(width).enumerate().all(is_row))
        .then(|| words.chunks(width).map(|row| row.join(" ")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart_where_labels_stand_and_only_there() {
        let line =
            "Measuring idle latencies (in ns)... Numa node Numa node 0 1 0 81.5 130.5 1 130.5 81.5 $ exit";
        assert_eq!(
            apart(line).as_deref(),
            Some(
                "Measuring idle latencies (in ns)...\nNuma node Numa node 0 1\n0 81.5 130.5\n1 130.5 81.5\n$ exit"
            )
        );
        assert_eq!(apart("Numa node 0 0 81.5\n").as_deref(), Some("Numa node 0\n0 81.5\n"));
        let below_head = "Numa node 0 1\n0 81.5 130.5 1 130.5 81.5\n";
        assert_eq!(apart(below_head).as_deref(), Some("Numa node 0 1\n0 81.5 130.5\n1 130.5 81.5\n"));
        for whole in [
            "Numa node 0 1\n0 81.5 130.5\n1 130.5 81.5\n",
            // A value is missing, a label is another one.
            "Numa node 0 1 0 81.5 130.5 1 130.5",
            "Numa node 0 1 0 81.5 130.5 2 130.5 81.5",
            "0 81.5 130.5 1 130.5 81.5",
            "node distances: node 0 1 0: 10 21 1: 21 10",
        ] {
            assert_eq!(apart(whole), None, "{whole}");
        }
    }
}

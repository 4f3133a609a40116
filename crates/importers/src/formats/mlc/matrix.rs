//! Matrices: heads, and rows whose blanks may be lost.

use zerohop_result::{Coordinate, Measure};

use super::unit;
use crate::number::{Token, count, glued, is_remark, number};

/// A line of a matrix's head.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Head {
    /// Words alone: `Numa node` above the columns.
    Title(Side),
    /// The columns, and what the rows are.
    Columns(Side, Vec<Coordinate>),
}

/// What the places of a head are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Nodes,
    Sockets,
    Cpus,
    /// Persistent memory, by its directory.
    Drive,
    /// The node that has written a line.
    Writers,
    /// Nodes whose memory is read, by those of the columns.
    Memory,
}

/// Words with which a head begins, the longest first.
const TITLES: [(&str, Side); 12] = [
    ("writer numa node", Side::Writers),
    ("reader numa node", Side::Nodes),
    // Where the operating system shows no nodes.
    ("writer socket", Side::Writers),
    ("reader socket", Side::Nodes),
    ("memory node", Side::Nodes),
    ("mem node", Side::Nodes),
    ("numa node", Side::Nodes),
    ("numa_node", Side::Nodes),
    ("scm drive", Side::Drive),
    ("socket", Side::Sockets),
    ("core", Side::Cpus),
    ("cpu", Side::Cpus),
];

/// Columns that people add behind those of nodes: they are computed from these.
const SUMMARIES: [&str; 8] = ["avg", "average", "mean", "median", "min", "max", "sum", "total"];

/// Whether a column is no place, but computed from those that are.
pub(super) fn is_summary(column: &Coordinate) -> bool {
    matches!(column, Coordinate::Word(name) if SUMMARIES.contains(&name.as_str()))
}

/// The columns of a line onto which a terminal wrapped the head: whole numbers that go on where the head ends.
pub(super) fn next_columns(line: &str, known: &[Coordinate]) -> Option<Vec<Coordinate>> {
    let Some(Coordinate::Number(last)) = known.last() else { return None };
    let numbers: Vec<u64> = line.split_whitespace().map(count).collect::<Option<_>>()?;
    let goes_on = numbers.iter().zip(last + 1..).all(|(&number, next)| number == next);
    (known.len() > 1 && !numbers.is_empty() && goes_on)
        .then(|| numbers.into_iter().map(Coordinate::Number).collect())
}

impl Head {
    /// Reads a line; `drive` tells that the title before named a drive, so that the column is a directory.
    pub(super) fn of(line: &str, drive: bool) -> Option<Self> {
        if let Some(nodes) = nodes_of_cells(line) {
            let side = if is_by_memory(line) { Side::Memory } else { Side::Nodes };
            return Some(Self::Columns(side, nodes.into_iter().map(Coordinate::Number).collect()));
        }
        let lower = line.to_ascii_lowercase();
        let titled = |rest: &'_ str| {
            let rest = rest.trim_start();
            let title = TITLES.into_iter().find(|(words, _)| rest.starts_with(words));
            title.map(|(words, side)| (words.len() + lower.len() - rest.len(), side))
        };
        let (mut end, side) = titled(&lower)?;
        // A head may be doubled: one above each column.
        while let Some((next, _)) = titled(&lower[end..]) {
            end = next;
        }
        let rest = &lower[end..];
        let names: Vec<&str> = rest.split_whitespace().collect();
        if names.is_empty() {
            return Some(Self::Title(side));
        }
        if side == Side::Drive || drive && names.len() == 1 && count(names[0]).is_none() {
            let directory = line.split_whitespace().last().unwrap_or_default();
            return Some(Self::Columns(side, vec![Coordinate::Word(directory.to_owned())]));
        }
        let summaries = names.iter().rev().take_while(|name| SUMMARIES.contains(name)).count();
        let (names, summaries) = names.split_at(names.len() - summaries);
        let numbers: Vec<u64> = names.iter().map(|name| count(name)).collect::<Option<_>>()?;
        if numbers.iter().any(|&number| number > 100_000) && names.len() > 1 {
            return None;
        }
        let mut columns: Vec<Coordinate> = match names {
            [] => return None,
            [digits] if digits.len() > 1 && digits.starts_with('0') => ascending(digits)?,
            _ => numbers.into_iter().map(Coordinate::Number).collect(),
        };
        columns.extend(summaries.iter().map(|&name| Coordinate::from(name)));
        Some(Self::Columns(side, columns))
    }
}

/// The nodes of a head of a table that somebody typed: cells `Node 0`, `Node 1`, perhaps behind a corner.
pub(super) fn nodes_of_cells(line: &str) -> Option<Vec<u64>> {
    let node = |cell: &str| {
        let lower = cell.trim().to_ascii_lowercase();
        let words = ["numa node", "memory node", "mem node", "numa", "node"];
        let number = words.iter().find_map(|word| lower.strip_prefix(word))?;
        count(number.trim_start_matches([' ', '#', '-']))
    };
    // Behind a title in the corner, several blanks part cells, too; without one, the table may be of counters.
    let lower = line.to_ascii_lowercase();
    let is_titled = lower.contains("latency") || lower.contains("bandwidth");
    let cells: Vec<&str> = if line.contains('\t') || !is_titled {
        line.split('\t').collect()
    } else {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
    };
    let corner = usize::from(cells.first().is_some_and(|cell| node(cell).is_none()));
    let nodes: Vec<u64> = cells[corner..].iter().map(|cell| node(cell)).collect::<Option<_>>()?;
    (nodes.len() > 1).then_some(nodes)
}

/// Whether the corner of a table says that rows are memory and columns those who read it: `mem \ cpu`, `to / from`.
fn is_by_memory(line: &str) -> bool {
    const MEMORY: [&str; 7] = ["mem", "memory", "target", "to", "dst", "dest", "destination"];
    const READERS: [&str; 7] = ["cpu", "core", "initiator", "from", "src", "source", "thread"];
    let corner = line.split('\t').next().unwrap_or_default().to_ascii_lowercase();
    let words: Vec<&str> = corner.split(|one: char| !one.is_alphabetic()).collect();
    let first = |list: &[&str]| words.iter().position(|word| list.contains(word));
    matches!((first(&MEMORY), first(&READERS)), (Some(memory), Some(readers)) if memory < readers)
}

/// Whether two lines of a head say that columns are those who read, and rows the memory: `CPU node` above `Memory node 0 1`.
pub(super) fn is_by_memory_below(title: &str, line: &str) -> bool {
    const READERS: [&str; 6] = ["cpu", "core", "initiator", "reader", "requester", "thread"];
    const MEMORY: [&str; 3] = ["memory", "mem", "target"];
    const PLACES: [&str; 3] = ["node", "numa", "socket"];
    let (title, line) = (title.to_ascii_lowercase(), line.to_ascii_lowercase());
    let mut words = title.split_whitespace().map(|word| word.trim_end_matches(['s', ':']));
    let is_title = words.clone().all(|word| READERS.contains(&word) || PLACES.contains(&word));
    is_title
        && words.any(|word| READERS.contains(&word))
        && line.split_whitespace().next().is_some_and(|word| MEMORY.contains(&word))
}

/// Whether a line is numbers from 0 upwards alone: the head of a matrix that somebody typed, if a title above it says so.
pub(super) fn is_bare_head(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.len() > 1 && words.iter().enumerate().all(|(rank, word)| count(word) == Some(rank as u64))
}

/// What a matrix of nodes holds, according to the title above it, in lower case.
pub(super) fn titled(lower: &str) -> Option<Measure> {
    let is_of_nodes = lower.contains("matrix") && (lower.contains("numa") || lower.contains("node"));
    match () {
        () if is_of_nodes && lower.contains("bandwidth") => Some(Measure::Bandwidth),
        () if is_of_nodes && lower.contains("latenc") => Some(Measure::Latency),
        () => None,
    }
}

/// `0123`: columns that lost their blanks.
fn ascending(digits: &str) -> Option<Vec<Coordinate>> {
    let numbers = digits.chars().map(|digit| digit.to_digit(10).map(u64::from));
    let numbers: Vec<u64> = numbers.collect::<Option<_>>()?;
    let consecutive = numbers.iter().enumerate().all(|(rank, &number)| number == rank as u64);
    consecutive.then(|| numbers.into_iter().map(Coordinate::Number).collect())
}

/// A row of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) label: u64,
    pub(super) tokens: Vec<Token>,
}

/// What a line is in a matrix.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    Row(Row),
    /// A row with a word where a value should be.
    Broken(String),
    /// A head whose rows stand in the same line, and do not fit it.
    Joined,
    Other,
}

/// Reads a line as a row. `columns` is the number of columns, if it is known, and `expected` the label that would be next.
pub(super) fn entry(line: &str, columns: Option<usize>, expected: Option<u64>) -> Entry {
    // Some people name the node in front of its row.
    let named = |word: &&str| ["node", "numa", "socket"].contains(&word.to_ascii_lowercase().as_str());
    let mut words: Vec<&str> = line.split_whitespace().skip_while(named).collect();
    // `Node-0`.
    let names_node =
        |word: &str| word.get(.."node-".len()).is_some_and(|start| start.eq_ignore_ascii_case("node-"));
    if let Some(first) = words.first_mut().filter(|first| names_node(first)) {
        *first = &first["node-".len()..];
    }
    let Some(first) = words.first() else { return Entry::Other };
    let numbers_columns = words.iter().zip(0..).take(2).all(|(word, rank)| count(word) == Some(rank));
    if columns.is_none()
        && line.split_whitespace().next().is_some_and(|word| named(&word))
        && numbers_columns
        && words.len() > 2
    {
        return Entry::Joined;
    }
    let label = count(first.trim_end_matches(':')).filter(|_| first.len() <= 6);
    if let Some(label) = label {
        let is_aside = |word: &str| unit::is_unit(word) || is_share(word);
        let values = words[1..].iter().filter(|word| !is_aside(word)).map(|word| unit::without(word));
        let values: Vec<&str> = values.flat_map(apart).collect();
        let end = columns.filter(|&end| values.get(end).is_some_and(|word| is_remark(word)));
        let values = &values[..end.unwrap_or(values.len())];
        if values.is_empty() {
            return Entry::Other;
        }
        let tokens: Vec<Token> = values.iter().map(|value| Token::of_value(value)).collect();
        return match tokens.iter().position(|token| token.is_word()) {
            None => Entry::Row(Row { label, tokens }),
            // Prose may begin with a number, too: a row has other numbers, or is the next one of a single column.
            Some(at)
                if columns == Some(tokens.len())
                    && (expected == Some(label) && tokens.len() == 1
                        || tokens.iter().any(|token| !token.is_word())) =>
            {
                Entry::Broken(values[at].to_owned())
            }
            Some(_) => Entry::Other,
        };
    }
    // The label has lost its blanks too.
    let joined: String = words.concat();
    let Some(label) = expected else { return Entry::Other };
    let Some(rest) = joined.strip_prefix(&label.to_string()) else { return Entry::Other };
    match glued(rest, 1) {
        Some(values) if columns.is_none_or(|columns| values.len() == columns) => {
            let tokens = values.iter().map(|value| Token::of(value)).collect();
            Entry::Row(Row { label, tokens })
        }
        _ => Entry::Other,
    }
}

/// A row of bandwidths with blanks between thousands. Latencies have none, and pairs of values in their cells look alike.
pub(super) fn grouped(line: &str, columns: Option<usize>) -> Option<Row> {
    let mut words = line.split_whitespace();
    let label = count(words.next()?.trim_end_matches(':'))?;
    let tokens = in_groups(&words.collect::<Vec<_>>(), columns?)?;
    Some(Row { label, tokens })
}

/// Values with blanks between thousands, in a row of so many columns: `122 097 51 327.5` in two. `None` unless every value has as many
/// groups as the others, since nobody could tell where one ends.
fn in_groups(words: &[&str], columns: usize) -> Option<Vec<Token>> {
    let groups =
        words.len().checked_div(columns).filter(|&groups| groups > 1 && groups * columns == words.len())?;
    let is_digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let value = |words: &[&str]| {
        let (first, rest) = words.split_first()?;
        let (last, middle) = rest.split_last()?;
        let (whole, fraction) = last.split_once('.').unwrap_or((last, "0"));
        let is_group = |word: &&str| word.len() == 3 && is_digits(word);
        let is_first = (1..=3).contains(&first.len()) && is_digits(first) && !first.starts_with('0');
        (is_first && middle.iter().all(is_group) && is_group(&whole) && is_digits(fraction))
            .then(|| Token::of(&words.concat()))
    };
    words.chunks(groups).map(value).collect()
}

/// Whether a word is a share behind a value: `(171%)`.
fn is_share(word: &str) -> bool {
    let inside = word.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inside.is_some_and(|inside| {
        inside.ends_with('%') || inside.ends_with('x') && number(inside.trim_end_matches('x')).is_some()
    })
}

/// A word that is several values without blanks, taken apart.
fn apart(word: &str) -> Vec<&str> {
    if word.matches('.').count() < 2 {
        return vec![word];
    }
    glued(word, 1).unwrap_or_else(|| vec![word])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(row: &str, columns: usize, next: u64) -> Option<(u64, Vec<f64>)> {
        match entry(row, Some(columns), Some(next)) {
            Entry::Row(Row { label, tokens }) => {
                let values = tokens.into_iter().map(|token| match token {
                    Token::Number(number) => number,
                    _ => f64::NAN,
                });
                Some((label, values.collect()))
            }
            _ => None,
        }
    }

    #[test]
    fn rows_without_blanks_are_taken_apart() {
        assert_eq!(numbers("0 78.5 119.4", 2, 0), Some((0, vec![78.5, 119.4])));
        assert_eq!(numbers("1 120.876.6", 2, 1), Some((1, vec![120.8, 76.6])));
        assert_eq!(numbers("1111388.051085.7", 2, 1), Some((1, vec![111_388.0, 51085.7])));
        assert_eq!(numbers("078.5119.4", 2, 0), Some((0, vec![78.5, 119.4])));
        assert_eq!(numbers("0: 10 21", 2, 0), Some((0, vec![10.0, 21.0])));
        assert_eq!(numbers("Node 1 120.8 76.6", 2, 1), Some((1, vec![120.8, 76.6])));
        assert_eq!(numbers("1 120.8 76.6  <- own", 2, 1), Some((1, vec![120.8, 76.6])));
        assert_eq!(numbers("1 120.8 76.6 (own)", 2, 1), Some((1, vec![120.8, 76.6])));
        assert_eq!(numbers("1 120.8 ns 76.6ns", 2, 1), Some((1, vec![120.8, 76.6])));
        assert_eq!(numbers("1 120.8 (171%) 76.6* (1.0x)", 2, 1), Some((1, vec![120.8, 76.6])));
        let tokens = vec![Token::Number(122_097.0), Token::Number(51_327.5)];
        assert_eq!(grouped("1 122 097 51 327.5", Some(2)), Some(Row { label: 1, tokens }));
        assert_eq!(numbers("1 122.1k 51K", 2, 1), Some((1, vec![122_100.0, 51_000.0])));
        assert_eq!(in_groups(&["122", "097", "900", "51"], 2), None, "900 ends nowhere");
        assert_eq!(numbers("node 1 cpus: 4 5", 2, 1), None);
        assert_eq!(numbers("see table 2", 2, 0), None);
    }

    #[test]
    fn a_word_in_a_row_is_a_fault() {
        assert_eq!(entry("0 78.5 hello", Some(2), Some(0)), Entry::Broken("hello".to_owned()));
        assert_eq!(entry("2 sockets with 16 cores", Some(2), Some(0)), Entry::Other);
        assert_eq!(entry("1 is slow", Some(2), Some(2)), Entry::Other);
        assert_eq!(entry("2 threads each", Some(2), Some(2)), Entry::Other);
    }

    #[test]
    fn heads_are_read_in_every_spelling() {
        let columns = |numbers: &[u64]| numbers.iter().copied().map(Coordinate::Number).collect::<Vec<_>>();
        for (line, head) in [
            ("Numa node", Head::Title(Side::Nodes)),
            ("Numa node   Numa node", Head::Title(Side::Nodes)),
            ("Memory node", Head::Title(Side::Nodes)),
            ("Numa node            0       1", Head::Columns(Side::Nodes, columns(&[0, 1]))),
            ("Numa node0123", Head::Columns(Side::Nodes, columns(&[0, 1, 2, 3]))),
            ("Socket\t     0\t     1", Head::Columns(Side::Sockets, columns(&[0, 1]))),
            ("CPU\t     0", Head::Columns(Side::Cpus, columns(&[0]))),
            ("Writer Numa Node     0\t     2", Head::Columns(Side::Writers, columns(&[0, 2]))),
            ("Writer Socket\t     0\t     1", Head::Columns(Side::Writers, columns(&[0, 1]))),
            ("Reader Socket", Head::Title(Side::Nodes)),
            ("Node 0\tNode 2", Head::Columns(Side::Nodes, columns(&[0, 2]))),
            ("Latency (ns)\tNUMA 0\tNUMA 1", Head::Columns(Side::Nodes, columns(&[0, 1]))),
            ("cpu \\ mem\tnode 0\tnode 1", Head::Columns(Side::Nodes, columns(&[0, 1]))),
            ("mem \\ cpu\tnode 0\tnode 1", Head::Columns(Side::Memory, columns(&[0, 1]))),
            (
                "Numa node\t0\t1\tAvg",
                Head::Columns(Side::Nodes, [columns(&[0, 1]), vec!["avg".into()]].concat()),
            ),
        ] {
            assert_eq!(Head::of(line, false), Some(head), "{line}");
        }
        assert_eq!(Head::of("Numa node 0 to Numa node 1: 146.8 ns", false), None);
        let drive = Head::Columns(Side::Sockets, vec!["/mnt/pmem0".into()]);
        assert_eq!(Head::of("Socket\t/mnt/pmem0", true), Some(drive));
    }
}

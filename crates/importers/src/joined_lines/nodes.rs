//! The lines of `numactl --hardware` that a mailer joined: `available: 1 nodes (0) node 0 cpus: 0 node 0 size: 16222 MB`.

use crate::number::count;

/// Fewer fields than this in a line are those of one line.
const FEWEST: usize = 2;

/// Whether a line begins with the CPUs of a node: lines of such a text are not joined.
pub(super) fn is_cpus(line: &str) -> bool {
    // Mail quotes it.
    let mut words = line.trim_start_matches(['>', '#', ' ', '\t']).split_whitespace();
    let first = [words.next(), words.next(), words.next()];
    matches!(first, [Some("node"), Some(node), Some("cpus:")] if count(node).is_some())
}

/// The lines of a line that holds several; `None` if it is one.
pub(super) fn apart(line: &str) -> Option<Vec<String>> {
    if !line.contains("node ") || !["cpus:", "size:", "free:"].iter().any(|field| line.contains(field)) {
        return None;
    }
    let mut starts: Vec<usize> = line
        .char_indices()
        .map(|(at, _)| at)
        .filter(|&at| is_word(line, at) && begins(&line[at..]))
        .collect();
    if starts.len() < FEWEST {
        return None;
    }
    starts.insert(0, 0);
    starts.push(line.len());
    let parts = starts.windows(2).map(|ends| line[ends[0]..ends[1]].trim().to_owned());
    Some(parts.filter(|part| !part.is_empty()).collect())
}

/// Whether a word begins there.
fn is_word(line: &str, at: usize) -> bool {
    !line[at..].starts_with(char::is_whitespace) && (at == 0 || line[..at].ends_with(char::is_whitespace))
}

/// The longest head of distances.
const LONGEST_HEAD: usize = 4096;

/// Whether a line of numactl begins there.
fn begins(rest: &str) -> bool {
    let mut words = rest.split_whitespace();
    let [first, second, third] = [words.next(), words.next(), words.next()].map(Option::unwrap_or_default);
    let is = |word: &str, known: &str| word.eq_ignore_ascii_case(known);
    match () {
        () if is(first, "available:") => count(second).is_some() && third.starts_with("node"),
        () if is(first, "no") => {
            is(second, "distance") && third.to_ascii_lowercase().starts_with("information")
        }
        () if !is(first, "node") => false,
        () if is(second, "distances:") => true,
        () if ["cpus:", "size:", "free:"].iter().any(|field| is(third, field)) => count(second).is_some(),
        // The head of the distances, with nothing but numbers behind it.
        () => {
            let mut numbers = rest.split_whitespace().skip(1);
            !second.is_empty() && rest.len() <= LONGEST_HEAD && numbers.all(|word| count(word).is_some())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_have_a_line_for_each_node_are_left_alone() {
        assert!(is_cpus("> >  node 0 cpus: 0 1") && apart("> >     node 0 cpus: 0 1").is_none());
        assert!(is_cpus("  node 0 cpus: 0 1") && !is_cpus("available: 1 nodes (0) node 0 cpus: 0 1"));
    }

    #[test]
    fn joined_lines_are_parted_before_each_field() {
        let line = "$ numactl -H available: 1 nodes (0) node 0 cpus: 0 1 node 0 size: 812 MB";
        let parts = ["$ numactl -H", "available: 1 nodes (0)", "node 0 cpus: 0 1", "node 0 size: 812 MB"];
        assert_eq!(apart(line).unwrap(), parts);
        let line = "node 0 free: 15 MB node distances: node   0   1";
        assert_eq!(apart(line).unwrap(), ["node 0 free: 15 MB", "node distances:", "node   0   1"]);
        for whole in
            ["node 0 cpus: 0 1 2", "node   0   1", "Numa node 0 1 0 81.2 130.2", "node 0 is near node 1"]
        {
            assert_eq!(apart(whole), None, "{whole}");
        }
    }
}

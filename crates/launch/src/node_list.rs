//! Lists of nodes as schedulers write them: `n[001-016,20],login1`.

use std::collections::{BTreeMap, BTreeSet};

/// A text is no list of nodes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid list of nodes `{text}` (expected for example `n[001-016,20],m3`)")]
pub struct NodeListError {
    pub text: String,
}

/// More nodes than this in one range are a slip.
const MOST: u64 = 1_000_000;

/// The nodes of a list, in its order.
///
/// # Errors
/// When it is none.
pub fn node_list(text: &str) -> Result<Vec<String>, NodeListError> {
    let wrong = || NodeListError { text: text.to_owned() };
    let mut nodes = Vec::new();
    for part in parts(text).ok_or_else(wrong)? {
        nodes.extend(expanded(part).ok_or_else(wrong)?);
    }
    if nodes.is_empty() || nodes.iter().any(String::is_empty) { Err(wrong()) } else { Ok(nodes) }
}

/// What commas outside of brackets separate.
fn parts(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, character) in text.char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    (depth == 0).then_some(parts)
}

fn expanded(part: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = part.split_once('[') else { return Some(vec![part.to_owned()]) };
    let (inside, after) = rest.split_once(']')?;
    let ends = expanded(after)?;
    let mut nodes = Vec::new();
    for range in inside.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (low, high) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
        if high < low || high - low > MOST {
            return None;
        }
        for number in low..=high {
            nodes
                .extend(ends.iter().map(|end| format!("{before}{number:0width$}{end}", width = first.len())));
        }
    }
    Some(nodes)
}

/// The nodes as a list that [`node_list`] reads: `n[01-16,20],login1`.
pub fn folded<'a>(nodes: impl IntoIterator<Item = &'a str>) -> String {
    // The numbers of nodes whose names differ in nothing else, each as it is written.
    let mut families: BTreeMap<(&str, &str), BTreeSet<Number<'_>>> = BTreeMap::new();
    let mut others = BTreeSet::new();
    for node in nodes {
        if let Some((before, number, after)) = numbered(node) {
            families.entry((before, after)).or_default().insert(number);
        } else {
            others.insert(node.to_owned());
        }
    }
    let families = families.into_iter().map(|((before, after), numbers)| {
        let ranges = ranges(numbers);
        match &ranges[..] {
            [one] if !one.contains('-') => format!("{before}{one}{after}"),
            ranges => format!("{before}[{}]{after}", ranges.join(",")),
        }
    });
    families.chain(others).collect::<Vec<_>>().join(",")
}

/// A number in a name, and how it is written.
type Number<'a> = (u64, &'a str);

/// Numbers in ranges: `01-16`, `20`. Those of a range have the same width, or no zeros before them.
fn ranges(numbers: BTreeSet<Number<'_>>) -> Vec<String> {
    let mut ranges: Vec<(Number<'_>, u64)> = Vec::new();
    for (number, digits) in numbers {
        match ranges.last_mut() {
            Some(((_, first), last))
                if *last + 1 == number && format!("{number:0width$}", width = first.len()) == digits =>
            {
                *last = number;
            }
            _ => ranges.push(((number, digits), number)),
        }
    }
    let range = |((first, digits), last): ((u64, &str), u64)| match first == last {
        true => digits.to_owned(),
        false => format!("{digits}-{last:0width$}", width = digits.len()),
    };
    ranges.into_iter().map(range).collect()
}

/// The last number of a name, with what is before and behind it.
fn numbered(node: &str) -> Option<(&str, Number<'_>, &str)> {
    let end = node.rfind(|character: char| character.is_ascii_digit())? + 1;
    let start = node[..end]
        .rfind(|character: char| !character.is_ascii_digit())
        .map_or(0, |at| at + node[at..].chars().next().map_or(1, char::len_utf8));
    let digits = &node[start..end];
    // The end of a range must not overflow.
    let number = digits.parse().ok().filter(|&number| number < u64::MAX)?;
    Some((&node[..start], (number, digits), &node[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folded_to_a_list_of_the_same_names() {
        for (names, list) in [
            ("n01 n02 n03", "n[01-03]"),
            ("n9 n10 n11 n08", "n[08,9-11]"),
            ("n099 n100 n1000", "n[099-100,1000]"),
            ("n3 login n1 m7", "m7,n[1,3],login"),
            ("r1n1 r1n2 r2n1", "r1n[1-2],r2n1"),
            ("a1.x a2.x 7 8", "[7-8],a[1-2].x"),
            ("n99999999999999999999 é5", "é5,n99999999999999999999"),
        ] {
            let folded = folded(names.split(' '));
            let sorted = |mut names: Vec<String>| {
                names.sort();
                names
            };
            let names = sorted(names.split(' ').map(str::to_owned).collect());
            assert_eq!(sorted(node_list(&folded).unwrap()), names, "{folded}");
            assert_eq!(folded, list);
        }
        let many: Vec<String> = (1..=1500).map(|number| format!("n{number:04}")).collect();
        assert_eq!(folded(many.iter().map(String::as_str)), "n[0001-1500]");
        assert_eq!(folded([]), "");
    }

    #[test]
    fn ranges_keep_their_zeros() {
        let nodes = |text| node_list(text).unwrap().join(" ");
        assert_eq!(nodes("n[008-010,20],m3"), "n008 n009 n010 n20 m3");
        assert_eq!(nodes("r[1-2]n[1-2]"), "r1n1 r1n2 r2n1 r2n2");
        assert_eq!(nodes("login.example"), "login.example");
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in ["", "n[1-", "n1]", "n[2-1]", "n[a-b]", "n1,,n2", "n[1-99999999]"] {
            assert_eq!(node_list(text).unwrap_err().text, text);
        }
    }
}

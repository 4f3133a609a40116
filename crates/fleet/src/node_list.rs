//! Lists of nodes as schedulers write them: `n[001-016,20],login1`.

/// A text is no list of nodes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no list of nodes such as `n[001-016,20],m3`")]
pub struct NodeListError {
    /// The text.
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

#[cfg(test)]
mod tests {
    use super::*;

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

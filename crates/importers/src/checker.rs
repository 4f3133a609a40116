//! What checkers of clusters list: a host and what a test returned on it, a line each.
//!
//! `subtest 'Triad' failed` and `- failing host node07 returned: '15977.7 MB/s'` become `node07: Triad: 15977.7 MB/s`, as cluster shells
//! print it; the heads of tests and subtests become blank lines, so that lines keep their numbers.

/// The text with a line for each host; `None` if it has no such list.
pub(crate) fn plain(text: &str) -> Option<String> {
    if !text.contains("returned: ") || !text.contains(" host ") {
        return None;
    }
    let mut subtest = None;
    let mut is_changed = false;
    let lines = text.lines().map(|line| {
        let bare = line.trim();
        if let Some(name) = named_subtest(bare) {
            subtest = Some(name.to_owned());
            return String::new();
        }
        if is_head(bare) {
            subtest = None;
            return String::new();
        }
        match (returned(bare), &subtest) {
            (Some((host, value)), Some(subtest)) => {
                is_changed = true;
                format!("{host}: {subtest}: {value}")
            }
            _ => line.to_owned(),
        }
    });
    let mut plain = lines.collect::<Vec<_>>().join("\n");
    if text.ends_with('\n') {
        plain.push('\n');
    }
    is_changed.then_some(plain)
}

/// `subtest 'Triad' failed`.
fn named_subtest(line: &str) -> Option<&str> {
    let (name, state) = line.trim_start_matches("- ").strip_prefix("subtest '")?.split_once('\'')?;
    matches!(state.trim(), "failed" | "passed" | "FAILED" | "PASSED").then_some(name)
}

/// `Single-node Memory Bandwidth (STREAM), (memory_bandwidth_stream).......FAILED`.
fn is_head(line: &str) -> bool {
    const FEWEST_POINTS: usize = 3;
    let rest = ["FAILED", "PASSED", "SUCCEEDED"].iter().find_map(|state| line.strip_suffix(state));
    rest.is_some_and(|rest| rest.bytes().rev().take_while(|&one| one == b'.').count() >= FEWEST_POINTS)
}

/// `- failing host node07 returned: '15977.7 MB/s'`: the host, and the value.
fn returned(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once("host ")?;
    let (host, value) = rest.split_once(" returned: ")?;
    let value = value.trim().trim_matches(['\'', '"']);
    (!host.is_empty() && !host.contains(char::is_whitespace) && !value.is_empty()).then_some((host, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_hosts_is_that_of_a_cluster_shell() {
        let text = "Memory Bandwidth (x)....FAILED\nsubtest 'Copy' failed\n- failing host n1 returned: '900.5 MB/s'\n\
                    - passing host n2 returned: '950.5 MB/s'\n";
        assert_eq!(plain(text).as_deref(), Some("\n\nn1: Copy: 900.5 MB/s\nn2: Copy: 950.5 MB/s\n"));
        for other in ["the host returned: nothing\n", "a host n1 returned: '5'\n", ""] {
            assert_eq!(plain(other), None, "{other}");
        }
    }
}

//! Counts in words.

/// `count` and its noun, in the plural unless `count` is one: `1 core`, `3 memories`.
pub fn counted(count: usize, noun: &str) -> String {
    match (count == 1, noun.strip_suffix('y')) {
        (true, _) => format!("1 {noun}"),
        (false, Some(stem)) => format!("{count} {stem}ies"),
        (false, None) => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_singular() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "core")), ["0 cores", "1 core", "2 cores"]);
        assert_eq!(counted(3, "memory"), "3 memories");
    }
}

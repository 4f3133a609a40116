//! Units that people write when they type MLC's values anew. MLC itself prints ns and MB/s.

/// Units of bandwidth other than MLC's own, in lower case, and their bytes per second.
const UNITS: [(&str, f64); 4] =
    [("gb/s", 1e9), ("gbps", 1e9), ("gib/s", 1_073_741_824.0), ("mib/s", 1_048_576.0)];

/// The bytes per second of the unit that a heading or the head of a table states, in lower case; `None` for MLC's own.
///
/// Prose about rates has numbers; a statement of the unit is in brackets, or in a line without any.
pub(super) fn stated(lower: &str) -> Option<f64> {
    let is_title = !lower.contains(|one: char| one.is_ascii_digit());
    UNITS.into_iter().find_map(|(name, bytes)| {
        let (before, _) = lower.split_once(name)?;
        let is_bracketed = before.ends_with(['(', '[']) || before.ends_with("in ");
        (is_title || is_bracketed).then_some(bytes)
    })
}

/// The bytes per second of the unit behind a value, in lower case, such as that of `ALL Reads: 190.5 GB/s`.
pub(super) fn behind(lower: &str) -> Option<f64> {
    let unit = lower.split_whitespace().find(|word| is_unit(word))?;
    UNITS.into_iter().find_map(|(name, bytes)| unit.contains(name).then_some(bytes))
}

/// Whether a word is a unit of latency or of bandwidth.
pub(super) fn is_unit(word: &str) -> bool {
    let lower = word.trim_matches(['(', ')', '[', ']', ',', ';']).to_ascii_lowercase();
    matches!(lower.as_str(), "ns" | "nsec" | "mb/s" | "mb/sec" | "gb/sec" | "gib/sec")
        || UNITS.iter().any(|(name, _)| lower == *name)
}

/// A value without the unit that is glued to it: `78.5ns`.
pub(super) fn without(word: &str) -> &str {
    let bare = word.strip_suffix("ns").unwrap_or(word);
    if bare.ends_with(|one: char| one.is_ascii_digit()) { bare } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_stated_in_titles_and_not_in_prose() {
        for (line, bytes) in [
            ("measuring memory bandwidths between nodes within system (gb/s)", Some(1e9)),
            ("inject delay\tlatency (ns)\tbandwidth [gib/s]", Some(1_073_741_824.0)),
            ("bandwidth gb/sec", Some(1e9)),
            ("measuring memory bandwidths between nodes within system", None),
            ("bandwidths are in mb/sec (1 mb/sec = 1,000,000 bytes/sec)", None),
            ("8 channels of ddr4-3200 deliver 204.8 gb/s", None),
        ] {
            assert_eq!(stated(line), bytes, "{line}");
        }
        assert_eq!((behind("all reads: 190.5 gb/s"), behind("all reads: 190500.5")), (Some(1e9), None));
        assert!(is_unit("GB/s") && is_unit("(ns)") && !is_unit("nodes"));
        assert_eq!((without("78.5ns"), without("nans")), ("78.5", "nans"));
    }
}

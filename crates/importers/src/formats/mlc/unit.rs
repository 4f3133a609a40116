//! Units that people write when they type MLC's values anew. MLC itself prints ns and MB/s.

/// Units of bandwidth other than MLC's own, in lower case, and their bytes per second.
const UNITS: [(&str, f64); 8] = [
    ("gbit/s", 1.25e8),
    ("mbit/s", 1.25e5),
    ("gb/s", 1e9),
    ("gbps", 1e9),
    ("gib/s", 1_073_741_824.0),
    ("mib/s", 1_048_576.0),
    ("kb/s", 1e3),
    ("tb/s", 1e12),
];

/// Units of latency in lower case, and their ns; `None` for cycles, which take a clock that MLC does not print.
const TIMES: [(&str, Option<f64>); 11] = [
    ("us", Some(1e3)),
    ("usec", Some(1e3)),
    ("\u{b5}s", Some(1e3)),
    ("\u{3bc}s", Some(1e3)),
    ("ms", Some(1e6)),
    ("ps", Some(1e-3)),
    ("clk", None),
    ("clks", None),
    ("clocks", None),
    ("cycles", None),
    ("core clocks", None),
];

/// The unit of latency that a heading or the head of a table states in brackets, in lower case: `(in us)`.
///
/// # Errors
/// The unit, where it is no time.
pub(super) fn time_stated(lower: &str) -> Result<Option<f64>, &str> {
    for rest in lower.split(['(', '[']).skip(1) {
        let Some((inside, _)) = rest.split_once([')', ']']) else { continue };
        let inside = inside.trim();
        let bare = inside.strip_prefix("in ").unwrap_or(inside);
        if let Some((_, nanoseconds)) = TIMES.into_iter().find(|(name, _)| *name == bare) {
            return nanoseconds.map(Some).ok_or(bare);
        }
    }
    Ok(None)
}

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
    let lower = lower.strip_suffix("ec").unwrap_or(&lower);
    matches!(lower, "ns" | "mb/s") || UNITS.iter().any(|(name, _)| lower == *name)
}

/// A value without the unit, the deviation or the mark that is glued to it: `78.5ns`, `78.5±0.3`, `~78.5`, `78.5*`.
pub(super) fn without(word: &str) -> &str {
    let bare = word.split_once('±').map_or(word, |(value, _)| value);
    let bare = bare.trim_start_matches(['~', '≈']).trim_end_matches(['*', '†', '‡']);
    let bare = bare.strip_suffix("ns").unwrap_or(bare);
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
        assert!(is_unit("nsec") && is_unit("GB/sec") && is_unit("KB/s"));
        assert_eq!(["78.5±0.3", "~78.5", "78.5*"].map(without), ["78.5"; 3]);
        assert_eq!((without("78.5ns"), without("nans")), ("78.5", "nans"));
    }

    #[test]
    fn a_unit_of_latency_is_stated_in_brackets() {
        assert_eq!(time_stated("measuring idle latencies (in ns)..."), Ok(None));
        assert_eq!(time_stated("measuring idle latencies (in us)..."), Ok(Some(1e3)));
        assert_eq!(time_stated("delay\t[\u{b5}s]\tmb/sec"), Ok(Some(1e3)));
        assert_eq!(time_stated("measuring idle latencies (in clocks)..."), Err("clocks"));
        assert_eq!(time_stated("latencies of a few us (see below)"), Ok(None));
    }
}

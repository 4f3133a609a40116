//! Rates in bits: with a small `b`, `Gb/s` is a unit of its own, eight times smaller than GB/s.
//!
//! Units are looked for in lower case, where the two are the same. So bits get a spelling of their own first. Some people write `Gb/s` or
//! `Gbps` and mean bytes: a text that leaves room for both readings says so.

use std::borrow::Cow;

/// Spellings of bits per second, and those that units have in tables.
const SPELLINGS: [(&str, &str); 8] = [
    ("Gb/s", "Gbit/s"),
    ("Mb/s", "Mbit/s"),
    ("Gbits/s", "Gbit/s"),
    ("Mbits/s", "Mbit/s"),
    ("GBit/s", "Gbit/s"),
    ("MBit/s", "Mbit/s"),
    ("gbits/s", "gbit/s"),
    ("mbits/s", "mbit/s"),
];

/// Spellings with two meanings: the one that is not read, and the one that is.
const AMBIGUOUS: [(&str, &str); 4] = [
    ("Gb/s", "bytes, and is read as bits"),
    ("Mb/s", "bytes, and is read as bits"),
    ("Gbps", "bits, and is read as bytes"),
    ("Mbps", "bits, and is read as bytes"),
];

/// A line with one spelling for bits.
pub(crate) fn spelled(line: &str) -> Cow<'_, str> {
    if !SPELLINGS.iter().any(|(name, _)| line.contains(name)) {
        return line.into();
    }
    SPELLINGS.iter().fold(line.to_owned(), |line, (name, bits)| line.replace(name, bits)).into()
}

/// What is doubtful about the unit of a text's rates: the first line whose unit has two readings. Rates in prose, in lines that no format
/// reads, are of something else. Lines are named by their number in the file.
pub(crate) fn doubt(
    text: &str,
    is_read: impl Fn(usize) -> bool,
    number: impl Fn(usize) -> usize,
) -> Option<String> {
    text.lines().enumerate().find_map(|(rank, line)| {
        let (name, meanings) = AMBIGUOUS.into_iter().find(|(name, _)| {
            line.split_once(name).is_some_and(|(before, _)| {
                let is_of_number = before.trim_end().ends_with(|one: char| one.is_ascii_digit());
                !is_of_number || is_read(rank)
            })
        })?;
        Some(format!("`{name}` in line {} may mean {meanings}", number(rank)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_told_from_bytes_by_their_case() {
        assert_eq!(spelled("Bandwidths are in Gb/sec"), "Bandwidths are in Gbit/sec");
        assert_eq!(spelled("(Mb/s) 5 Gbits/s"), "(Mbit/s) 5 Gbit/s");
        for bytes in ["GB/s", "MB/sec", "gb/s", "GiB/s", "GBPS", "Gbps"] {
            assert_eq!(spelled(bytes), bytes);
        }
    }

    #[test]
    fn titles_leave_room_for_two_readings_and_prose_does_not() {
        let doubt = |text: &str| doubt(text, |_| false, |rank| rank + 1);
        assert!(
            doubt("a\nBandwidth (Gb/s)\n")
                .is_some_and(|doubt| doubt.starts_with("`Gb/s` in line 2 may mean bytes"))
        );
        assert!(doubt("Bandwidth in Gbps\n").is_some_and(|doubt| doubt.ends_with("read as bytes")));
        assert_eq!(doubt("with a network of 100 Gb/s\nBandwidth (GB/s), bandwidth_gbps\n"), None);
    }
}

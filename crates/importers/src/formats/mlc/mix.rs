//! Lines that are values by themselves: a read:write mix, a transfer between caches.

use super::unit;
use crate::coordinates::word;
use crate::number::{Token, count, is_remark};
use crate::typed_tables::rate;

/// `3:1 Reads-Writes : 182249.5`: the mix in our words, and the text of its value.
pub(super) fn mix(line: &str) -> Option<(String, &str)> {
    let bare = line.trim_end().rsplit_once(char::is_whitespace).filter(|(_, last)| unit::is_unit(last));
    let line = bare.map_or(line, |(bare, _)| bare);
    let line = without_share(line);
    let lower = line.to_ascii_lowercase();
    let is_mix = ["read", "write", "triad", "r:w", "r/w"].iter().any(|word| lower.contains(word));
    let ratio = lower.split_whitespace().next().filter(|first| {
        first.split_once(':').is_some_and(|(reads, writes)| count(reads).is_some() && count(writes).is_some())
    });
    let named =
        ["all reads", "all writes", "all nt", "100% read", "100% write", "stream-triad", "stream triad"];
    if !is_mix || ratio.is_none() && !named.iter().any(|name| lower.starts_with(name)) {
        return None;
    }
    // After the last colon, or the last word, before a remark.
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_value = |word: &str| matches!(Token::of_value(word), Token::Number(_));
    // Several values are a table of something else, such as the least, the median and the most of many runs.
    let values = words.iter().skip(usize::from(ratio.is_some())).filter(|word| is_value(word)).count();
    let remarked = words.windows(2).find(|pair| is_value(pair[0]) && is_remark(pair[1])).map(|pair| pair[0]);
    if remarked.is_none() && values > 1 {
        return None;
    }
    let last = || line.rsplit([':', '\t', ' ']).find(|part| !part.trim().is_empty());
    let value = remarked.or_else(last)?.trim();
    if Token::of_value(value).is_word() {
        // A word in the place of the value is a fault; other words are prose.
        let (before, after) = line.rsplit_once(':').unwrap_or((line, ""));
        let names = ["like", "writes", "reads", "write", "read"];
        let is_name = before.split_whitespace().count() <= 3;
        if after.trim() != value
            || !is_name
            || names.iter().any(|name| value.to_ascii_lowercase().contains(name))
        {
            return None;
        }
    }
    let non_temporal = lower.contains("nt ") || lower.contains("-nt") || lower.contains("non-temporal");
    let name = match ratio {
        Some(ratio) if non_temporal => format!("{ratio}_nt"),
        Some(ratio) => ratio.to_owned(),
        None if lower.starts_with("all reads") || lower.starts_with("100% read") => "all_reads".to_owned(),
        None if lower.starts_with("all") && non_temporal => "all_writes_nt".to_owned(),
        None if lower.starts_with("all writes") || lower.starts_with("100% write") => "all_writes".to_owned(),
        None => "stream_triad_like".to_owned(),
    };
    Some((word(&name), value))
}

/// A line without the share of a peak at its end: `182249.5  77.7 %`.
fn without_share(line: &str) -> &str {
    let line = line.trim_end();
    let is_number = |text: &str| matches!(Token::of(text), Token::Number(_));
    let bare = line.strip_suffix('%').map(str::trim_end).and_then(|rest| {
        let (before, share) = rest.rsplit_once([' ', '\t', '('])?;
        let value = before.trim_end().rsplit([' ', '\t', ':']).next()?;
        (is_number(share) && is_number(value)).then(|| before.trim_end())
    });
    bare.unwrap_or(line)
}

/// A row of a table with several columns: the mix, and its values.
pub(super) fn columns(line: &str) -> Option<(String, Vec<f64>)> {
    let (name, rest) = line.split_once('\t').filter(|(_, rest)| rest.contains('\t'))?;
    let values: Option<Vec<f64>> = rest.split('\t').map(|cell| Some(rate(cell)?.0)).collect();
    let values = values?;
    let (mix, _) = mix(&format!("{name}\t{}", values.first()?))?;
    Some((mix, values))
}

/// Whether a line, in lower case, is about a transfer between caches.
pub(super) fn is_transfer(lower: &str) -> bool {
    let begins = lower.starts_with("local socket") || lower.starts_with("remote socket");
    begins && (lower.contains("l2->l2") || lower.contains("llc->llc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixes_are_known_by_their_ratios() {
        for (line, name) in [
            ("ALL Reads        :      190909.3", "all_reads"),
            ("3:1 Reads-Writes :182249.5", "3:1"),
            ("2:1 Reads-Writes :\t94984.6", "2:1"),
            ("Stream-triad like:\t85037.4", "stream_triad_like"),
            ("All NT writes    :\t85037.4", "all_writes_nt"),
            ("1:1 Read-NT write:\t85037.4", "1:1_nt"),
            ("1:1 Reads-Writes\t25874.6", "1:1"),
            ("ALL Reads        :      190909.3  (88 % of 217 GB/s)", "all_reads"),
            ("ALL Reads        :      190909.3 MB/s", "all_reads"),
        ] {
            let (found, value) = mix(line).unwrap_or_else(|| panic!("{line}"));
            assert!(found == name && matches!(Token::of(value), Token::Number(_)), "{line}: {found} {value}");
        }
        assert_eq!(mix("100% Read\t61330.5").map(|found| found.0), Some("all_reads".to_owned()));
        assert_eq!(mix("2:1 R:W\t61330.5").map(|found| found.0), Some("2:1".to_owned()));
        assert_eq!(
            columns("3:1 Reads-Writes\t47,920\t51,360"),
            Some(("3:1".to_owned(), vec![47920.0, 51360.0]))
        );
        assert_eq!(mix("ALL Reads : 243159.4  86.2%").map(|found| found.1), Some("243159.4"));
        assert_eq!(mix("ALL Reads\t243159.4\t86.2 %").map(|found| found.1), Some("243159.4"));
        assert_eq!(mix("ALL Reads : 243.2k").map(|found| found.1), Some("243.2k"));
        assert_eq!(mix("all reads were fast"), None);
        assert_eq!(mix("3:1 Reads-Writes is slow: why is that"), None);
        assert_eq!(mix("3:1 Reads-Writes : oops").map(|found| found.1), Some("oops"));
        assert_eq!(mix("Read/Write Ratios"), None);
        assert_eq!(mix("ALL Reads  190909.3  191204.8  188012.1"), None, "which of them?");
    }
}

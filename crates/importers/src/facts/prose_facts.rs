//! What people write of a machine in a line of prose or of a table: its processors and its DIMMs.

use zerohop_machine::{MemoryDevice, Processor};
use zerohop_units::{Bytes, TransfersPerSecond};

use super::dimms;
use super::fact_collection::Facts;
use crate::lines::Text;
use crate::number::{count, first_number};

/// No machine has more.
const MOST_PROCESSORS: u64 = 32;

const MOST_DIMMS: u64 = 256;

/// A line with more words is a paragraph, which may be about several machines.
const MOST_WORDS: usize = 32;

/// Reads a machine that a line describes, where nothing else in the text does and only one processor is named.
pub(super) fn read_typed(text: &mut Text, facts: &mut Facts) {
    let lines = text.open().filter(|(_, line)| line.split_whitespace().count() <= MOST_WORDS);
    let named = lines.filter_map(|(rank, line)| Some((rank, processor(line)?)));
    let named: Vec<(usize, (String, Option<u64>))> = named.collect();
    let mut models: Vec<&str> = named.iter().map(|(_, (model, _))| model.as_str()).collect();
    models.dedup();
    if facts.processor == Processor::default()
        && let [model] = models[..]
    {
        facts.processor.model = model.to_owned();
        let count = named.iter().find_map(|(_, (_, count))| *count);
        facts.stated.packages = facts.stated.packages.or(count.and_then(|count| u32::try_from(count).ok()));
        named.iter().for_each(|(rank, _)| text.mark(*rank));
    }
    let slots = text.lines().find_map(|(rank, line)| Some((rank, dimms_of(line)?)));
    if let Some((rank, found)) = slots.filter(|_| facts.dimms.is_empty()) {
        facts.dimms = found;
        text.mark(rank);
    }
}

/// How names of processors begin; what begins another one stands before it.
const NAMES: [&str; 14] = [
    "Intel(R) Xeon",
    "Intel Xeon",
    "AMD EPYC",
    "AMD Ryzen",
    "AMD Opteron",
    "Intel(R) Core",
    "Intel Core",
    "Ampere Altra",
    "Xeon ",
    "EPYC ",
    "Ryzen ",
    "Threadripper ",
    "Opteron ",
    "Altra ",
];

/// The processor that a line names, and how many: `Processors x 2: Intel(R) Xeon(R) CPU E5-2637 v3 @ 3.50GHz`, `dual Xeon Silver 4510, …`.
fn processor(line: &str) -> Option<(String, Option<u64>)> {
    let start = NAMES.iter().find_map(|name| line.find(name))?;
    let mut words: Vec<&str> = Vec::new();
    let mut has_number = false;
    for found in line[start..].split_whitespace() {
        let bare = found.trim_end_matches([',', ';', ':', '.', '|']);
        let is_detail =
            || bare == "@" || bare.ends_with("GHz") || bare.strip_prefix('v').and_then(count).is_some();
        if has_number && !is_detail() {
            break;
        }
        words.push(bare);
        has_number |= bare.bytes().filter(u8::is_ascii_digit).count() >= 3;
        if bare != found {
            break;
        }
    }
    let model = words.join(" ");
    (has_number && words.len() <= 8).then(|| (model, number_of(&line[..start])))
}

/// The number of processors before their name: `2x`, `2 x`, `Processors x 2:`, `dual`, `two`.
fn number_of(before: &str) -> Option<u64> {
    let lower = before.to_lowercase().replace('×', "x");
    let words: Vec<&str> = lower
        .split(|one: char| one.is_whitespace() || matches!(one, ':' | '|' | '*'))
        .filter(|word| !word.is_empty())
        .collect();
    let last = words.last()?;
    let spelled = [("dual", 2), ("two", 2), ("quad", 4), ("four", 4), ("single", 1), ("one", 1)];
    let spelled = spelled.into_iter().find(|(word, _)| last.starts_with(word)).map(|(_, number)| number);
    let glued = || last.strip_suffix('x').and_then(count).or_else(|| last.strip_prefix('x').and_then(count));
    let apart = || {
        let [.., one, other] = words[..] else { return None };
        match (count(one), one, count(other), other) {
            (Some(number), _, _, "x") | (_, "x", Some(number), _) => Some(number),
            _ => None,
        }
    };
    spelled.or_else(glued).or_else(apart).filter(|number| (1..=MOST_PROCESSORS).contains(number))
}

/// The DIMMs that a line counts: `4x64 GB DDR5-4800 DIMMs configured at 4400 MT/s`, `16 x 32GB DDR4-2933`, or in any order with the words that
/// [`sticks_of`] knows.
fn dimms_of(line: &str) -> Option<Vec<MemoryDevice>> {
    counted_dimms_of(line).or_else(|| sticks_of(line))
}

/// `8 sticks of 3200MHz 64GB DDR4`, `4 DIMMs DDR5-4800 (32 GB)`.
fn sticks_of(line: &str) -> Option<Vec<MemoryDevice>> {
    let lower = line.to_lowercase().replace('×', "x");
    let words: Vec<&str> = lower
        .split(|one: char| one.is_whitespace() || ",;:|()-@".contains(one))
        .filter(|word| !word.is_empty())
        .collect();
    // A number and its unit, apart or not.
    let with_unit = |units: &[&str]| -> Vec<u64> {
        let next = words.iter().skip(1).copied().map(Some).chain([None]);
        let found = words.iter().zip(next).filter_map(|(word, next)| {
            let glued = units.iter().find_map(|unit| count(word.strip_suffix(unit)?));
            glued.or_else(|| count(word).filter(|_| next.is_some_and(|next| units.contains(&next))))
        });
        found.collect()
    };
    let kind = words.iter().find_map(|word| word.strip_prefix("ddr"))?;
    let technology = format!("DDR{}", kind.chars().next().filter(char::is_ascii_digit)?);
    let ([number], [gigabytes]) = (
        &with_unit(&["x", "sticks", "stick", "dimms", "dimm", "modules", "rdimms", "udimms", "pcs"])[..],
        &with_unit(&["gb", "gib", "g"])[..],
    ) else {
        return None;
    };
    let rates = with_unit(&["mhz", "mt/s", "mts", "mtps"]);
    let in_name = words.windows(2).filter(|pair| pair[0].starts_with("ddr")).find_map(|pair| rate(pair[1]));
    let speed = rates.first().and_then(|speed| rate(&speed.to_string())).or(in_name);
    let device = MemoryDevice {
        size: Bytes::gib(*gigabytes),
        technology,
        rated: in_name.or(speed),
        configured: speed,
        ..dimms::empty_slot()
    };
    let number = Some(*number).filter(|number| (1..=MOST_DIMMS).contains(number) && *gigabytes > 0)?;
    Some(vec![device; usize::try_from(number).ok()?])
}

/// A number of DIMMs before their size: `4x64 GB DDR5-4800`.
fn counted_dimms_of(line: &str) -> Option<Vec<MemoryDevice>> {
    let plain = line.replace('×', "x");
    let at = plain.find("DDR").filter(|&at| plain.as_bytes().get(at + 3).is_some_and(u8::is_ascii_digit))?;
    let technology: String = plain[at..].chars().take(4).collect();
    let before: Vec<&str> =
        plain[..at].split([',', ';', ':', '|', '(']).next_back()?.split_whitespace().collect();
    let joined = before.join("").to_lowercase();
    let (number, size) = joined.split_once('x')?;
    let number = count(number).filter(|number| (1..=MOST_DIMMS).contains(number))?;
    let gigabytes = size.strip_suffix("gib").or_else(|| size.strip_suffix("gb")).and_then(count)?;
    let rated = plain[at + 4..]
        .strip_prefix('-')
        .and_then(|rest| rate(rest.split(|one: char| !one.is_ascii_digit()).next()?));
    let configured =
        ["configured at", "running at", "@"].iter().find_map(|word| plain[at..].split_once(word));
    let configured = configured
        .and_then(|(_, rest)| first_number(rest))
        .and_then(|rate| self::rate(&format!("{rate:.0}")));
    let device = MemoryDevice {
        size: Bytes::gib(gigabytes),
        technology,
        rated,
        configured: configured.or(rated),
        ..dimms::empty_slot()
    };
    Some(vec![device; usize::try_from(number).ok()?])
}

/// A rate in MT/s that DIMMs have.
fn rate(megatransfers: &str) -> Option<TransfersPerSecond> {
    let rate = count(megatransfers).filter(|rate| (200..=20_000).contains(rate))?;
    Some(TransfersPerSecond(rate as f64 * 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_read_as_people_write_them() {
        let read = |line: &str| processor(line).map(|(model, count)| (model, count.unwrap_or(0)));
        for (line, model, count) in [
            (
                "Processors x 2: Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz",
                "Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz",
                2,
            ),
            ("dual Xeon Gold 6530, 16x64 GB DDR5-5600", "Xeon Gold 6530", 2),
            ("2x AMD EPYC 9654 with 24 DIMMs", "AMD EPYC 9654", 2),
            ("CPU: 2 x AMD EPYC 7763", "AMD EPYC 7763", 2),
            ("an EPYC 9354 machine", "EPYC 9354", 0),
            ("CPU: Threadripper PRO 3975WX", "Threadripper PRO 3975WX", 0),
            ("4x AMD Opteron 6272, 16 x 8GB DDR3", "AMD Opteron 6272", 4),
        ] {
            assert_eq!(read(line), Some((model.to_owned(), count)), "{line}");
        }
        assert_eq!(read("Xeon processors are fast"), None);
    }

    #[test]
    fn dimms_are_read_as_people_write_them() {
        let found = dimms_of("dual Xeon Gold 6530, 8x32 GB DDR5-5600 DIMMs configured at 4800 MT/s").unwrap();
        assert_eq!((found.len(), found[0].size), (8, Bytes::gib(32)));
        assert_eq!((found[0].rated, found[0].configured), (rate("5600"), rate("4800")));
        assert_eq!(dimms_of("Memory: 12 x 16GB DDR4-2933").map(|found| found.len()), Some(12));
        for (line, number, size, speed) in [
            ("RAM: 8 sticks of 3200MHz 32GB DDR4", 8, 32, "3200"),
            ("Memory: 4 DIMMs DDR5-4800 (16 GB)", 4, 16, "4800"),
            ("16 modules, 64 GB each, DDR4 at 2933 MT/s", 16, 64, "2933"),
        ] {
            let found = dimms_of(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((found.len(), found[0].size), (number, Bytes::gib(size)), "{line}");
            assert_eq!(found[0].configured, rate(speed), "{line}");
        }
        for other in [
            "768GB of DDR4",
            "DDR5 is fast",
            "x GB DDR4",
            "999999x1 GB DDR4",
            "8 sticks of DDR4",
            "2 DIMMs of 16 GB and 2 DIMMs of 8 GB DDR4",
            "999999 sticks of 64GB DDR4",
        ] {
            assert_eq!(dimms_of(other), None, "{other}");
        }
    }
}

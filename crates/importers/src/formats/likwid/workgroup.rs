//! The groups of threads of likwid-bench: `-w M0:1GB:4` is four threads of memory domain 0 and their part of 1 GB.

use std::collections::BTreeSet;

use crate::bound::Bound;
use crate::number::{count, number};

/// The groups of a run, as its command line or its output names them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Workgroups {
    /// The thread domain of each: `M0`, `S1`, `N`.
    domains: BTreeSet<String>,
    /// Where data is, if it is placed elsewhere than its threads (`-0:M1`).
    data: BTreeSet<String>,
    threads: Vec<Option<u64>>,
    bytes: Vec<Option<u64>>,
}

impl Workgroups {
    /// Those of the options of a command line, `-t copy -w S0:1GB:14 -w S1:1GB:14`.
    pub(super) fn of_command(options: &str) -> Self {
        let mut groups = Self::default();
        let mut words =
            options.split(['|', ';', '&', '>', '`']).next().unwrap_or_default().split_whitespace();
        while words.any(|option| matches!(option, "-w" | "-W")) {
            if let Some(group) = words.next() {
                groups.take(group);
            }
        }
        groups
    }

    /// `M0:1GB:4:1:2-0:M1,1:M1`: a domain, the size of the data, the threads; then where each of its streams is.
    fn take(&mut self, group: &str) {
        let (own, streams) = group.split_once('-').unwrap_or((group, ""));
        let mut fields = own.split(':');
        let Some(domain) = fields.next().filter(|domain| !domain.is_empty()) else { return };
        self.domains.insert(domain.to_owned());
        self.bytes.push(fields.next().and_then(bytes));
        self.threads.push(fields.next().and_then(count));
        let places = streams.split(',').filter_map(|stream| stream.split(':').nth(1));
        self.data.extend(places.map(str::to_owned));
    }

    /// Takes what the output says of data: `Process running on hwthread 0 (Domain M0) - Vector length …`.
    pub(super) fn take_allocation(&mut self, line: &str) {
        let domain = line.split_once("(Domain ").and_then(|(_, rest)| rest.split_once(')'));
        let Some((domain, _)) = domain else { return };
        // Data is allocated by a thread of the domain where it shall be.
        if self.domains.is_empty() || self.data.is_empty() && !self.domains.contains(domain) {
            self.domains.insert(domain.to_owned());
        }
    }

    /// The threads of all groups; `None` if one does not say how many it has.
    pub(super) fn threads(&self) -> Option<u64> {
        self.threads.iter().copied().sum::<Option<u64>>().filter(|threads| *threads > 0)
    }

    /// The bytes of all groups.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.bytes.iter().copied().sum::<Option<u64>>().filter(|bytes| *bytes > 0)
    }

    /// Where the threads and the data were; `None` where that is the whole machine, or nobody says.
    pub(super) fn place(&self) -> Option<Bound> {
        let threads = places(&self.domains)?;
        let data = places(&self.data).filter(|data| *data != threads);
        Bound::named(&threads, data.as_deref())
    }
}

/// Domains in words: memory domains are NUMA nodes.
fn places(domains: &BTreeSet<String>) -> Option<String> {
    let named = |domain: &String| {
        let (kind, number) = domain.split_at_checked(1)?;
        let number = count(number)?;
        Some(match kind {
            "M" => format!("node {number}"),
            "S" => format!("socket {number}"),
            "D" => format!("die {number}"),
            "C" => format!("cache group {number}"),
            _ => return None,
        })
    };
    let words: Vec<String> = domains.iter().map(named).collect::<Option<_>>()?;
    (!words.is_empty()).then(|| words.join(" and "))
}

/// `1GB` in bytes of 10^3, as likwid-bench reads it.
fn bytes(size: &str) -> Option<u64> {
    let (digits, unit) = size.split_at(size.trim_end_matches(|one: char| one.is_ascii_alphabetic()).len());
    let factor = match unit.to_ascii_lowercase().as_str() {
        "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        _ => return None,
    };
    let bytes = number(digits)? * factor;
    (0.0..1e18).contains(&bytes).then_some(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(options: &str) -> (Option<String>, Option<u64>, Option<u64>) {
        let groups = Workgroups::of_command(options);
        (groups.place().map(|place| place.words()), groups.threads(), groups.bytes())
    }

    #[test]
    fn a_group_names_its_domain_its_size_and_its_threads() {
        let place = |words: &str| Some(words.to_owned());
        assert_eq!(read("-t copy -w M0:1GB"), (place("node 0"), None, Some(1_000_000_000)));
        assert_eq!(read("-t load -W S1:2MB:14 | grep MByte"), (place("socket 1"), Some(14), Some(2_000_000)));
        assert_eq!(read("-t load -W N:500MB:1 &| grep M"), (None, Some(1), Some(500_000_000)));
        assert_eq!(
            read("-t load -w M0:1GB:4 -w M1:1GB:4"),
            (place("node 0 and node 1"), Some(8), Some(2_000_000_000))
        );
        assert_eq!(
            read("-t load -w M0:1GB:4:1:2-0:M1"),
            (place("node 0, memory node 1"), Some(4), Some(1_000_000_000))
        );
        assert_eq!(read("-t load -i 100"), (None, None, None));
        assert_eq!(read("-t load -w M0:$size"), (place("node 0"), None, None));
    }

    #[test]
    fn the_output_names_domains_where_no_command_line_does() {
        let mut groups = Workgroups::default();
        groups
            .take_allocation("Process running on hwthread 0 (Domain M1) - Vector length 125000000 Offset 0");
        assert_eq!(groups.place().map(|place| place.words()).as_deref(), Some("node 1"));
    }
}

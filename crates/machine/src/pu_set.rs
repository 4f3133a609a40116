//! Sets of PUs, in the kernel's list form: `0-3,8,10-11`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::PuId;

/// A set of PUs, in ascending order, stored as ranges.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct PuSet(Vec<Range>);

/// The first and the last number of a range. Between two ranges of a set, which ascend, a number is missing.
type Range = (u32, u32);

/// Reason why a text is not a list of PUs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid CPU list `{text}` (expected numbers and ranges such as `0-3,8,10-14:2`)")]
pub struct ParsePuSetError {
    pub text: String,
}

/// No number in a set is as large. No machine has as many PUs, so a range such as `0-4294967295` is an error, not four billion entries.
const LARGEST: u32 = 1 << 16;

impl PuSet {
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of PUs.
    pub fn len(&self) -> usize {
        self.0.iter().map(|(first, last)| (last - first) as usize + 1).sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `pu` is in the set.
    pub fn contains(&self, pu: PuId) -> bool {
        self.0.get(self.rank(pu)).is_some_and(|range| range.0 <= pu.0)
    }

    pub fn first(&self) -> Option<PuId> {
        self.0.first().map(|range| PuId(range.0))
    }

    pub fn insert(&mut self, pu: PuId) {
        let rank = self.rank(pu);
        if self.contains(pu) {
            return;
        }
        let follows = rank > 0 && self.0[rank - 1].1 + 1 == pu.0;
        let precedes = self.0.get(rank).is_some_and(|range| Some(range.0) == pu.0.checked_add(1));
        match (follows, precedes) {
            (true, true) => {
                self.0[rank - 1].1 = self.0[rank].1;
                self.0.remove(rank);
            }
            (true, false) => self.0[rank - 1].1 = pu.0,
            (false, true) => self.0[rank].0 = pu.0,
            (false, false) => self.0.insert(rank, (pu.0, pu.0)),
        }
    }

    /// The rank of the first range that does not end before a PU.
    fn rank(&self, pu: PuId) -> usize {
        self.0.partition_point(|range| range.1 < pu.0)
    }

    /// The PUs in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = PuId> + '_ {
        self.0.iter().flat_map(|&(first, last)| (first..=last).map(PuId))
    }

    /// The PUs that are in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        self.iter().filter(|&pu| other.contains(pu)).collect()
    }

    /// The PUs that are in this set only.
    pub fn difference(&self, other: &Self) -> Self {
        self.iter().filter(|&pu| !other.contains(pu)).collect()
    }
}

impl FromIterator<PuId> for PuSet {
    fn from_iter<I: IntoIterator<Item = PuId>>(pus: I) -> Self {
        Self(joined(pus.into_iter().map(|pu| (pu.0, pu.0)).collect()))
    }
}

/// The same numbers in the fewest ranges, ascending.
fn joined(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_unstable();
    let mut joined: Vec<Range> = Vec::new();
    for (first, last) in ranges {
        match joined.last_mut() {
            Some(known) if first <= known.1.saturating_add(1) => known.1 = known.1.max(last),
            _ => joined.push((first, last)),
        }
    }
    joined
}

/// By the PUs in ascending order.
impl Ord for PuSet {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other.iter())
    }
}

impl PartialOrd for PuSet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromStr for PuSet {
    type Err = ParsePuSetError;

    /// Parses the kernel's list form, including strides (`0-10:2`). An empty text is an empty set.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParsePuSetError { text: text.trim().to_owned() };
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&n| n < LARGEST).ok_or_else(error);
        let mut ranges = Vec::new();
        // A stride makes many ranges of a few letters: no more of them than there are numbers.
        let mut left = LARGEST;
        for part in text.trim().split(',').filter(|part| !part.trim().is_empty()) {
            let (range, stride) = match part.split_once(':') {
                Some((range, stride)) => (range, number(stride)?),
                None => (part, 1),
            };
            let (first, last) = match range.split_once('-') {
                Some((first, last)) => (number(first)?, number(last)?),
                None => (number(range)?, number(range)?),
            };
            if first > last || stride == 0 {
                return Err(error());
            }
            if stride == 1 {
                ranges.push((first, last));
                continue;
            }
            left = left.checked_sub((last - first) / stride + 1).ok_or_else(error)?;
            ranges.extend((first..=last).step_by(stride as usize).map(|number| (number, number)));
        }
        Ok(Self(joined(ranges)))
    }
}

impl TryFrom<String> for PuSet {
    type Error = ParsePuSetError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<PuSet> for String {
    fn from(set: PuSet) -> Self {
        set.to_string()
    }
}

impl fmt::Display for PuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (first, last) in &self.0 {
            match last - first {
                0 => write!(f, "{separator}{first}")?,
                _ => write!(f, "{separator}{first}-{last}")?,
            }
            separator = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_the_kernel_writes() {
        let set: PuSet = "0-3,8,10-14:2\n".parse().unwrap();
        assert_eq!(set.iter().map(|pu| pu.0).collect::<Vec<_>>(), [0, 1, 2, 3, 8, 10, 12, 14]);
        assert_eq!("\n".parse::<PuSet>().unwrap(), PuSet::new());
    }

    #[test]
    fn refuses_text_that_is_not_a_list() {
        for text in ["a", "3-1", "1-", "0-4294967295", "0-3:0", "-1"] {
            assert!(text.parse::<PuSet>().is_err(), "{text}");
        }
    }

    /// Each of 300,000 such ranges, which a result of 3 MB has room for, was a million entries.
    #[test]
    fn a_long_list_of_long_ranges_is_one_range() {
        let list = "0-65535,".repeat(300_000);
        assert_eq!(list.parse::<PuSet>().unwrap().to_string(), "0-65535");
        assert!("0-65535:2,".repeat(300_000).parse::<PuSet>().is_err());
    }

    proptest! {
        #[test]
        fn it_is_a_set_whatever_the_order(pus in proptest::collection::vec(0u32..40, 0..60), asked in 0u32..42) {
            let known: std::collections::BTreeSet<PuId> = pus.iter().copied().map(PuId).collect();
            let mut set = PuSet::new();
            pus.iter().for_each(|pu| set.insert(PuId(*pu)));
            prop_assert!(set.iter().eq(known.iter().copied()) && set.iter().rev().eq(known.iter().rev().copied()));
            prop_assert_eq!(set.len(), known.len());
            prop_assert_eq!(set.contains(PuId(asked)), known.contains(&PuId(asked)));
            prop_assert_eq!(&set, &pus.iter().copied().map(PuId).collect::<PuSet>());
        }

        #[test]
        fn printing_and_reading_give_the_same_set(pus in proptest::collection::btree_set(0u32..300, 0..60)) {
            let set: PuSet = pus.into_iter().map(PuId).collect();
            prop_assert_eq!(set.to_string().parse::<PuSet>().unwrap(), set);
        }
    }
}

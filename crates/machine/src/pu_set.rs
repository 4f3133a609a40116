//! Sets of PUs, in the kernel's list form: `0-3,8,10-11`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::PuId;

/// A set of PUs, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct PuSet(BTreeSet<PuId>);

/// Why a text is not a list of PUs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a CPU list (expected numbers and ranges such as `0-3,8,10-14:2`)")]
pub struct ParsePuSetError {
    /// The text.
    pub text: String,
}

/// The largest number in a set. No machine has more PUs, so a range such as `0-4294967295` is an error, not four billion
/// entries.
const LARGEST: u32 = 1 << 20;

impl PuSet {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of PUs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `pu` is in the set.
    pub fn contains(&self, pu: PuId) -> bool {
        self.0.contains(&pu)
    }

    /// The lowest PU.
    pub fn first(&self) -> Option<PuId> {
        self.0.first().copied()
    }

    /// Adds a PU.
    pub fn insert(&mut self, pu: PuId) {
        self.0.insert(pu);
    }

    /// The PUs in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = PuId> + '_ {
        self.0.iter().copied()
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
        Self(pus.into_iter().collect())
    }
}

impl FromStr for PuSet {
    type Err = ParsePuSetError;

    /// Parses the kernel's list form, including strides (`0-10:2`). An empty text is an empty set.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParsePuSetError { text: text.trim().to_owned() };
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&n| n < LARGEST).ok_or_else(error);
        let mut set = BTreeSet::new();
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
            set.extend((first..=last).step_by(stride as usize).map(PuId));
        }
        Ok(Self(set))
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
        let mut pus = self.0.iter().map(|pu| pu.0).peekable();
        let mut separator = "";
        while let Some(first) = pus.next() {
            let mut last = first;
            while let Some(next) = pus.next_if_eq(&(last + 1)) {
                last = next;
            }
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

    proptest! {
        #[test]
        fn printing_and_reading_give_the_same_set(pus in proptest::collection::btree_set(0u32..300, 0..60)) {
            let set: PuSet = pus.into_iter().map(PuId).collect();
            prop_assert_eq!(set.to_string().parse::<PuSet>().unwrap(), set);
        }
    }
}

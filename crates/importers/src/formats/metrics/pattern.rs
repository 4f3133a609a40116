//! Names of metrics with holes: `mem_bandwidth_matrix_numa_{initiator}_{target}_bw`.

use std::fmt;

use zerohop_result::Axis;

/// What a hole of a name holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hole {
    /// The place along an axis.
    Axis(Axis),
    /// The size of a buffer in units of 1024 bytes.
    Kibibytes,
    /// The size of a buffer in units of 10^6 bytes.
    Megabytes,
}

/// A name with holes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    text: String,
    /// What stands before the first hole.
    head: String,
    /// Each hole, and what stands behind it.
    holes: Vec<(Hole, String)>,
}

impl Pattern {
    /// Reads a pattern; otherwise, what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split('{');
        let head = parts.next().unwrap_or_default().to_owned();
        let mut holes = Vec::new();
        for part in parts {
            let (name, behind) = part.split_once('}').ok_or("a brace that is not closed")?;
            let hole = match name {
                "footprint_kib" => Hole::Kibibytes,
                "footprint_mb" => Hole::Megabytes,
                name => Axis::ALL
                    .into_iter()
                    .find(|axis| axis.name() == name)
                    .map(Hole::Axis)
                    .ok_or_else(|| format!("no axis `{name}`"))?,
            };
            if holes.last().is_some_and(|(_, behind): &(Hole, String)| behind.is_empty()) {
                return Err("two holes with nothing between them".to_owned());
            }
            holes.push((hole, behind.to_owned()));
        }
        Ok(Self { text: text.to_owned(), head, holes })
    }

    /// The longest part of it without a hole: a text without it has no such name.
    pub(super) fn longest_word(&self) -> &str {
        let words = std::iter::once(&self.head).chain(self.holes.iter().map(|(_, behind)| behind));
        // Where a name is nested, its parts stand apart.
        words.flat_map(|word| word.split('/')).max_by_key(|word| word.len()).unwrap_or_default()
    }

    /// What the holes hold in a name; `None` if it is another one. No hole holds nothing, or a slash.
    pub(super) fn fit(&self, name: &str) -> Option<Vec<(Hole, String)>> {
        let mut rest = name.strip_prefix(self.head.as_str())?;
        let mut held = Vec::new();
        for (rank, (hole, behind)) in self.holes.iter().enumerate() {
            let is_last = rank + 1 == self.holes.len();
            let end = match (is_last, behind.as_str()) {
                (true, behind) => rest
                    .len()
                    .checked_sub(behind.len())
                    .filter(|end| rest.ends_with(behind) && rest.is_char_boundary(*end))?,
                (false, behind) => rest.find(behind)?,
            };
            let inside = &rest[..end];
            if inside.is_empty() || inside.contains('/') {
                return None;
            }
            held.push((*hole, inside.to_owned()));
            rest = &rest[end + behind.len()..];
        }
        rest.is_empty().then_some(held)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_hold_what_stands_between_the_words() {
        let pattern = Pattern::parse("a/numa_{initiator}_{target}_bw").unwrap();
        let fit = |name: &str| {
            pattern.fit(name).map(|held| held.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(fit("a/numa_0_11_bw").as_deref(), Some("0 11"));
        for name in ["a/numa_0__bw", "a/numa_0_1_bw2", "b/numa_0_1_bw", "a/numa_0_bw", ""] {
            assert_eq!(fit(name), None, "{name}");
        }
        assert_eq!(Pattern::parse("{case}/x").unwrap().fit("a/b/x"), None, "a hole holds no slash");
        assert_eq!(Pattern::parse("plain").unwrap().fit("plain"), Some(Vec::new()));
        assert_eq!(pattern.longest_word(), "numa_");
        for wrong in ["{", "{nothing}", "{initiator}{target}"] {
            assert!(Pattern::parse(wrong).is_err(), "{wrong}");
        }
    }
}

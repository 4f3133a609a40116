//! Names above the marks of an axis: marks near each other share a tag, and tags that would meet stand in rows.

use crate::svg::canvas::Point;

/// Marks this near to each other, in pixels, share a tag, of up to so many names.
const NEAR: f64 = 36.0;
const NAMED: usize = 3;

/// Room between two tags of a row.
const GAP: f64 = 6.0;

/// Height of a row.
const ROW: f64 = 13.0;

/// Between a tag and the marks below it.
const ABOVE: f64 = 8.0;

/// A tag: where it begins, its row above the marks, its base line, and its words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NameTag {
    pub(crate) left: f64,
    row: usize,
    pub(crate) base: f64,
    pub(crate) words: String,
}

/// The tags of marks, each with its place and the name of its node, from left to right, in rows of this width. Where no row is free, a tag is left
/// out.
pub(crate) fn name_tags(marks: &[(Point, &str)], rows: usize, width: f64, letter: f64) -> Vec<NameTag> {
    let mut ends = vec![f64::NEG_INFINITY; rows];
    let mut tags = Vec::new();
    for near in marks.chunk_by(|one, other| other.0.x - one.0.x < NEAR) {
        let mut names: Vec<&str> = near.iter().map(|(_, name)| *name).collect();
        names.sort_unstable();
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        let words = format!("{}{more}", names.join(", "));
        let long = words.chars().count() as f64 * letter;
        let middle = (near[0].0.x + near[near.len() - 1].0.x) / 2.0;
        let top = near.iter().map(|(place, _)| place.y).fold(f64::INFINITY, f64::min);
        let left = (middle - long / 2.0).min(width - long).max(0.0);
        if let Some(row) = ends.iter().position(|end| *end + GAP <= left) {
            ends[row] = left + long;
            tags.push(NameTag { left, row, base: top - ABOVE - row as f64 * ROW, words });
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::canvas::at;

    /// Three names were printed on each other.
    #[test]
    fn no_two_tags_cover_each_other() {
        let marks =
            [(10.0, "n11"), (10.0, "n10"), (12.0, "n12"), (60.0, "n20"), (100.0, "n30"), (380.0, "n4")];
        let marks = marks.map(|(x, name)| (at(x, 100.0), name));
        let tags = name_tags(&marks, 2, 380.0, 6.0);
        let words: Vec<(&str, usize)> = tags.iter().map(|tag| (tag.words.as_str(), tag.row)).collect();
        assert_eq!(words, [("n10, n11, n12", 0), ("n20", 1), ("n30", 0), ("n4", 0)]);
        for (rank, one) in tags.iter().enumerate() {
            let end = one.left + one.words.len() as f64 * 6.0;
            assert!(end <= 380.0);
            assert!(tags[rank + 1..].iter().all(|other| other.row != one.row || other.left >= end + GAP));
        }
        assert!((tags[0].base - 92.0).abs() < 1e-9 && (tags[1].base - 79.0).abs() < 1e-9);
        let names: Vec<String> = (0..9).map(|rank| format!("n{rank}")).collect();
        let crowd: Vec<(Point, &str)> = names.iter().map(|name| (at(20.0, 5.0), name.as_str())).collect();
        assert_eq!(name_tags(&crowd, 1, 380.0, 6.0)[0].words, "n0, n1, n2 +6");
    }
}

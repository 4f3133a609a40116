//! Tables that people type: what is in their cells.

use crate::number::{is_remark, number, thousands};

/// Units of bandwidth in lower case, and their decimal GB/s; bits and those of 2^10 first, since their names hold no other's.
const UNITS: [(&str, f64); 18] = [
    ("gbit/s", 0.125),
    ("mbit/s", 0.125e-3),
    ("gib/s", 1.073_741_824),
    ("gibps", 1.073_741_824),
    ("mib/s", 1.048_576e-3),
    ("mibps", 1.048_576e-3),
    ("gb/s", 1.0),
    ("gbps", 1.0),
    ("gbs", 1.0),
    ("gb_s", 1.0),
    ("gbyte", 1.0),
    ("gb_per_s", 1.0),
    ("mb/s", 1e-3),
    ("mbps", 1e-3),
    ("mb_s", 1e-3),
    ("mbyte", 1e-3),
    ("mb_per_s", 1e-3),
    ("tb/s", 1e3),
];

/// Lines before and behind a table in which its unit may stand.
const NEAR: (usize, usize) = (6, 4);

/// Without a unit, the largest of rates above this are MB/s: no machine moves as many GB/s to one node's CPUs.
pub(crate) const SURELY_MEGABYTES: f64 = 1500.0;

/// The cells of a line, without marks of stress: between tabs, semicolons or commas or, without any, between blanks.
pub(crate) fn cells(line: &str) -> Vec<&str> {
    match ['\t', ';', ','].into_iter().find(|&separator| line.contains(separator)) {
        Some(separator) => line.split(separator).map(plain).collect(),
        None => line.split_whitespace().map(plain).collect(),
    }
}

fn plain(cell: &str) -> &str {
    cell.trim_matches(['*', '`', '"', '\\', ' '])
}

/// The decimal GB/s of the unit of bandwidth that a text names, in lower case.
pub(crate) fn unit(lower: &str) -> Option<f64> {
    UNITS.into_iter().find_map(|(name, gigabytes)| lower.contains(name).then_some(gigabytes))
}

/// The unit that lines around a table state.
pub(crate) fn unit_near<'a>(line: impl Fn(usize) -> &'a str, (first, last): (usize, usize)) -> Option<f64> {
    let before = (first.saturating_sub(NEAR.0)..first).rev();
    before.chain(last + 1..=last + NEAR.1).find_map(|rank| unit(&line(rank).to_ascii_lowercase()))
}

/// A rate, and its unit if the cell has one: `80.3`, `80.3 GB/s`, `2448MB/s`, `61,984 (88 %)`.
pub(crate) fn rate(cell: &str) -> Option<(f64, Option<f64>)> {
    let cell = plain(cell);
    let is_digit = |one: char| one.is_ascii_digit() || matches!(one, '.' | ',' | '+' | '-');
    let end = cell.find(|one| !is_digit(one)).unwrap_or(cell.len());
    let value = number(&cell[..end]).filter(|value| value.is_finite())?;
    let (value, rest) = match cell[end..].trim() {
        "k" | "K" => (thousands(cell)?, ""),
        rest => (value, rest),
    };
    if rest.is_empty() || is_remark(rest) || rest.starts_with('±') {
        return Some((value, None));
    }
    let lower = rest.to_ascii_lowercase();
    let is_unit = !lower.contains(char::is_whitespace) && lower.starts_with(['g', 'm', 't']);
    is_unit.then(|| unit(&lower)).flatten().map(|unit| (value, Some(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_as_people_type_them() {
        for (cell, found) in [
            ("80.5", Some((80.5, None))),
            ("**80.5 GB/s**", Some((80.5, Some(1.0)))),
            ("2450MB/s", Some((2450.0, Some(1e-3)))),
            ("61,980", Some((61_980.0, None))),
            ("61,980 (88 %)", Some((61_980.0, None))),
            ("150.6k", Some((150_600.0, None))),
            ("77%", None),
            ("-", None),
            ("8 threads", None),
        ] {
            assert_eq!(rate(cell), found, "{cell}");
        }
        assert_eq!((unit("copy [mib/s]"), unit("copy")), (Some(1.048_576e-3), None));
        assert_eq!(cells("8, 80.5, **51.5**"), ["8", "80.5", "51.5"]);
    }
}

//! Numbers for people: three or four significant digits, and margins never narrower than measured.

use zerohop_result::{Cell, Certain, Estimate, Measure};
use zerohop_units::RelativeMargin;
pub(crate) use zerohop_units::counted;

use crate::measure::shown;

/// Decimals that leave `value` three or four significant digits.
pub(crate) fn decimals(value: f64) -> usize {
    match value.abs() {
        magnitude if magnitude >= 1000.0 => 0,
        magnitude if magnitude >= 10.0 => 1,
        magnitude if magnitude >= 1.0 => 2,
        _ => 3,
    }
}

/// Values whose digits are written out.
const LEAST_IN_FULL: f64 = 1e-6;
const MOST_IN_FULL: f64 = 1e7;

/// `value` with three or four significant digits; a dash for NaN and infinities.
pub(crate) fn significant(value: f64) -> String {
    if !value.is_finite() {
        "–".to_owned()
    } else if value == 0.0 {
        // Decimals would suggest that it was merely close to zero.
        "0".to_owned()
    } else if !(LEAST_IN_FULL..MOST_IN_FULL).contains(&value.abs()) {
        format!("{value:.3e}")
    } else {
        format!("{value:.*}", decimals(value))
    }
}

/// The median and the distance to the interval's farther end, with no more decimals than the interval justifies. The margin is rounded up, so it
/// always covers the interval; an interval of zero width (a single sample) has no margin. If the margin exceeds the value, the interval is
/// meaningless, and its ends are not shown: the bad one may be anywhere.
pub(crate) fn figures(estimate: &Estimate) -> (String, Option<String>) {
    let half = (estimate.high - estimate.median).max(estimate.median - estimate.low);
    if !half.is_finite()
        || half <= 0.0
        || !estimate.median.is_finite()
        || estimate.median.abs() >= MOST_IN_FULL
    {
        return (significant(estimate.median), None);
    }
    let certain = match half {
        half if half >= 10.0 => 0,
        half if half >= 1.0 => 1,
        half if half >= 0.1 => 2,
        _ => 3,
    };
    let digits = decimals(estimate.median).min(certain);
    let value = format!("{:.digits$}", estimate.median);
    if half > estimate.median.abs() {
        return (value, Some(UNCERTAIN.to_owned()));
    }
    let unit = 10f64.powi(digits as i32);
    // An excess of a millionth of the last digit is noise of the division, not of the measurement.
    let margin = (half * unit - 1e-6).ceil() / unit;
    (value, (margin > 0.0).then(|| format!("±{margin:.digits$}")))
}

/// What stands for a margin that exceeds its value.
const UNCERTAIN: &str = "(uncertain)";

/// The value of a cell and its margin; if the interval is too wide to state a value, the one-sided bound.
pub(crate) fn figures_of(cell: &Cell) -> (String, Option<String>) {
    match cell.certain() {
        Some(certain) => (bound(certain, cell.measure), None),
        None => figures(&shown(cell)),
    }
}

/// The median of a cell; if its interval is too wide to state a value, the one-sided bound.
pub(crate) fn value_of(cell: &Cell) -> String {
    let certain = cell.certain().map(|certain| bound(certain, cell.measure));
    certain.unwrap_or_else(|| significant(shown(cell).median))
}

/// A bound after its sign, rounded outward: `≤ 131`.
pub(crate) fn bound(certain: Certain, measure: Measure) -> String {
    let value = measure.dimension().shown(certain.bound());
    if value.abs() >= MOST_IN_FULL {
        let sign = if matches!(certain, Certain::AtLeast(_)) { "≥" } else { "≤" };
        return format!("{sign} {}", significant(value));
    }
    // Three digits are more than a wide interval justifies.
    let digits = if value >= 100.0 { 0 } else { decimals(value) };
    let unit = 10f64.powi(digits as i32);
    match certain {
        Certain::AtLeast(_) => format!("≥ {:.digits$}", (value * unit + 1e-6).floor() / unit),
        Certain::AtMost(_) => format!("≤ {:.digits$}", (value * unit - 1e-6).ceil() / unit),
    }
}

/// An interval by its ends, for one that is wider than its value: `(3.10 to 68.4)`.
pub(crate) fn ends(low: f64, high: f64) -> String {
    format!("({} to {})", significant(low), significant(high))
}

/// The distance from a median to its interval's farther end, in percent of the median.
pub(crate) fn half_width(relative: f64) -> String {
    RelativeMargin(relative).to_string()
}

/// A share in percent, with one decimal if it is not whole, rounded down: for shares that ought to be 100 %.
pub(crate) fn percent_at_least(share: f64) -> String {
    percent((share * 1000.0 + 1e-6).floor() / 10.0)
}

/// A share in percent, with one decimal if it is not whole, rounded up: for shares that ought to be zero.
pub(crate) fn percent_at_most(share: f64) -> String {
    // Nothing is rounded up to minus zero, which is no less than zero: what is added makes it zero.
    percent(((share * 1000.0 - 1e-6).ceil().max(0.0) + 0.0) / 10.0)
}

fn percent(percent: f64) -> String {
    if percent.fract() == 0.0 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the program was not optimized, a hypervisor took "-0 %" of the time.
    #[test]
    fn a_share_of_nothing_has_no_sign() {
        assert_eq!(percent_at_most(0.0), "0 %");
    }

    fn estimate(median: f64, low: f64, high: f64) -> Estimate {
        Estimate { median, low, high, min: low, max: high, mean: median, standard_deviation: 0.0 }
    }

    #[test]
    fn three_or_four_digits() {
        let shown = [1.0234, 12.345, 95.26, 145.93, 1234.5, 0.5, 2.5e9, 0.0, f64::NAN].map(significant);
        assert_eq!(shown, ["1.02", "12.3", "95.3", "145.9", "1234", "0.500", "2.500e9", "0", "–"]);
    }

    #[test]
    fn a_margin_covers_the_interval() {
        let shown = |median, low, high| {
            let (value, margin) = figures(&estimate(median, low, high));
            format!("{value} {}", margin.unwrap_or_default())
        };
        assert_eq!(shown(95.3, 95.0, 95.71), "95.3 ±0.5");
        assert_eq!(shown(1.02, 1.0199, 1.0201), "1.02 ±0.01");
        assert_eq!(shown(95.3, 95.1, 95.3), "95.3 ±0.2");
        assert_eq!(shown(95.3, 95.3, 95.3), "95.3 ");
        assert_eq!(shown(95.3, 95.3, 95.3 + 1e-9), "95.3 ", "never ±0.0");
        assert_eq!(shown(972.1, 700.0, 1257.0), "972 ±285");
        assert_eq!(shown(5.68, 3.1, 10.3), "5.7 ±4.7");
        assert_eq!(shown(71.2, 70.0, 1e6), "71 (uncertain)");
    }

    #[test]
    fn shares_are_never_flattered() {
        assert_eq!(percent_at_least(0.9999), "99.9 %");
        assert_eq!(percent_at_least(1.0), "100 %");
        assert_eq!(percent_at_most(0.0001), "0.1 %");
        assert_eq!(percent_at_most(0.0), "0 %");
        assert_eq!(
            (half_width(0.0023), half_width(7.5)),
            ("±0.3 %".to_owned(), "a factor of more than 2".to_owned())
        );
    }
}

//! Published values, and the deviation of other values from them.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::{Dimension, Measure};
use zerohop_units::{GigabytesPerSecond, Nanoseconds, ParseQuantityError};

/// A value with its unit, as documents and models state it.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    /// A ratio or a share, in percent.
    Percent(f64),
    /// Decimal GB/s.
    GigabytesPerSecond(GigabytesPerSecond),
    /// ns.
    Nanoseconds(Nanoseconds),
    /// A dimensionless value, such as the length of a queue.
    Count(f64),
}

/// The deviation of one amount from another, or its tolerance.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// Percentage points, between two percentages.
    Points(f64),
    /// Percent of the published amount.
    Percent(f64),
}

/// Reason why a text is not an amount or a tolerance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseAmountError {
    /// It does not begin with a valid number.
    #[error("`{text}` is not {expected}")]
    NoNumber {
        text: String,
        /// The expected form, with an example.
        expected: &'static str,
    },
    /// The unit differs from that of the measure.
    #[error("`{text}` cannot be compared with {measure}, which is {unit}")]
    OtherUnit {
        text: String,
        /// The measure in words.
        measure: &'static str,
        /// The unit of the measure's values.
        unit: &'static str,
    },
    /// It is not a rate or a time.
    #[error(transparent)]
    Quantity(#[from] ParseQuantityError),
    /// A tolerance in percentage points for an amount that is not in percent.
    #[error("`{text}` is in percentage points, but the published amount is not in percent")]
    NoPoints { text: String },
}

/// Units that a measure may be published in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Percent,
    GigabytesPerSecond,
    Nanoseconds,
    Count,
}

fn unit(measure: Measure) -> Unit {
    match measure.dimension() {
        Dimension::Time => Unit::Nanoseconds,
        Dimension::Rate => Unit::GigabytesPerSecond,
        Dimension::Ratio | Dimension::Share => Unit::Percent,
        Dimension::Count | Dimension::PerSecond | Dimension::Unknown => Unit::Count,
    }
}

impl Unit {
    const fn words(self) -> &'static str {
        match self {
            Self::Percent => "in percent",
            Self::GigabytesPerSecond => "in GB/s",
            Self::Nanoseconds => "in ns",
            Self::Count => "a bare number",
        }
    }
}

impl Amount {
    /// Reads a published value of a measure.
    ///
    /// # Errors
    /// When the text is not a number with a unit, or its unit is not that of the measure.
    pub fn parse(text: &str, measure: Measure) -> Result<Self, ParseAmountError> {
        let is_percent = text.trim_end().ends_with('%');
        match unit(measure) {
            Unit::Percent if is_percent => Ok(Self::Percent(percent(text)?)),
            Unit::GigabytesPerSecond if !is_percent => Ok(Self::GigabytesPerSecond(text.parse()?)),
            Unit::Nanoseconds if !is_percent => Ok(Self::Nanoseconds(text.parse()?)),
            Unit::Count if !is_percent => Ok(Self::Count(number(text, text)?)),
            other => Err(ParseAmountError::OtherUnit {
                text: text.to_owned(),
                measure: measure.words(),
                unit: other.words(),
            }),
        }
    }

    /// The amount of a result's value, in the unit of its measure.
    pub fn of(measure: Measure, value: f64) -> Self {
        match unit(measure) {
            Unit::Percent => Self::Percent(100.0 * value),
            Unit::GigabytesPerSecond => Self::GigabytesPerSecond(GigabytesPerSecond(value)),
            Unit::Nanoseconds => Self::Nanoseconds(Nanoseconds(value)),
            Unit::Count => Self::Count(value),
        }
    }

    /// `number` in the unit of `other`.
    pub(crate) const fn with_unit_of(other: Self, number: f64) -> Self {
        match other {
            Self::Percent(_) => Self::Percent(number),
            Self::GigabytesPerSecond(_) => Self::GigabytesPerSecond(GigabytesPerSecond(number)),
            Self::Nanoseconds(_) => Self::Nanoseconds(Nanoseconds(number)),
            Self::Count(_) => Self::Count(number),
        }
    }

    /// The bare number, in its unit.
    pub const fn get(self) -> f64 {
        match self {
            Self::Percent(number) | Self::Count(number) => number,
            Self::GigabytesPerSecond(rate) => rate.get(),
            Self::Nanoseconds(time) => time.get(),
        }
    }

    /// Unit of the amount, as printed.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Percent(_) => "%",
            Self::GigabytesPerSecond(_) => GigabytesPerSecond::UNIT,
            Self::Nanoseconds(_) => Nanoseconds::UNIT,
            Self::Count(_) => "",
        }
    }

    /// Excess over `published`: in percentage points if both are in percent and `tolerance` is not relative, else in percent of `published`.
    pub fn above(self, published: Self, tolerance: Option<Difference>) -> Difference {
        match (self, published, tolerance) {
            (Self::Percent(ours), Self::Percent(theirs), None | Some(Difference::Points(_))) => {
                Difference::Points(ours - theirs)
            }
            _ => Difference::Percent(100.0 * (self.get() / published.get() - 1.0)),
        }
    }
}

impl fmt::Display for Amount {
    /// With the requested precision, or as many digits as it has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.precision() {
            Some(digits) => write!(f, "{:.digits$}", self.get())?,
            None => write!(f, "{}", self.get())?,
        }
        match self.unit() {
            "" => Ok(()),
            unit => write!(f, " {unit}"),
        }
    }
}

impl Difference {
    /// Reads the tolerance of a published amount.
    ///
    /// # Errors
    /// When the text is not a tolerance, or is in percentage points although the amount is not in percent.
    pub fn parse(text: &str, published: Amount) -> Result<Self, ParseAmountError> {
        let tolerance = text.parse()?;
        match (tolerance, published) {
            (Self::Points(_), Amount::Percent(_)) | (Self::Percent(_), _) => Ok(tolerance),
            (Self::Points(_), _) => Err(ParseAmountError::NoPoints { text: text.to_owned() }),
        }
    }

    pub const fn get(self) -> f64 {
        match self {
            Self::Points(number) | Self::Percent(number) => number,
        }
    }

    /// Unit of the difference, as printed.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Points(_) => "pp",
            Self::Percent(_) => "%",
        }
    }

    /// Whether it is within `tolerance`, which is of the same kind.
    pub fn is_within(self, tolerance: Self) -> bool {
        // NaN is within no tolerance.
        self.get().abs() <= tolerance.get()
    }
}

impl FromStr for Difference {
    type Err = ParseAmountError;

    fn from_str(text: &str) -> Result<Self, ParseAmountError> {
        let trimmed = text.trim();
        match trimmed.strip_suffix("pp") {
            Some(points) => Ok(Self::Points(number(points, text)?)),
            None => Ok(Self::Percent(percent(text)?)),
        }
    }
}

impl fmt::Display for Difference {
    /// With the requested precision and sign, or as many digits as it has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, unit) = (self.get(), self.unit());
        // Not `-0.0`.
        let is_zero = |digits: usize| number.abs() < 0.5 / 10.0_f64.powi(digits as i32);
        let number = if f.precision().is_some_and(is_zero) { 0.0 } else { number };
        match (f.precision(), f.sign_plus()) {
            (Some(digits), true) => write!(f, "{number:+.digits$} {unit}"),
            (Some(digits), false) => write!(f, "{number:.digits$} {unit}"),
            (None, true) => write!(f, "{number:+} {unit}"),
            (None, false) => write!(f, "{number} {unit}"),
        }
    }
}

fn percent(text: &str) -> Result<f64, ParseAmountError> {
    number(text.trim().strip_suffix('%').unwrap_or(""), text)
}

/// A finite number that is not negative.
fn number(digits: &str, text: &str) -> Result<f64, ParseAmountError> {
    let parsed = digits.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    parsed.ok_or(ParseAmountError::NoNumber {
        text: text.to_owned(),
        expected: "a number with its unit (for example `6 %`, `6 pp`)",
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_amount_has_the_unit_of_its_measure() {
        assert_eq!(Amount::parse("113 %", Measure::RelativeTime), Ok(Amount::Percent(113.0)));
        assert_eq!(
            Amount::parse("752 MB/s", Measure::LinkTraffic),
            Ok(Amount::GigabytesPerSecond(GigabytesPerSecond(0.752)))
        );
        assert_eq!(Amount::parse("95ns", Measure::Latency), Ok(Amount::Nanoseconds(Nanoseconds(95.0))));
        let error = Amount::parse("3.5 GB/s", Measure::RelativeTime).unwrap_err().to_string();
        assert_eq!(error, "`3.5 GB/s` cannot be compared with relative time, which is in percent");
        assert!(Amount::parse("-3 %", Measure::RelativeTime).is_err());
        assert!(Amount::parse("%", Measure::RelativeTime).is_err());
    }

    #[test]
    fn a_result_becomes_what_documents_print() {
        assert_eq!(format!("{:.1}", Amount::of(Measure::RelativeTime, 1.1342)), "113.4 %");
        assert_eq!(format!("{:.2}", Amount::of(Measure::LinkTraffic, 3.456)), "3.46 GB/s");
    }

    #[test]
    fn percentages_differ_in_points_unless_a_share_is_asked_for() {
        let (ours, theirs) = (Amount::Percent(66.0), Amount::Percent(60.0));
        assert_eq!(ours.above(theirs, None), Difference::Points(6.0));
        assert_eq!(ours.above(theirs, Some(Difference::Points(1.0))), Difference::Points(6.0));
        let relative = ours.above(theirs, Some(Difference::Percent(8.0)));
        assert_eq!(format!("{relative:+.1}"), "+10.0 %");
        let hardly = |percent: f64| format!("{:+.1}", Difference::Percent(percent));
        assert_eq!([hardly(-1e-12), hardly(-0.04), hardly(-0.06)], ["+0.0 %", "+0.0 %", "-0.1 %"]);
        assert!(!relative.is_within(Difference::Percent(8.0)));
    }

    #[test]
    fn what_is_no_number_is_within_nothing() {
        assert!(!Difference::Points(f64::NAN).is_within(Difference::Points(1e9)));
    }

    #[test]
    fn points_are_for_percentages() {
        let rate = Amount::GigabytesPerSecond(GigabytesPerSecond(1.0));
        assert_eq!(Difference::parse("6 pp", Amount::Percent(1.0)), Ok(Difference::Points(6.0)));
        assert_eq!(Difference::parse("8 %", rate), Ok(Difference::Percent(8.0)));
        assert!(matches!(Difference::parse("6 pp", rate), Err(ParseAmountError::NoPoints { .. })));
        assert!(Difference::parse("6", rate).is_err());
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(value in 0.0..1e6f64) {
            for measure in [Measure::RelativeTime, Measure::LinkTraffic, Measure::Latency, Measure::Occupancy] {
                let amount = Amount::of(measure, value);
                prop_assert_eq!(Amount::parse(&amount.to_string(), measure), Ok(amount));
            }
        }

        #[test]
        fn garbage_is_refused_without_a_panic(text in ".{0,20}") {
            let _ = Amount::parse(&text, Measure::RelativeTime);
            let _ = text.parse::<Difference>();
        }
    }
}

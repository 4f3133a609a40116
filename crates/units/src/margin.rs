//! The half width of a confidence interval, as people read it.

use std::fmt;

/// The distance from a value to the farther end of its interval, relative to the value: 0.01 is 1 %.
///
/// It is printed in percent and rounded up, so that it always covers the interval: `±2.5 %`. Below a tenth of a percent it has
/// one significant digit (`±0.03 %`). With a margin larger than the value itself, the interval reaches beyond twice the value: it is
/// printed as `a factor of more than 2`. Whoever has the interval prints its ends instead.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct RelativeMargin(pub f64);

/// Smaller margins, in percent, are printed as less than this.
const LEAST: f64 = 0.001;

/// Rounding error to ignore, as a fraction of the last digit.
const NOISE: f64 = 1e-6;

impl fmt::Display for RelativeMargin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.0 * 100.0;
        if percent.is_nan() || percent > 100.0 * (1.0 + NOISE) {
            return f.write_str("a factor of more than 2");
        }
        if percent <= 0.0 {
            return f.write_str("±0 %");
        }
        if percent < LEAST {
            return write!(f, "±<{LEAST} %");
        }
        let decimals = if percent >= 0.1 { 1 } else { (-libm::log10(percent)).ceil() as i32 };
        let unit = 10f64.powi(decimals);
        let shown = (percent * unit - NOISE).ceil() / unit;
        if shown.fract() == 0.0 {
            write!(f, "±{shown:.0} %")
        } else {
            write!(f, "±{shown:.*} %", decimals as usize)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_margin_is_never_blank_and_beyond_the_value_it_is_a_factor() {
        let shown =
            [0.0, 4.4e-8, 0.00034, 0.0004, 0.0023, 0.01, 0.902, 1.0, 19321.301, f64::INFINITY, f64::NAN]
                .map(|margin| RelativeMargin(margin).to_string());
        let expected = [
            "±0 %",
            "±<0.001 %",
            "±0.04 %",
            "±0.04 %",
            "±0.3 %",
            "±1 %",
            "±90.2 %",
            "±100 %",
            "a factor of more than 2",
            "a factor of more than 2",
            "a factor of more than 2",
        ];
        assert_eq!(shown, expected);
    }

    proptest! {
        #[test]
        fn what_is_printed_covers_the_interval(margin in 1e-5f64..=1.0) {
            let shown = RelativeMargin(margin).to_string();
            let percent: f64 = shown.trim_start_matches('±').trim_end_matches(" %").parse().unwrap();
            prop_assert!(percent >= 100.0 * margin * (1.0 - 1e-6), "{shown} for {margin}");
            prop_assert!(percent <= (100.0 * margin + 0.1).max(200.0 * margin), "{shown} for {margin}");
        }
    }
}

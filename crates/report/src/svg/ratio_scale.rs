//! An axis of ratios: the same distance for the same factor, and 1 in its middle or where it belongs.

use crate::svg::canvas::{Canvas, Type, at};
use crate::svg::palette::{FAINT, HAIRLINE, INK};

/// Ratios that are written at an axis, if they have room: 1 first, and then the rounder ones.
const TICKS: [f64; 21] = [
    1.0, 0.5, 2.0, 0.25, 4.0, 0.1, 10.0, 0.8, 1.25, 0.9, 1.1, 0.05, 20.0, 0.95, 1.05, 0.98, 1.02, 0.99, 1.01,
    0.01, 100.0,
];
/// Between two numbers at an axis.
const APART: f64 = 46.0;
/// The narrowest axis: 2 % either way.
const NARROWEST: f64 = 1.02;

/// An axis between two pixels.
pub(super) struct RatioScale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl RatioScale {
    /// Scale from the smallest to the largest of these and 1; values that are not ratios are omitted.
    pub(super) fn over(ratios: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (1.0 / NARROWEST, NARROWEST);
        for ratio in ratios.filter(|ratio| ratio.is_finite() && *ratio > 0.0) {
            low = ratio.min(low);
            high = ratio.max(high);
        }
        // Some room at both ends.
        let room = libm::pow(high / low, 0.04);
        Self { low: libm::log2(low / room), high: libm::log2(high * room), from, to }
    }

    /// The place of a ratio; beyond the ends, that of the end.
    pub(super) fn at(&self, ratio: f64) -> f64 {
        let share = (libm::log2(ratio) - self.low) / (self.high - self.low);
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self.from + share * (self.to - self.from)
    }

    /// Draws the axis behind rows from `top` to `bottom`, its numbers below.
    pub(super) fn draw(&self, drawing: &mut Canvas, top: f64, bottom: f64) {
        let mut written: Vec<f64> = Vec::new();
        for tick in TICKS {
            let log = libm::log2(tick);
            let x = self.at(tick);
            if log < self.low || log > self.high || written.iter().any(|other| (other - x).abs() < APART) {
                continue;
            }
            let (stroke, width) = if tick == 1.0 { (INK, 1.25) } else { (HAIRLINE, 1.0) };
            drawing.line(at(x, top), at(x, bottom), stroke, width);
            drawing.text(at(x, bottom + 14.0), Type::new(10.5).fill(FAINT).middle(), &tick.to_string());
            written.push(x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_and_half_are_equally_far_from_one_which_is_always_there() {
        let scale = RatioScale::over([0.5, 2.0, f64::NAN, 0.0, -1.0].into_iter(), 0.0, 100.0);
        assert!((scale.at(1.0) - 50.0).abs() < 1e-9);
        assert!((scale.at(2.0) - 50.0 - (50.0 - scale.at(0.5))).abs() < 1e-9);
        assert_eq!((scale.at(0.0), scale.at(1e9)), (0.0, 100.0));
        let better = RatioScale::over([3.0, 29.0].into_iter(), 0.0, 100.0);
        assert!((0.0..30.0).contains(&better.at(1.0)));
        let same = RatioScale::over(std::iter::empty(), 0.0, 100.0);
        assert!((same.at(1.0) - 50.0).abs() < 1e-9);
    }
}

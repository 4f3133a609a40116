//! Values with the intervals that the page shows, and what these leave open of a threshold.

use zerohop_result::{Cell, Estimate, Over};

use crate::words::significant;

/// A doubtful value may be off by this factor beyond its interval: as much as faults cost, which is what the verdict of the page takes
/// values for that tell not even these apart.
const DOUBT: f64 = 1.5;

/// What would settle a value that is too close to its threshold.
const NARROWER: &str = "narrow them with `zerohop survey --full --wait-quiet 10m`";

/// Bounds of a value or a ratio.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) below: Option<f64>,
    pub(crate) above: Option<f64>,
}

/// A value, and how far it may be off either way, as a logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Resolved {
    pub(crate) value: f64,
    half: f64,
}

impl Resolved {
    /// Reduction of the cells' values and of the ends of their intervals.
    pub(crate) fn of<'a>(cells: impl IntoIterator<Item = &'a Cell>, over: Over) -> Option<Self> {
        let cells: Vec<&Cell> = cells.into_iter().collect();
        let together =
            |of: fn(&Estimate) -> f64| over.of(cells.iter().map(|cell| of(&cell.estimate)).collect());
        let value = together(|estimate| estimate.median)?;
        let (low, high) = together(|estimate| estimate.low).zip(together(|estimate| estimate.high))?;
        // An interval that reaches zero says nothing.
        let half = match low > 0.0 && high >= low {
            true => libm::log(high / low) / 2.0,
            false if low == high => 0.0,
            false => f64::INFINITY,
        };
        let doubt = if cells.iter().any(|cell| cell.is_doubtful()) { libm::log(DOUBT) } else { 0.0 };
        Some(Self { value, half: half + doubt })
    }

    /// The ratio of two values, whose errors are their own.
    pub(crate) fn over(self, other: Self) -> Self {
        Self { value: self.value / other.value, half: libm::hypot(self.half, other.half) }
    }

    /// The bound that the value has crossed, if any.
    ///
    /// # Errors
    /// The data needed to decide, in words, if a bound is within its interval.
    pub(crate) fn crossed(self, bounds: Bounds, of: impl FnOnce() -> String) -> Result<Option<f64>, String> {
        let (low, high) = (self.value * libm::exp(-self.half), self.value * libm::exp(self.half));
        if let Some(bound) = bounds.below.filter(|bound| high < *bound) {
            return Ok(Some(bound));
        }
        if let Some(bound) = bounds.above.filter(|bound| low > *bound) {
            return Ok(Some(bound));
        }
        let is_open = |bound: &f64| self.half > 0.0 && (low..=high).contains(bound);
        match bounds.below.into_iter().chain(bounds.above).find(is_open) {
            Some(bound) => Err(format!(
                "narrower intervals: {} is {} ({} to {}), which may be on either side of {}; {NARROWER}",
                of(),
                significant(self.value),
                significant(low),
                significant(high),
                significant(bound)
            )),
            None => Ok(None),
        }
    }
}

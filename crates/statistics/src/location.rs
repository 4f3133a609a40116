//! Where values lie, and how far they are spread.

/// The median of these values: the middle one, or the mean of the two in the middle. What is no number is left out; `None` if
/// nothing is left.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

/// The values in ascending order.
pub fn ascending(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The middle value, or the mean of the two in the middle.
pub(crate) fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    // Without rounding, and without a sum of infinities of both signs.
    Some(if lower == upper { upper } else { f64::midpoint(lower, upper) })
}

/// The value below which `share` of the values are, interpolated linearly between them. `sorted` ascends.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let below = sorted[place.floor() as usize];
    let above = sorted[place.ceil() as usize];
    Some(below + (above - below) * place.fract())
}

/// Arithmetic mean, and standard deviation with n - 1 in the denominator; zero for fewer than two.
pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count.max(1.0);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = if values.len() < 2 { 0.0 } else { (squares / (count - 1.0)).sqrt() };
    (mean, deviation)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seven definitions of a median once took the lower, the upper or the mean of two values in the middle.
    #[test]
    fn the_median_of_an_even_number_of_values_is_between_the_two_in_the_middle() {
        assert_eq!(median([4.0, 1.0, 2.0, 100.0]), Some(3.0));
        assert_eq!(median([3.0, 1.0, f64::NAN, 2.0]), Some(2.0));
        assert_eq!(median([f64::INFINITY, f64::INFINITY]), Some(f64::INFINITY));
        assert_eq!([median([]), median([f64::NAN])], [None, None]);
    }

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.25), Some(1.75));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn the_deviation_of_a_single_value_is_zero() {
        assert_eq!(mean_and_deviation(&[7.0]), (7.0, 0.0));
        let (mean, deviation) = mean_and_deviation(&[1.0, 2.0, 3.0]);
        assert_eq!((mean, deviation), (2.0, 1.0));
    }
}

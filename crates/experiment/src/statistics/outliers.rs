//! Samples far from the rest.

/// The number of samples beyond Tukey's outer fences: three interquartile ranges below the lower or above the upper
/// quartile (J. W. Tukey, *Exploratory Data Analysis*, Addison-Wesley 1977, chapter 2). `sorted` ascends.
pub(crate) fn count_outliers(sorted: &[f64]) -> u32 {
    let (Some(lower), Some(upper)) = (quantile(sorted, 0.25), quantile(sorted, 0.75)) else { return 0 };
    let reach = 3.0 * (upper - lower);
    let beyond = sorted.iter().filter(|&&sample| sample < lower - reach || sample > upper + reach);
    beyond.count() as u32
}

/// The value below which `share` of the samples are, interpolated linearly between samples.
pub(super) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let below = sorted[place.floor() as usize];
    let above = sorted[place.ceil() as usize];
    Some(below + (above - below) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_interpolated() {
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.25), Some(1.75));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn only_far_outliers_count() {
        // Quartiles 2 and 4, so the outer fences are at -4 and 10.
        assert_eq!(count_outliers(&[1.0, 2.0, 3.0, 4.0, 9.9]), 0);
        assert_eq!(count_outliers(&[1.0, 2.0, 3.0, 4.0, 10.1]), 1);
        assert_eq!(count_outliers(&[-40.0, 1.0, 2.0, 3.0, 4.0, 5.0, 60.0]), 2);
        assert_eq!(count_outliers(&[5.0; 9]), 0);
    }
}

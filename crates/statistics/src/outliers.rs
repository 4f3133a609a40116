//! Samples far from the rest.

use crate::quantile;

/// The number of samples beyond Tukey's outer fences: three interquartile ranges below the lower or above the upper
/// quartile (J. W. Tukey, *Exploratory Data Analysis*, Addison-Wesley 1977, chapter 2). `sorted` ascends.
pub fn count_outliers(sorted: &[f64]) -> u32 {
    let (Some(lower), Some(upper)) = (quantile(sorted, 0.25), quantile(sorted, 0.75)) else { return 0 };
    let reach = 3.0 * (upper - lower);
    let beyond = sorted.iter().filter(|&&sample| sample < lower - reach || sample > upper + reach);
    beyond.count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_far_outliers_count() {
        // Quartiles 2 and 4, so the outer fences are at -4 and 10.
        assert_eq!(count_outliers(&[1.0, 2.0, 3.0, 4.0, 9.9]), 0);
        assert_eq!(count_outliers(&[1.0, 2.0, 3.0, 4.0, 10.1]), 1);
        assert_eq!(count_outliers(&[-40.0, 1.0, 2.0, 3.0, 4.0, 5.0, 60.0]), 2);
        assert_eq!(count_outliers(&[5.0; 9]), 0);
    }
}

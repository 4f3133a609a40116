//! What a text says twice: numbers that follow from others of the same line or table, so that a changed one shows.

/// Why a shortest, a mean and a longest time cannot be those of the same runs.
pub(crate) fn disordered(least: f64, mean: f64, most: f64) -> Option<String> {
    let is_ordered = least <= mean && mean <= most;
    (!is_ordered).then(|| {
        format!("the shortest, mean and longest time are {least}, {mean} and {most} s, which is not in order")
    })
}

/// Why a rate in GB/s cannot be that of so many bytes in so many seconds, of which `these` words say what they are.
pub(crate) fn contradicted(
    rate: f64,
    (bytes, seconds): (f64, f64),
    tolerance: f64,
    these: &str,
) -> Option<String> {
    let expected = bytes / seconds / 1e9;
    ((rate - expected).abs() > tolerance * expected)
        .then(|| format!("{these} give {expected:.1} GB/s, not {rate:.1}: the unit or a number is wrong"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_an_order_and_give_rates() {
        assert_eq!(disordered(0.1, 0.2, 0.2), None);
        assert!(disordered(0.3, 0.2, 0.4).is_some() && disordered(0.1, 0.5, 0.4).is_some());
        assert_eq!(contradicted(2.0, (4e9, 2.0), 0.02, "they"), None);
        assert!(contradicted(2.1, (4e9, 2.0), 0.02, "they").is_some());
    }
}

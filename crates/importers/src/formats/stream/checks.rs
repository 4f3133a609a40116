//! What STREAM's numbers say of each other: a rate is the bytes that a kernel moves over its shortest time.

use zerohop_units::Bytes;

use crate::redundancy::{contradicted, disordered};
use zerohop_statistics::median;

/// A time of a few ticks of the clock has too few digits.
const SHORTEST: f64 = 1e-5;

/// A size in MiB with one decimal has too few digits below this.
const SMALLEST: u64 = 1 << 20;

/// Arrays that a kernel reads or writes.
fn arrays_of(kernel: &str) -> f64 {
    if matches!(kernel, "copy" | "scale") { 2.0 } else { 3.0 }
}

/// The size of the three arrays: as the text states it or, where it does not, as most kernels' rates and times give it.
pub(super) fn arrays<'a>(
    kernels: impl Iterator<Item = (&'a str, &'a [f64])>,
    stated: Bytes,
) -> Option<Bytes> {
    /// Fewer kernels say nothing of each other.
    const FEWEST: usize = 3;
    if stated.get() > 0 {
        return (stated.get() >= SMALLEST).then_some(stated);
    }
    let of_kernel = |(kernel, numbers): (&str, &[f64])| match *numbers {
        [rate, _, least, _] if least >= SHORTEST => Some(3.0 * rate * 1e9 * least / arrays_of(kernel)),
        _ => None,
    };
    let sizes: Vec<f64> = kernels.filter_map(of_kernel).collect();
    median(sizes.iter().copied()).filter(|_| sizes.len() >= FEWEST).map(|middle| Bytes(middle as u64))
}

/// Why the numbers of a kernel cannot all be true: its rate in GB/s, printed in steps of `step`, and its mean, shortest and longest time.
pub(super) fn contradictions(kernel: &str, numbers: &[f64], step: f64, arrays: Option<Bytes>) -> Vec<String> {
    /// Sizes and times are printed with few digits where they are small.
    const TOLERANCE: f64 = 0.25;
    let mut reasons = Vec::new();
    if let &[_, mean, least, most] = numbers {
        reasons.extend(disordered(least, mean, most));
    }
    if let &[rate, _, least, ..] = numbers
        && let Some(arrays) = arrays
        && least >= SHORTEST
    {
        let bytes = arrays.get() as f64 * arrays_of(kernel) / 3.0;
        // A rate of few digits, and a size that was calculated from such rates.
        let is_rounded = (rate - bytes / least / 1e9).abs() <= step;
        reasons.extend(
            contradicted(rate, (bytes, least), TOLERANCE, "the arrays and the shortest time")
                .filter(|_| !is_rounded),
        );
    }
    reasons
}

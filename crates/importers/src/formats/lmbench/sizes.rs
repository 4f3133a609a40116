//! What the sizes of lmbench are in bytes.

const MEBIBYTE: f64 = 1_048_576.0;

/// Sizes are printed with few decimals: a size near a multiple of a power of two is that multiple, and so is one near a whole number of
/// MiB.
pub(super) fn rounded(bytes: f64) -> u64 {
    let whole = bytes.round() as u64;
    let top = 63u32.saturating_sub(whole.leading_zeros());
    // Three leading bits are what lmbench's steps have.
    let step = 1u64 << top.saturating_sub(3);
    let near = whole.saturating_add(step / 2) / step * step;
    let distance = near.abs_diff(whole) as f64;
    let mebibytes = bytes / MEBIBYTE;
    match () {
        () if distance <= 0.01 * bytes => near,
        () if is_whole(mebibytes) => (mebibytes.round() * MEBIBYTE) as u64,
        () => whole,
    }
}

/// Whether a number of MiB that was printed with two decimals, in a unit of 10^6 bytes or in MiB, is a whole one.
fn is_whole(mebibytes: f64) -> bool {
    const TOLERANCE: f64 = 0.0051;
    mebibytes > 0.9 && (mebibytes - mebibytes.round()).abs() <= TOLERANCE
}

/// Bytes in a MB: whichever makes the sizes whole numbers of MiB or, below that, powers of two. People ask for `200M` as well as for
/// `256M`.
pub(super) fn megabyte(list: &[(f64, f64)]) -> f64 {
    let exponent = |bytes: f64| {
        let exponent = libm::log2(bytes.max(1.0));
        (exponent - exponent.round()).abs()
    };
    let misfits = |unit: f64| -> (f64, f64) {
        let of = |&(size, _): &(f64, f64)| match size * unit {
            bytes if bytes < 0.9 * MEBIBYTE => (exponent(bytes), exponent(bytes)),
            bytes => (if is_whole(bytes / MEBIBYTE) { 0.0 } else { 1.0 }, exponent(bytes)),
        };
        list.iter().map(of).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    };
    if misfits(MEBIBYTE) < misfits(1e6) { MEBIBYTE } else { 1e6 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200 MiB were 209.72 MiB, and the rate of their pair was 5 % too high.
    #[test]
    fn a_size_shows_its_unit_also_where_it_is_no_power_of_two() {
        let list = |sizes: &[f64]| sizes.iter().map(|&size| (size, 1.0)).collect::<Vec<_>>();
        for sizes in [&[209.72][..], &[921.70], &[3.15], &[1.05], &[134.22], &[33.55], &[0.000_512, 134.22]] {
            assert_eq!(megabyte(&list(sizes)), 1e6, "{sizes:?}");
        }
        for sizes in [&[32.0][..], &[200.0], &[1.0], &[0.000_49, 0.000_98], &[0.000_49, 256.0]] {
            assert_eq!(megabyte(&list(sizes)), MEBIBYTE, "{sizes:?}");
        }
        assert_eq!((rounded(209.72e6), rounded(921.70e6)), (200 << 20, 879 << 20));
        assert_eq!((rounded(0.000_49 * MEBIBYTE), rounded(33.55e6)), (512, 32 << 20));
    }
}

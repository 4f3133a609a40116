//! What nvbandwidth's output says twice: the devices, and the sum of each matrix.

use zerohop_workload::Warning;

use crate::harvest::Block;

/// Why a matrix of so many GPUs cannot be of the devices that the text lists, if it lists any.
pub(super) fn beyond_devices(gpus: usize, devices: usize) -> Option<Warning> {
    (devices > 0 && gpus > devices).then(|| {
        let reason = format!("a matrix of {gpus} GPUs, but the text lists {devices}");
        Warning::Implausible { reason }
    })
}

/// Why a sum cannot be that of a matrix's values.
pub(super) fn not_the_sum(block: &Block, sum: f64) -> Option<Warning> {
    /// Values and sums are rounded.
    const TOLERANCE: f64 = 0.01;
    let found: f64 = block.values.iter().map(|value| value.estimate.median).sum();
    let is_other = !block.values.is_empty() && (found - sum).abs() > TOLERANCE * found.abs();
    is_other.then(|| {
        let reason = format!("the values add up to {found:.2}, but the text says {sum:.2}");
        Warning::Implausible { reason }
    })
}

#[cfg(test)]
mod tests {
    use zerohop_result::{Axis, Coordinates};

    use super::*;
    use crate::harvest::Value;
    use crate::kinds;

    #[test]
    fn matrices_are_compared_with_devices_and_sums() {
        let mut block = Block::new(kinds::DEVICE_BANDWIDTH);
        assert_eq!(not_the_sum(&block, 5.0), None);
        for node in 0..2u32 {
            block.push(Value::bandwidth(Coordinates::new().with(Axis::Target, node), 25.5));
        }
        assert_eq!((not_the_sum(&block, 51.0), not_the_sum(&block, 51.2)), (None, None));
        assert!(not_the_sum(&block, 25.5).is_some());
        assert_eq!((beyond_devices(3, 0), beyond_devices(2, 2)), (None, None));
        assert!(beyond_devices(3, 1).is_some());
    }
}

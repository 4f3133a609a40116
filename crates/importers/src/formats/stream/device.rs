//! Versions of STREAM for GPUs, which print the same table.

use zerohop_result::{Axis, Coordinates};

use crate::coordinates::word;

/// The device that a line names; `known` is one that an earlier line has named. `Device Selected 6: "Example GPU"`, or a title such as
/// `STREAM Benchmark implementation in CUDA`, which names none.
pub(super) fn named(line: &str, known: Option<&str>) -> Option<String> {
    if let Some((_, name)) = line.split_once(": ").filter(|_| line.starts_with("Device Selected ")) {
        return Some(word(name.trim_matches('"')));
    }
    // The second is BabelStream's.
    let titles = ["STREAM Benchmark implementation in ", "Implementation: "];
    let (_, language) = titles.iter().find_map(|title| line.split_once(title))?;
    let is_of_gpus = ["CUDA", "HIP", "OpenCL", "SYCL"].iter().any(|name| language.starts_with(name));
    is_of_gpus.then(|| known.unwrap_or("the device").to_owned())
}

/// The place of a kernel's rate.
pub(super) fn place(device: Option<&str>, kernel: &str) -> Coordinates {
    Coordinates::new()
        .with(Axis::Initiator, device.unwrap_or("the device"))
        .with(Axis::Case, "memory of the device")
        .with(Axis::Kernel, kernel)
}

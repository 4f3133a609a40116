//! The devices of a text, and their values in its order.

use std::collections::BTreeSet;

use zerohop_result::{Axis, Coordinates, Measure};

use crate::coordinates::word;
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;

/// A device as one backend of clpeak sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Device {
    name: String,
    /// `OpenCL`, `Vulkan`, `CPU`; empty where only one exists, in versions before 2.
    backend: String,
    platform: String,
    is_host: bool,
    /// Which one of equal devices it is, from 1.
    ordinal: usize,
}

impl Device {
    /// A device by its name, platform and backend and, where clpeak prints it, its type.
    pub(super) fn of(name: &str, platform: &str, backend: &str, kind: Option<&str>) -> Self {
        let kind = kind.or_else(|| backend.eq_ignore_ascii_case("cpu").then_some(backend));
        let (name, backend, platform) = (name.trim(), backend.trim().to_owned(), platform.to_owned());
        Self { name: name.to_owned(), is_host: is_host(name, &platform, kind), backend, platform, ordinal: 1 }
    }

    fn is_like(&self, other: &Self) -> bool {
        (&self.name, &self.backend, &self.platform) == (&other.name, &other.backend, &other.platform)
    }

    /// Its name; with the backend where several run on it.
    fn shown(&self, with_backend: bool) -> String {
        let ordinal = if self.ordinal > 1 { format!(" #{}", self.ordinal) } else { String::new() };
        let backend = if with_backend && !self.backend.is_empty() {
            format!(" ({})", self.backend)
        } else {
            String::new()
        };
        word(&format!("{}{ordinal}{backend}", self.name))
    }
}

/// Whether a device is the host's processor, judged by its name and its platform.
fn is_host(device: &str, platform: &str, kind: Option<&str>) -> bool {
    if let Some(kind) = kind {
        return kind.eq_ignore_ascii_case("cpu");
    }
    let hosts = [
        "pthread",
        "portable computing language",
        "xeon",
        "epyc",
        "neoverse",
        "threadripper",
        "processor",
        " cpu",
    ];
    // POCL runs on GPUs, too. Processors with graphics inside name them: `with Radeon Graphics`.
    let gpus = ["nvidia", "tegra", "geforce", "radeon", "quadro", "mali-", "adreno", "gpu", "graphics"];
    let (device, platform) = (device.to_ascii_lowercase(), platform.to_ascii_lowercase());
    let own = device.split(" with radeon").next().unwrap_or_default();
    let names = |list: &[&str], text: &str| list.iter().any(|name| text.contains(name));
    names(&hosts, &format!("{device} {platform}")) && !names(&gpus, own)
}

/// A value of a device: its test and metric, the measure, and the number in the measure's unit.
type Metric = (usize, String, String, Measure, f64);

/// What was found, in the order of the text.
#[derive(Default)]
pub(super) struct Found {
    pub(super) version: Option<String>,
    pub(super) left_out: Vec<String>,
    devices: Vec<Device>,
    /// The first device of the current platform.
    platform: usize,
    values: Vec<Metric>,
}

impl Found {
    /// Devices that follow are of another platform, or of another run.
    pub(super) fn begin_platform(&mut self) {
        self.platform = self.devices.len();
    }

    /// Adds a device: an equal one of the same platform is another card.
    pub(super) fn device(&mut self, mut device: Device) -> usize {
        let equal = self.devices[self.platform..].iter().filter(|known| known.is_like(&device)).count();
        device.ordinal = equal + 1;
        self.devices.push(device);
        self.devices.len() - 1
    }

    /// The device of a row that names it, as the rows before it do.
    pub(super) fn known(&mut self, device: Device) -> usize {
        match self.devices.iter().position(|known| known.is_like(&device)) {
            Some(at) => at,
            None => self.device(device),
        }
    }

    /// Adds a value of a test's metric in the unit of its measure.
    pub(super) fn add(&mut self, device: usize, (test, metric): (&str, &str), measure: Measure, value: f64) {
        self.values.push((device, test.to_owned(), metric.to_owned(), measure, value));
    }

    pub(super) fn leave_out(&mut self, test: &str) {
        self.left_out.push(word(test));
    }

    pub(super) fn harvest(self) -> Harvest {
        let Self { version, devices, values, mut left_out, .. } = self;
        left_out.dedup();
        let hosts = values.iter().map(|value| &devices[value.0]).filter(|device| device.is_host);
        let hosts: Vec<&Device> = hosts.collect();
        let model = hosts
            .first()
            .map(|host| host.name.trim_start_matches("pthread-").trim_start_matches("cpu-").to_owned());
        let backends: BTreeSet<&str> = hosts.iter().map(|host| host.backend.as_str()).collect();
        let several = backends.len() > 1;
        let mut blocks: Vec<Block> = Vec::new();
        for (device, test, metric, measure, number) in &values {
            let device = &devices[*device];
            let width = width(metric).filter(|_| is_global(test));
            let (experiment, at) = match width.filter(|_| device.is_host && *measure == Measure::Bandwidth) {
                Some(width) => {
                    let at = Coordinates::new().with(Axis::Width, width).with(Axis::Placement, "unstated");
                    let at = if several { at.with(Axis::Case, word(&device.backend)) } else { at };
                    (kinds::GLOBAL_BANDWIDTH, at)
                }
                None => {
                    let at = Coordinates::new()
                        .with(Axis::Initiator, device.shown(!device.is_host || several))
                        .with(Axis::Case, word(test))
                        .with(Axis::Kernel, word(metric));
                    let is_latency = *measure == Measure::Latency;
                    (if is_latency { kinds::DEVICE_LATENCY } else { kinds::DEVICE_BANDWIDTH }, at)
                }
            };
            let value = match measure {
                Measure::Latency => Value::latency(at, *number),
                _ => Value::bandwidth(at, *number),
            };
            match blocks.last_mut().filter(|block| block.experiment == experiment) {
                Some(block) => block.push(value),
                None => {
                    let mut block = Block::new(experiment);
                    block.push(value);
                    blocks.push(block);
                }
            }
        }
        let mut harvest = Harvest { version, processor: model, left_out, ..Harvest::default() };
        blocks.into_iter().for_each(|block| harvest.add(block));
        harvest
    }
}

fn is_global(test: &str) -> bool {
    test.to_ascii_lowercase().replace('_', " ").contains("global memory bandwidth")
}

/// Bytes of one access: `float4` is 16.
fn width(metric: &str) -> Option<u64> {
    let lanes = metric.strip_prefix("float")?;
    let lanes: u64 = if lanes.is_empty() { 1 } else { lanes.parse().ok()? };
    (lanes <= 64).then(|| 4 * lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_of_any_platform_are_not_the_host() {
        let pocl = "Portable Computing Language";
        for (name, platform, host) in [
            ("pthread-ARMv7 Processor rev 3 (v7l)", pocl, true),
            ("Example with Radeon Graphics", pocl, true),
            ("NVIDIA Tegra X1", pocl, false),
            ("Example GPU", "Example CPU Runtime", false),
            ("Intel(R) Xeon(R) Example", "Intel(R) OpenCL", true),
        ] {
            assert_eq!(is_host(name, platform, None), host, "{name}");
        }
    }
}

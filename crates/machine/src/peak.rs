//! Theoretical bandwidth: that of all memory devices together if every transfer slot of every channel is used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::{GigabytesPerSecond, TransfersPerSecond};

use crate::{Machine, MemoryDevice, PackageId};

/// Theoretical memory bandwidth of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TheoreticalBandwidth {
    /// Bandwidth of the whole machine, in GB/s.
    pub total: GigabytesPerSecond,
    /// Number of channels with a DIMM in the whole machine.
    pub channels: usize,
    /// Bandwidth by package; empty if the slot names do not indicate the package.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<PackageBandwidth>,
}

/// Theoretical bandwidth of the memory of one package.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PackageBandwidth {
    /// The package.
    pub package: PackageId,
    /// Bandwidth of all channels of the package, in GB/s.
    pub bandwidth: GigabytesPerSecond,
    /// Number of channels of the package with a DIMM.
    pub channels: usize,
}

/// Reason why the theoretical bandwidth is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPeak {
    /// A virtual machine shows made-up DIMMs or none.
    #[error("a virtual machine ({hypervisor}) does not show the host's DIMMs")]
    VirtualMachine { hypervisor: String },
    /// There is no list of DIMMs.
    #[error("{reason}")]
    NoDevices {
        /// The reason.
        reason: String,
    },
    /// All slots are empty, or hold no DRAM.
    #[error("SMBIOS lists no DIMM: all slots are empty")]
    NoDimms,
    /// SMBIOS does not report the speed or the width of a DIMM.
    #[error("SMBIOS does not report the {what} of the DIMM in `{locator}`")]
    Unreported { what: &'static str, locator: String },
    /// The slots' names do not indicate which DIMMs share a channel.
    #[error("the channel of the DIMM in `{locator}` (bank `{bank}`) is unknown")]
    UnknownChannel { locator: String, bank: String },
}

/// One channel with at least one DIMM.
struct Channel<'machine> {
    rate: TransfersPerSecond,
    width: u16,
    slots: Vec<(&'machine str, &'machine str)>,
}

impl Machine {
    /// The theoretical bandwidth: for each channel with a DIMM, its configured rate times its data width; a channel
    /// counts once, however many DIMMs share it, and at the rate of the slowest.
    ///
    /// # Errors
    /// The DIMMs are unknown, or lack the necessary details.
    pub fn theoretical_bandwidth(&self) -> Result<TheoreticalBandwidth, NoPeak> {
        if let Some(hypervisor) = &self.system.hypervisor {
            return Err(NoPeak::VirtualMachine { hypervisor: hypervisor.clone() });
        }
        if self.memory_devices.is_empty() {
            return Err(NoPeak::NoDevices { reason: self.why_no_devices() });
        }
        let mut channels: BTreeMap<(Option<PackageId>, &str), Channel<'_>> = BTreeMap::new();
        for device in self.memory_devices.iter().filter(|device| is_dimm(device)) {
            add(&mut channels, device)?;
        }
        if channels.is_empty() {
            return Err(NoPeak::NoDimms);
        }
        let mut packages: BTreeMap<Option<PackageId>, Vec<GigabytesPerSecond>> = BTreeMap::new();
        for ((package, _), channel) in &channels {
            packages.entry(*package).or_default().push(channel.bandwidth());
        }
        let total = packages.values().flatten().copied().sum();
        let by_package = packages.iter().map(|(package, parts)| {
            Some(PackageBandwidth {
                package: (*package)?,
                bandwidth: parts.iter().copied().sum(),
                channels: parts.len(),
            })
        });
        Ok(TheoreticalBandwidth {
            total,
            channels: channels.len(),
            packages: by_package.collect::<Option<_>>().unwrap_or_default(),
        })
    }

    fn why_no_devices(&self) -> String {
        self.no_memory_devices.clone().unwrap_or_else(|| "the DIMMs are unknown".to_owned())
    }
}

/// Whether a device adds bandwidth. Non-volatile modules do not: they share a channel with DIMMs that do.
fn is_dimm(device: &MemoryDevice) -> bool {
    device.size.get() > 0 && device.technology != "non-volatile"
}

fn add<'machine>(
    channels: &mut BTreeMap<(Option<PackageId>, &'machine str), Channel<'machine>>,
    device: &'machine MemoryDevice,
) -> Result<(), NoPeak> {
    let unreported = |what| NoPeak::Unreported { what, locator: device.locator.clone() };
    let unknown = || NoPeak::UnknownChannel { locator: device.locator.clone(), bank: device.bank.clone() };
    let rate = device.configured.or(device.rated).ok_or_else(|| unreported("speed"))?;
    let width = device.channel_width.or(device.data_width).ok_or_else(|| unreported("data width"))?;
    let name = device.channel.as_deref().ok_or_else(unknown)?;
    let slot = (device.locator.as_str(), device.bank.as_str());
    let channel =
        channels.entry((device.package, name)).or_insert(Channel { rate, width, slots: Vec::new() });
    if channel.slots.contains(&slot) {
        // Two DIMMs have the same slot name, so the names are not reliable.
        return Err(unknown());
    }
    channel.slots.push(slot);
    channel.width = channel.width.max(width);
    if rate < channel.rate {
        channel.rate = rate;
    }
    Ok(())
}

impl Channel<'_> {
    fn bandwidth(&self) -> GigabytesPerSecond {
        GigabytesPerSecond(self.rate.get() * f64::from(self.width) / 8.0 / 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerohop_units::Bytes;

    fn dimm(package: u32, channel: &str, slot: u32) -> MemoryDevice {
        MemoryDevice {
            locator: format!("DIMM {slot}"),
            bank: format!("P{package} CHANNEL {channel}"),
            size: Bytes::gib(32),
            technology: "DDR5".to_owned(),
            data_width: Some(64),
            channel_width: None,
            rated: Some(TransfersPerSecond(5600e6)),
            configured: Some(TransfersPerSecond(4800e6)),
            part: None,
            package: Some(PackageId(package)),
            channel: Some(channel.to_owned()),
        }
    }

    fn machine(memory_devices: Vec<MemoryDevice>) -> Machine {
        Machine { memory_devices, ..Machine::default() }
    }

    fn gigabytes(machine: &Machine) -> String {
        format!("{:.1}", machine.theoretical_bandwidth().unwrap().total)
    }

    /// Lenovo LP1852, Table 2: one socket with DDR5-4800, by number of DIMMs.
    #[test]
    fn one_socket_of_an_epyc_9004_is_as_published() {
        let published = [
            (12, "460.8 GB/s"),
            (10, "384.0 GB/s"),
            (8, "307.2 GB/s"),
            (6, "230.4 GB/s"),
            (4, "153.6 GB/s"),
            (2, "76.8 GB/s"),
            (1, "38.4 GB/s"),
        ];
        for (dimms, expected) in published {
            let devices = ('A'..).take(dimms).map(|channel| dimm(0, &channel.to_string(), 0)).collect();
            assert_eq!(gigabytes(&machine(devices)), expected, "{dimms} DIMMs");
        }
    }

    #[test]
    fn a_channel_counts_once_and_at_the_rate_of_its_slowest_dimm() {
        let mut slow = dimm(0, "A", 1);
        slow.configured = Some(TransfersPerSecond(3600e6));
        let mut empty = dimm(0, "B", 0);
        empty.size = Bytes(0);
        let mut non_volatile = dimm(0, "C", 0);
        non_volatile.technology = "non-volatile".to_owned();
        let read = machine(vec![dimm(0, "A", 0), slow, empty, non_volatile]).theoretical_bandwidth().unwrap();
        assert_eq!((read.total, read.channels), (GigabytesPerSecond(28.8), 1));
    }

    #[test]
    fn dimms_side_by_side_are_one_channel_of_their_width_together() {
        let half = |slot| MemoryDevice { channel_width: Some(128), ..dimm(0, "A", slot) };
        let read = machine(vec![half(0), half(1)]).theoretical_bandwidth().unwrap();
        assert_eq!((read.total, read.channels), (GigabytesPerSecond(76.8), 1));
    }

    #[test]
    fn each_package_has_its_own_bandwidth() {
        let read =
            machine(vec![dimm(0, "A", 0), dimm(1, "A", 0), dimm(1, "B", 0)]).theoretical_bandwidth().unwrap();
        let packages: Vec<_> = read.packages.iter().map(|part| (part.package.0, part.channels)).collect();
        assert_eq!(packages, [(0, 1), (1, 2)]);
    }

    #[test]
    fn missing_values_are_reported() {
        let reason = |machine: &Machine| machine.theoretical_bandwidth().unwrap_err().to_string();
        let mut nameless = dimm(0, "A", 0);
        nameless.channel = None;
        assert_eq!(
            reason(&machine(vec![nameless])),
            "the channel of the DIMM in `DIMM 0` (bank `P0 CHANNEL A`) is unknown"
        );
        assert!(
            reason(&machine(vec![dimm(0, "A", 0), dimm(0, "A", 0)])).starts_with("the channel of the DIMM")
        );
        let mut without_speed = dimm(0, "A", 0);
        (without_speed.rated, without_speed.configured) = (None, None);
        assert!(reason(&machine(vec![without_speed])).contains("the speed of the DIMM in `DIMM 0`"));
        let mut forbidden = machine(Vec::new());
        forbidden.no_memory_devices = Some("only root may read the SMBIOS table".to_owned());
        assert_eq!(reason(&forbidden), "only root may read the SMBIOS table");
        let mut guest = machine(vec![dimm(0, "A", 0)]);
        guest.system.hypervisor = Some("KVM".to_owned());
        assert!(reason(&guest).starts_with("a virtual machine (KVM)"));
    }
}

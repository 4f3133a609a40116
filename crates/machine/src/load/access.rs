//! HMAT of the firmware, as passed on by the kernel (<https://docs.kernel.org/admin-guide/mm/numaperf.html>).

use zerohop_units::{GigabytesPerSecond, Nanoseconds};

use super::reader::Reader;
use crate::{AccessClass, NodeAccess, NodeId, NumaNode, PuId};

/// One entry for each target and class that the kernel describes.
pub(super) fn load(reader: &Reader<'_>, nodes: &[NumaNode]) -> Vec<NodeAccess> {
    let classes = [("access0", AccessClass::Nearest), ("access1", AccessClass::NearestCpu)];
    nodes
        .iter()
        .flat_map(|node| classes.map(|(name, class)| entry(reader, node.id, name, class)))
        .flatten()
        .collect()
}

fn entry(reader: &Reader<'_>, target: NodeId, name: &str, class: AccessClass) -> Option<NodeAccess> {
    let directory = format!("/sys/devices/system/node/node{target}/{name}/initiators");
    let initiators: Vec<NodeId> =
        reader.numbered(&directory, "node").iter().map(|PuId(id)| NodeId(id)).collect();
    // Zero means that the firmware gives no value.
    let value = |file: &str| {
        let number: Option<u32> = reader.number(&format!("{directory}/{file}"));
        number.filter(|&value| value > 0).map(f64::from)
    };
    let latency = |file| value(file).map(Nanoseconds);
    // The MB/s of the ACPI table are decimal.
    let bandwidth = |file| value(file).map(|megabytes| GigabytesPerSecond(megabytes / 1e3));
    let access = NodeAccess {
        target,
        initiators,
        class,
        read_latency: latency("read_latency"),
        write_latency: latency("write_latency"),
        read_bandwidth: bandwidth("read_bandwidth"),
        write_bandwidth: bandwidth("write_bandwidth"),
    };
    let has_values = access.read_latency.is_some()
        || access.write_latency.is_some()
        || access.read_bandwidth.is_some()
        || access.write_bandwidth.is_some();
    (has_values || !access.initiators.is_empty()).then_some(access)
}

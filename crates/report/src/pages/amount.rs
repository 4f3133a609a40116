//! Amounts of memory and shares of it, in words.

use zerohop_machine::NodeId;
use zerohop_placement::Spread;
use zerohop_units::Bytes;

use crate::number::significant;

/// The bytes on a node.
pub(crate) fn amount_of(bytes: &Spread, node: NodeId) -> String {
    match bytes.on(node) {
        Bytes(0) => "–".to_owned(),
        bytes => short(bytes),
    }
}

/// The share of a node.
pub(crate) fn share_of(bytes: &Spread, node: NodeId) -> String {
    if bytes.on(node) == Bytes(0) { "–".to_owned() } else { percent(bytes.share(node)) }
}

/// A share between 0 and 1.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 1.0 { "<1 %".to_owned() } else { format!("{percent:.0} %") }
}

/// An amount with three digits: amounts of pages are seldom round.
pub(crate) fn short(bytes: Bytes) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = bytes.get() as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{} {}", significant(value), UNITS[unit])
}

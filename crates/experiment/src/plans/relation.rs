//! How near two PUs are to each other.

use zerohop_machine::{CacheKind, Machine, PuId};

/// The innermost level that two PUs share, in words: `core`, `L1` … `L4`, `node`, `package`, or `machine`.
pub(super) fn shared(machine: &Machine, one: PuId, other: PuId) -> String {
    let both = machine.pu(one).zip(machine.pu(other));
    if both.is_some_and(|(one, other)| one.core == other.core) {
        return "core".to_owned();
    }
    let caches = machine.caches.iter().filter(|cache| {
        cache.kind != CacheKind::Instruction && cache.pus.contains(one) && cache.pus.contains(other)
    });
    if let Some(level) = caches.map(|cache| cache.level).min() {
        return format!("L{level}");
    }
    let word = match both {
        Some((one, other)) if one.node == other.node => "node",
        Some((one, other)) if one.package == other.package => "package",
        _ => "machine",
    };
    word.to_owned()
}

//! Caches. Each is listed once, with the PUs that share it.

use std::collections::BTreeMap;

use zerohop_units::Bytes;

use super::reader::Reader;
use crate::bounds;
use crate::{Cache, CacheKind, PuId, PuSet};

/// The caches of the PUs online, by level and then by their first PU.
pub(super) fn load(reader: &Reader<'_>, online: &PuSet) -> Vec<Cache> {
    let mut found: BTreeMap<(u8, PuSet, CacheKind), Cache> = BTreeMap::new();
    for pu in online.iter() {
        let directory = format!("/sys/devices/system/cpu/cpu{pu}/cache");
        for PuId(index) in reader.numbered(&directory, "index").iter() {
            let entry = format!("{directory}/index{index}");
            match cache(reader, &entry, pu, online) {
                Some(cache) => {
                    found.entry((cache.level, cache.pus.clone(), cache.kind)).or_insert(cache);
                }
                None => reader.gap(format!("{entry}: skipped, because it has no level, type and size")),
            }
        }
    }
    if found.is_empty() {
        reader.gap("caches: the kernel describes none");
    }
    let mut caches: Vec<Cache> = found.into_values().collect();
    caches.sort_by_key(|cache| (cache.level, cache.pus.first(), cache.kind));
    caches
}

fn cache(reader: &Reader<'_>, entry: &str, pu: PuId, online: &PuSet) -> Option<Cache> {
    let sharing = reader
        .set(&format!("{entry}/shared_cpu_list"), &format!("{entry}/shared_cpu_map"))
        .map(|set| set.intersection(online))
        .filter(|set| set.contains(pu));
    if sharing.is_none() {
        reader.gap(
            "caches: the kernel does not report which PUs share some of them, so these count as private",
        );
    }
    Some(Cache {
        level: reader.number(&format!("{entry}/level"))?,
        kind: kind(&reader.text(&format!("{entry}/type"))?)?,
        size: size(&reader.text(&format!("{entry}/size"))?)?,
        line: Bytes(reader.number(&format!("{entry}/coherency_line_size")).unwrap_or(0)),
        ways: reader.number(&format!("{entry}/ways_of_associativity")).filter(|&ways| ways > 0),
        pus: sharing.unwrap_or_else(|| PuSet::from_iter([pu])),
    })
}

fn kind(text: &str) -> Option<CacheKind> {
    match text {
        "Data" => Some(CacheKind::Data),
        "Instruction" => Some(CacheKind::Instruction),
        "Unified" => Some(CacheKind::Unified),
        _ => None,
    }
}

/// A size such as `2048K`. The kernel always uses KiB here.
fn size(text: &str) -> Option<Bytes> {
    let count: u64 = text.strip_suffix('K')?.parse().ok()?;
    bounds::memory(count, 1024)
}

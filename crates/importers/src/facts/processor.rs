//! What `lscpu` and `/proc/cpuinfo` print of the processor, its parts and its nodes.

use std::ops::Range;

use zerohop_machine::{CacheKind, NodeId, PuSet, StatedCache, relevant_instruction_sets};
use zerohop_units::Bytes;

use super::fact_collection::Facts;
use super::size::binary_size;
use crate::lines::Text;
use crate::number::{count, first_number};

/// Whether a text shows a processor: its name, the CPUs of a node, or several of the counts that `lscpu` prints. One alone has a name that nearly any text may have.
pub(crate) fn names_processor(text: &Text) -> bool {
    const FEWEST: usize = 2;
    let is_name = |line: &str| field(line).is_some_and(|(name, _)| name == "model name");
    let is_count = |line: &&str| {
        field(line).is_some_and(|(name, value)| COUNTS.contains(&name.as_str()) && count(value).is_some())
    };
    let is_of_node = |line: &str| field(line).is_some_and(|(name, _)| node_of(&name).is_some());
    text.open().any(|(_, line)| is_name(line) || is_of_node(line))
        || text.open().filter(|(_, line)| is_count(line)).take(FEWEST).count() == FEWEST
}

/// Whether `lscpu` begins with this line.
pub(crate) fn is_start_of_processor(line: &str) -> bool {
    field(line).is_some_and(|(name, _)| name == "architecture")
}

/// Reads what `lscpu` and `/proc/cpuinfo` print of the processor and its nodes in these lines.
pub(crate) fn read_processor(text: &mut Text, ranks: Range<usize>, facts: &mut Facts) {
    let mut read = Vec::new();
    for rank in ranks.filter(|&rank| text.is_open(rank)) {
        let line = text.line(rank);
        let Some((name, value)) = field(line) else { continue };
        if read_field(&name, line, value, facts) {
            read.push(rank);
        }
    }
    read.into_iter().for_each(|rank| text.mark(rank));
}

/// Counts of `lscpu`.
const COUNTS: [&str; 6] = [
    "thread(s) per core",
    "core(s) per socket",
    "core(s) per cluster",
    "socket(s)",
    "numa node(s)",
    "cpu(s)",
];

/// Other fields of `lscpu`, which are kept as they stand.
const OTHERS: [&str; 16] = [
    "architecture",
    "cpu op-mode(s)",
    "byte order",
    "address sizes",
    "off-line cpu(s) list",
    "cpu mhz",
    "cpu max mhz",
    "cpu min mhz",
    "cpu(s) scaling mhz",
    "bogomips",
    "virtualization",
    "virtualization type",
    "cluster(s)",
    "core(s) per cluster",
    "bios vendor id",
    "bios model name",
];

/// Takes in a field; says whether it is one that has a place.
fn read_field(name: &str, line: &str, value: &str, facts: &mut Facts) -> bool {
    let stated = &mut facts.stated;
    let is_number = count(value).and_then(|number| u32::try_from(number).ok());
    match name {
        "model name" if value.is_empty() => return false,
        "model name" => value.clone_into(&mut facts.processor.model),
        "vendor id" | "vendor_id" => value.clone_into(&mut facts.processor.vendor),
        "cpu family" => facts.processor.family = value.parse().ok(),
        "model" => facts.processor.model_number = value.parse().ok(),
        "stepping" => facts.processor.stepping = value.parse().ok(),
        "flags" | "features" => facts.processor.instruction_sets = relevant_instruction_sets(value),
        "hypervisor vendor" => facts.system.hypervisor = Some(value.to_owned()),
        "frequency boost" => facts.system.turbo = Some(value == "enabled"),
        "on-line cpu(s) list" => match value.parse() {
            Ok(pus) => stated.online = Some(pus),
            Err(_) => return false,
        },
        "socket(s)" if is_number.is_some() => stated.packages = is_number,
        "core(s) per socket" if is_number.is_some() => stated.cores_per_package = is_number,
        "thread(s) per core" if is_number.is_some() => {
            stated.threads_per_core = is_number;
            facts.system.smt = is_number.map(|threads| threads > 1);
        }
        "cpu(s)" if is_number.is_some() => stated.pus = is_number,
        "numa node(s)" if is_number.is_some() => stated.nodes = is_number,
        _ => {
            if let Some(id) = node_of(name) {
                let pus = if value.is_empty() { Ok(PuSet::default()) } else { value.parse::<PuSet>() };
                let Ok(pus) = pus else { return false };
                facts.nodes.entry(id).or_default().pus = Some(pus);
            } else if let Some(cache) = cache(name, value) {
                stated.caches.retain(|known| (known.level, known.kind) != (cache.level, cache.kind));
                stated.caches.push(cache);
            } else if OTHERS.contains(&name) || name.starts_with("vulnerability ") {
                facts.push_field(line.split(':').next().unwrap_or_default().trim(), value);
            } else {
                return false;
            }
        }
    }
    true
}

/// `L2 cache: 96 MiB (96 instances)`, which are all of them together, or, from older versions, `L2 cache: 1024K`, which is one.
fn cache(name: &str, value: &str) -> Option<StatedCache> {
    let level = name.strip_suffix(" cache").or_else(|| name.strip_suffix(':')).unwrap_or(name);
    let (level, kind) = match level {
        "l1d" => (1, CacheKind::Data),
        "l1i" => (1, CacheKind::Instruction),
        "l1" => (1, CacheKind::Unified),
        "l2" => (2, CacheKind::Unified),
        "l3" => (3, CacheKind::Unified),
        "l4" => (4, CacheKind::Unified),
        _ => return None,
    };
    let size = binary_size(value)?;
    let instances = value.split_once('(').and_then(|(_, rest)| first_number(rest)).map(|count| count as u32);
    let instances = instances.filter(|&count| count > 0);
    let is_sum = instances.is_some() || value.contains("iB");
    let one = match instances {
        Some(count) => Some(Bytes(size.get() / u64::from(count))),
        None => (!is_sum).then_some(size),
    };
    Some(StatedCache { level, kind, one, all: is_sum.then_some(size), instances })
}

/// `numa node0 cpu(s)`.
fn node_of(name: &str) -> Option<NodeId> {
    name.strip_prefix("numa node")?.strip_suffix("cpu(s)")?.trim().parse().ok()
}

/// A field's name in lower case, and its value.
fn field(line: &str) -> Option<(String, &str)> {
    let (name, value) = line.split_once(':')?;
    Some((name.trim().to_ascii_lowercase(), value.trim()))
}

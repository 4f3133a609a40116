//! What hwloc's XML says that a machine has no place for, and what cannot be true.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use roxmltree::{Document, Node, ParsingOptions};

/// What a machine has no place for: distances between other objects than nodes or of other kinds than the firmware's, memory
/// attributes that hwloc does not define, kinds of memory and of CPUs, memory devices without a node, and caches in front of memory
/// that are described as those of processors.
pub(super) fn others(xml: &str) -> Vec<String> {
    const ATTRIBUTES: [&str; 8] = [
        "Capacity",
        "Locality",
        "Bandwidth",
        "ReadBandwidth",
        "WriteBandwidth",
        "Latency",
        "ReadLatency",
        "WriteLatency",
    ];
    let Some(document) = document(xml) else { return Vec::new() };
    let mut others = Vec::new();
    let mut has_nodes = false;
    let mut memories: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    let mut cpu_kinds = Vec::new();
    for element in document.descendants() {
        let name = element.attribute("name").unwrap_or_default();
        match element.tag_name().name() {
            "distances2" | "distances2hetero" => {
                let of = element.attribute("type").unwrap_or("several types");
                let is_firmware = of == "NUMANode" && ["NUMALatency", ""].contains(&name) && !has_nodes;
                has_nodes |= is_firmware;
                if !is_firmware {
                    others.push(format!("distances {name} between objects of {of}").replace("  ", " "));
                }
            }
            "memattr" if element.has_children() && !ATTRIBUTES.contains(&name) => {
                others.push(format!("memory attribute {name}"));
            }
            "object" if is_memory_cache(element) => {
                let size = element.attribute("cache_size").unwrap_or("unknown");
                others.push(format!("a cache of {size} bytes in front of memory"));
            }
            "object" if element.attribute("type") == Some("NUMANode") => {
                let tier = info(element, "MemoryTier").map(|tier| format!("tier {tier}"));
                let kind = element.attribute("subtype").map(str::to_owned);
                let words: Vec<String> = kind.into_iter().chain(tier).collect();
                if !words.is_empty() {
                    let node = element.attribute("os_index").and_then(|index| index.parse::<u64>().ok());
                    memories.entry(words.join(", ")).or_default().extend(node);
                }
            }
            "object" if is_memory_device(element) => {
                let kind = element.attribute("subtype").unwrap_or("memory");
                others.push(format!("memory device {name} ({kind})"));
            }
            "cpukind" => {
                let cpus = element.attribute("cpuset").unwrap_or("?");
                let kind = info(element, "CoreType").unwrap_or("unnamed");
                cpu_kinds.push(format!("{kind}, CPU mask {cpus}"));
            }
            _ => {}
        }
    }
    let memories = memories.iter().map(|(kind, nodes)| {
        let nodes: Vec<String> = nodes.iter().map(u64::to_string).collect();
        format!("{kind} (node {})", nodes.join(", "))
    });
    let memories: Vec<String> = memories.collect();
    if !memories.is_empty() {
        others.push(format!("kinds of memory: {}", memories.join("; ")));
    }
    if cpu_kinds.len() > 1 {
        others.push(format!("kinds of CPUs: {}", cpu_kinds.join("; ")));
    }
    others
}

fn document(xml: &str) -> Option<Document<'_>> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(xml, options).ok()
}

/// What an object says of itself under that name.
fn info<'a>(object: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let mut infos = object.children().filter(|child| child.has_tag_name("info"));
    infos.find(|info| info.attribute("name") == Some(name))?.attribute("value")
}

/// Whether an object that says it is a cache of processors is one in front of memory, as hwloc shows MCDRAM.
fn is_memory_cache(object: Node<'_, '_>) -> bool {
    object.attribute("subtype") == Some("MemorySideCache")
        && object.attribute("type").is_some_and(|kind| kind.ends_with("Cache") && kind != "MemCache")
}

fn is_memory_device(object: Node<'_, '_>) -> bool {
    const KINDS: [&str; 4] = ["CXLMem", "SPM", "NVM", "DAX"];
    object.attribute("type") == Some("OSDev")
        && object.attribute("subtype").is_some_and(|kind| KINDS.contains(&kind))
}

/// The text with groups in place of caches in front of memory, which are no caches of processors; `None` if it has none.
pub(super) fn without_memory_caches(xml: &str) -> Option<String> {
    let document = document(xml)?;
    let caches = document.descendants().filter(|element| is_memory_cache(*element));
    let mut starts: Vec<usize> = caches.map(|element| element.range().start).collect();
    starts.sort_unstable();
    let mut text = xml.to_owned();
    for start in starts.iter().rev() {
        let end = text[*start..].find('>')? + start;
        let at = text[*start..end].find(" type=\"")? + start + " type=\"".len();
        let length = text[at..end].find('"')?;
        text.replace_range(at..at + length, "Group");
    }
    (!starts.is_empty()).then_some(text)
}

/// Values of the firmware that no memory has.
pub(super) fn doubts(xml: &str) -> Vec<String> {
    /// In MB/s and in ns.
    const BANDWIDTHS: RangeInclusive<u64> = 100..=20_000_000;
    const LATENCIES: RangeInclusive<u64> = 1..=20_000;
    let Some(document) = document(xml) else { return Vec::new() };
    let mut doubts = Vec::new();
    for attribute in document.descendants().filter(|element| element.has_tag_name("memattr")) {
        let name = attribute.attribute("name").unwrap_or_default();
        let (bounds, unit) = match name {
            "Bandwidth" | "ReadBandwidth" | "WriteBandwidth" => (BANDWIDTHS, "MB/s"),
            "Latency" | "ReadLatency" | "WriteLatency" => (LATENCIES, "ns"),
            _ => continue,
        };
        let values = attribute.children().filter_map(|value| value.attribute("value")?.parse::<u64>().ok());
        let odd: Vec<String> =
            values.filter(|value| !bounds.contains(value)).map(|value| value.to_string()).collect();
        if !odd.is_empty() {
            doubts.push(format!("memory attribute {name}: no memory has {} {unit}", odd.join(", ")));
        }
    }
    doubts
}

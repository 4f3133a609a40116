//! Standard timings: what a kind of channel takes from the table of memory technologies, `technologies/`.

use zerohop_document::{Content, Problems, VALUE, Value, parse, suggest};

/// The key of a kind of channel that names a technology.
const TIMINGS: &str = "timings";
/// The key of a technology that names the one from which it differs.
const LIKE: &str = "like";

/// The technologies, by name.
const TECHNOLOGIES: &[(&str, &str)] = &[
    ("DDR400", include_str!("../../../../technologies/ddr400.toml")),
    ("DDR3", include_str!("../../../../technologies/ddr3.toml")),
    ("DDR4", include_str!("../../../../technologies/ddr4.toml")),
    ("DDR4-16Gb", include_str!("../../../../technologies/ddr4-16gb.toml")),
    ("DDR5", include_str!("../../../../technologies/ddr5.toml")),
    ("DDR5-24Gb", include_str!("../../../../technologies/ddr5-24gb.toml")),
    ("MRDIMM", include_str!("../../../../technologies/mrdimm.toml")),
    ("HBM2", include_str!("../../../../technologies/hbm2.toml")),
    ("LPDDR5X", include_str!("../../../../technologies/lpddr5x.toml")),
];

/// The names of the technologies.
pub fn technologies() -> impl Iterator<Item = &'static str> + Clone {
    TECHNOLOGIES.iter().map(|(name, _)| *name)
}

/// The share of a channel's peak bandwidth that reads of memory of a technology reach, refresh included.
pub fn technology_efficiency(name: &str) -> Option<f64> {
    let table = technology_table(name, &mut Problems::default())?;
    let quantity = |value: &Value, unit: &str| -> Option<f64> {
        let value = value.entry(VALUE).map_or(value, |entry| &entry.value);
        value.text()?.strip_suffix(unit)?.trim().parse().ok()
    };
    let efficiency = quantity(&table.entry("efficiency")?.value, "%")? / 100.0;
    let refresh = table.entry("refresh").and_then(|refresh| {
        let every = quantity(&refresh.value.entry("every")?.value, "us")?;
        Some(quantity(&refresh.value.entry("takes")?.value, "ns")? / (1000.0 * every))
    });
    Some(efficiency * (1.0 - refresh.unwrap_or(0.0)))
}

/// For every kind of channel, the timings that it names.
pub(super) fn named(tree: &Value) -> Vec<(String, String)> {
    let kinds = tree.entry("channel").and_then(|kinds| kinds.value.entries()).into_iter().flatten();
    let named = |kind: &zerohop_document::Entry| {
        let text = kind.value.entry(TIMINGS)?.value.text()?;
        Some((kind.key.clone(), text.clone()))
    };
    kinds.filter_map(named).collect()
}

/// Completes every kind of channel from the timings given for it, whatever the tree itself names.
pub(super) fn complete(tree: &mut Value, timings: &[(String, String)], problems: &mut Problems) {
    for (kind, technology) in timings {
        let Some(entry) = tree.entry_mut("channel").and_then(|kinds| kinds.value.entry_mut(kind)) else {
            continue;
        };
        let own = &mut entry.value;
        let place = own.entry(TIMINGS).map_or(own.place, |timings| timings.value.place);
        let Some(mut whole) = technology_table(technology, problems) else {
            let message = format!("there are no timings of `{technology}`");
            problems.add_with_hint(place, message, suggest(technology, technologies()));
            continue;
        };
        // The two ways to give a bandwidth exclude each other.
        if own.entry("bandwidth").is_some() {
            whole.take("width");
        }
        let own = std::mem::replace(own, Value { content: Content::Integer(0), ..own.clone() });
        whole.overlay(own);
        entry.value = whole;
    }
}

/// The keys that a technology gives.
fn technology_table(name: &str, problems: &mut Problems) -> Option<Value> {
    let (name, text) = TECHNOLOGIES.iter().find(|(known, _)| *known == name)?;
    let file = problems.file(&format!("timings of {name}"), text);
    let mut own = parse(file, "a technology is TOML", problems);
    let Some(like) = own.take(LIKE) else { return Some(own) };
    let mut whole = technology_table(like.value.text()?, problems)?;
    whole.overlay(own);
    Some(whole)
}

//! Standard timings of a kind of channel, from the table of memory technologies in `technologies/`.

use zerohop_document::{Content, Problems, SOURCE, VALUE, Value, parse, quoted, suggest};

/// The key of a kind of channel that names a technology.
const TIMINGS: &str = "timings";
/// The key of a technology that names the one from which it differs.
const LIKE: &str = "like";
/// The table of a technology that says what would have been chosen without some study.
const WITHOUT: &str = "without";

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

/// Properties of a technology for templates and expectations.
pub(crate) struct Technology {
    /// Banks of a channel with one DIMM.
    pub(crate) banks: u32,
    /// Share of the bus that its overheads leave.
    pub(crate) efficiency: f64,
    /// Share of the time that refreshes leave.
    pub(crate) available: f64,
}

/// A value of a technology that was chosen, as a machine file writes it, and its source.
pub(crate) struct Chosen {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) source: String,
}

/// Properties of the technology of that name.
pub(crate) fn technology(name: &str) -> Option<Technology> {
    let table = technology_table(name, &mut Problems::default())?;
    let quantity = |table: &Value, key: &str, unit: &str| -> Option<f64> {
        plain(table, key)?.text()?.strip_suffix(unit)?.trim().parse().ok()
    };
    let refreshing = table.entry("refresh").and_then(|refresh| {
        let every = quantity(&refresh.value, "every", "us")?;
        Some(quantity(&refresh.value, "takes", "ns")? / (1000.0 * every))
    });
    let Content::Integer(banks) = plain(&table, "banks")?.content else { return None };
    Some(Technology {
        banks: u32::try_from(banks).ok()?,
        efficiency: quantity(&table, "efficiency", "%")? / 100.0,
        available: 1.0 - refreshing.unwrap_or(0.0),
    })
}

/// Values that would have been chosen for the technology of that name without a study; no other values if none were chosen from it.
pub(crate) fn chosen_without(name: &str, study: &str) -> Vec<Chosen> {
    let Some((file, text)) = TECHNOLOGIES.iter().find(|(known, _)| *known == name) else { return Vec::new() };
    let mut problems = Problems::of(file, text);
    let table = parse(0, "a technology is TOML", &mut problems);
    let study = table.entry(WITHOUT).and_then(|without| without.value.entry(study));
    let entries = study.into_iter().flat_map(|study| study.value.entries().into_iter().flatten());
    let chosen = |entry: &zerohop_document::Entry| {
        let value = match &entry.value.entry(VALUE)?.value.content {
            Content::Integer(number) => number.to_string(),
            Content::Text(text) => quoted(text),
            _ => return None,
        };
        let source = entry.value.entry(SOURCE)?.value.text()?.clone();
        Some(Chosen { key: entry.key.clone(), value, source })
    };
    entries.filter_map(chosen).collect()
}

/// The value of a key, whether a source is written beside it or not.
fn plain<'a>(table: &'a Value, key: &str) -> Option<&'a Value> {
    let value = &table.entry(key)?.value;
    Some(value.entry(VALUE).map_or(value, |entry| &entry.value))
}

/// The share of a channel's peak bandwidth that reads of memory of a technology reach, refresh included.
pub fn technology_efficiency(name: &str) -> Option<f64> {
    technology(name).map(|technology| technology.efficiency * technology.available)
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
            let message = format!("no timings for `{technology}`");
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
    own.take(WITHOUT);
    let Some(like) = own.take(LIKE) else { return Some(own) };
    let mut whole = technology_table(like.value.text()?, problems)?;
    whole.overlay(own);
    Some(whole)
}
